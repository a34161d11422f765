import type { ArtifactRow } from "@factum/agent-ui"
import { Suspense, useState } from "react"
import { useWords } from "../../i18n/words.ts"
import { Fallback } from "../../ui/Fallback.tsx"
import { fetched } from "../../ui/fetched.tsx"
import { type Body, textIn, useBody } from "./body.ts"
import { DiffText } from "./DiffText.tsx"
import { languageOf } from "./kinds.ts"
import { NotRead } from "./Preview.tsx"
import { useNarrow } from "./useNarrow.ts"

const Diff = fetched(() => import("./Diff.tsx"))
/** Beside versions, what the person wrote and has not saved can be compared. */
const mine = "edit"

/** What changed between two versions, or between a version and the person's own edit. */
export function DiffPane({ artifact, first }: { artifact: ArtifactRow; first?: string | undefined }) {
  const { space } = useWords()
  const { versions, edit, diffs } = artifact
  const newest = versions.at(-1)
  const [to, setTo] = useState(edit === undefined ? newest?.versionId : mine)
  const [from, setFrom] = useState(
    first ?? (edit === undefined ? versions.at(-2)?.versionId : newest?.versionId),
  )
  const [place, narrow] = useNarrow(640)
  const before = useBody(versions.find(({ versionId }) => versionId === from)?.ref, true)
  const after = useBody(versions.find(({ versionId }) => versionId === to)?.ref, to !== mine)
  const texts = [textOf(before), to === mine ? edit?.text : textOf(after)] as const
  const failed = [before, after].find((body) => body.state === "failed")
  const told = diffs.find((diff) => diff.to === to && (diff.from === undefined || diff.from === from))
  const options = versions.map(({ versionId, label }) => ({
    id: versionId,
    name: space.version(label ?? versionId),
  }))
  const onlyOne = versions.length < 2 && edit === undefined
  return (
    <div ref={place} className="flex min-h-0 flex-1 flex-col">
      <div className="border-line flex shrink-0 flex-wrap items-center gap-2 border-b px-3 py-1.5">
        <Choice label={space.from} value={from} options={options} onChoose={setFrom} />
        <span aria-hidden="true" className="text-meta">
          →
        </span>
        <Choice
          label={space.to}
          value={to}
          options={edit === undefined ? options : [...options, { id: mine, name: space.yourEdit }]}
          onChoose={setTo}
        />
      </div>
      <div className="thin-scroll min-h-0 flex-1 overflow-auto">
        {onlyOne ? (
          <Fallback state="empty" title={space.oneVersion} reason={space.oneVersionWhy} />
        ) : texts[0] !== undefined && texts[1] !== undefined ? (
          <Suspense fallback={<Fallback state="loading" title={space.reading} />}>
            <Diff
              label={space.diffOf(artifact.title)}
              before={texts[0]}
              after={texts[1]}
              language={languageOf(artifact)}
              unified={narrow}
            />
          </Suspense>
        ) : told !== undefined ? (
          <DiffText reference={told.ref} />
        ) : failed?.state === "failed" ? (
          <NotRead why={failed.why} />
        ) : (
          <Fallback state="loading" title={space.reading} />
        )}
      </div>
    </div>
  )
}

const textOf = (body: Body): string | undefined => (body.state === "read" ? textIn(body.bytes) : undefined)

function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string
  value: string | undefined
  options: readonly { id: string; name: string }[]
  onChoose: (id: string) => void
}) {
  return (
    <label className="meta inline-flex items-center gap-1.5">
      {label}
      <select
        className="border-edge bg-page text-ink rounded-md border px-1.5 py-0.5 text-[13px]"
        value={value}
        onChange={(event) => onChoose(event.target.value)}
      >
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
