import { Fragment, type KeyboardEvent, useId, useMemo, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { Sheet } from "../ui/Sheet.tsx"
import { shown } from "./hotkeys.ts"

export type PaletteCommand = {
  id: string
  label: string
  group: string
  keys?: string
  /** Other words that it is found by. */
  also?: string
  run: () => void
}

/** Everything that can be done, found by a few letters. */
export function Palette({
  open,
  commands,
  onClose,
}: {
  open: boolean
  commands: readonly PaletteCommand[]
  onClose: () => void
}) {
  const words = useWords()
  return (
    <Sheet open={open} label={words.palette} onClose={onClose}>
      <Search commands={commands} onClose={onClose} />
    </Sheet>
  )
}

const most = 60

function Search({ commands, onClose }: { commands: readonly PaletteCommand[]; onClose: () => void }) {
  const words = useWords()
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const id = useId()
  const found = useMemo(() => grouped(find(commands, text).slice(0, most)), [commands, text])
  const chosen = found[Math.min(at, found.length - 1)]
  const run = (command: PaletteCommand | undefined) => {
    if (command === undefined) return
    onClose()
    // The dialog gives the focus back as it closes; what the command does with it comes after.
    setTimeout(command.run)
  }
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined && found.length > 0) {
      event.preventDefault()
      setAt((now) => (Math.min(now, found.length - 1) + by + found.length) % found.length)
    }
    if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(chosen)
    }
  }
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: it is opened to be written in
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen && `${id}-${chosen.id}`}
        aria-label={words.palette}
        placeholder={words.paletteHint}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={keys}
        className="border-line bg-page w-full border-b px-4 py-3 outline-none"
      />
      <div
        id={id}
        role="listbox"
        aria-label={words.palette}
        className="thin-scroll max-h-96 overflow-y-auto py-1"
      >
        {found.length === 0 && <p className="meta px-4 py-3">{words.paletteNone}</p>}
        {found.map((command, place) => (
          <Fragment key={command.id}>
            {command.group !== found[place - 1]?.group && (
              <p role="presentation" className="meta px-4 pt-2 pb-0.5 font-medium">
                {command.group}
              </p>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the box above move and choose */}
            <div
              id={`${id}-${command.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={command === chosen}
              ref={(row) => {
                if (command === chosen) row?.scrollIntoView({ block: "nearest" })
              }}
              onClick={() => run(command)}
              className="aria-selected:bg-hover flex cursor-pointer items-baseline gap-3 px-4 py-1.5"
            >
              <span className="min-w-0 flex-1 truncate">{command.label}</span>
              {command.keys !== undefined && <Keys keys={command.keys} />}
            </div>
          </Fragment>
        ))}
      </div>
    </>
  )
}

/** Those of a group stand together; the group of the best match comes first. */
export const grouped = (commands: readonly PaletteCommand[]): readonly PaletteCommand[] =>
  [...Map.groupBy(commands, ({ group }) => group).values()].flat()

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="flex gap-1">
      {shown(keys).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  )
}

/** Commands that hold the letters in their order; those in which they stand together come first. */
export function find(commands: readonly PaletteCommand[], text: string): readonly PaletteCommand[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === "") return commands
  return commands
    .map((command) => ({
      command,
      rank: rankOf(`${command.label} ${command.also ?? ""}`.toLowerCase(), wanted),
    }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ command }) => command)
}

function rankOf(label: string, wanted: string): number | undefined {
  const together = label.indexOf(wanted)
  if (together >= 0) return together
  let at = -1
  let spread = 0
  for (const letter of wanted) {
    const next = label.indexOf(letter, at + 1)
    if (next < 0) return undefined
    spread += at < 0 ? 0 : next - at - 1
    at = next
  }
  return 1000 + spread
}
