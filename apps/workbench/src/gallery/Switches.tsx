import { useId } from "react"
import { type GalleryChoice, shownSurfaces, states } from "./choice.ts"

const widths = [280, 360, 640, 960, 1440] as const

/** What is shown, and how: the gallery's own switches, for those who build the surfaces. */
export function Switches({
  choice,
  names,
  facts,
  agents,
  onChoose,
}: {
  choice: GalleryChoice
  names: readonly string[]
  facts: number
  agents: readonly string[]
  onChoose: (change: Partial<GalleryChoice>) => void
}) {
  const at = choice.at ?? facts
  return (
    <header className="border-line bg-raised flex flex-wrap items-end gap-3 border-b px-3 py-2">
      <Pick
        label="surface"
        value={choice.surface}
        options={shownSurfaces}
        onPick={(name) => {
          const surface = shownSurfaces.find((one) => one === name)
          if (surface) onChoose({ surface })
        }}
      />
      <Pick
        label="trace"
        value={choice.trace}
        options={names}
        onPick={(trace) => onChoose({ trace, at: undefined })}
      />
      <Pick
        label="state"
        value={choice.state}
        options={states}
        onPick={(name) => onChoose({ state: states.find((one) => one === name) ?? "trace" })}
      />
      <Pick
        label="teammate"
        value={choice.agent ?? ""}
        options={["", ...agents]}
        onPick={(agent) => onChoose({ agent: agent === "" ? undefined : agent })}
      />
      <Pick
        label="ports"
        value={choice.ports}
        options={["all", "none"]}
        onPick={(ports) => onChoose({ ports: ports === "none" ? "none" : "all" })}
      />
      <Pick
        label="theme"
        value={choice.theme}
        options={["light", "dark"]}
        onPick={(theme) => onChoose({ theme: theme === "dark" ? "dark" : "light" })}
      />
      <Pick
        label="language"
        value={choice.language}
        options={["en", "zh"]}
        onPick={(language) => onChoose({ language: language === "zh" ? "zh" : "en" })}
      />
      <Pick
        label="width"
        value={String(choice.width ?? "full")}
        options={["full", ...widths.map(String)]}
        onPick={(width) => onChoose({ width: width === "full" ? undefined : Number(width) })}
      />
      <label className="meta flex flex-col">
        facts {at} of {facts}
        <input
          type="range"
          min={1}
          max={Math.max(1, facts)}
          value={at}
          onChange={({ target }) => onChoose({ at: Number(target.value) })}
        />
      </label>
    </header>
  )
}

function Pick({
  label,
  value,
  options,
  onPick,
}: {
  label: string
  value: string
  options: readonly string[]
  onPick: (value: string) => void
}) {
  const id = useId()
  return (
    <span className="flex flex-col">
      <label htmlFor={id} className="meta">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onPick(target.value)}
        className="border-edge bg-page rounded-md border px-1 py-0.5"
      >
        {[...new Set([...options, value])].map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </span>
  )
}
