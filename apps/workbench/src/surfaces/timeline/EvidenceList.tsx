import type { EvidenceRow, Target, TargetKind } from "@factum/agent-ui"
import { useEffect, useRef, useState } from "react"
import { wordOf } from "../../i18n/catalog.ts"
import { useWords } from "../../i18n/words.ts"
import { Facts } from "../../ui/Facts.tsx"
import { Acts } from "../../ui/Frame.tsx"
import { Name } from "../../ui/Name.tsx"
import { Status } from "../../ui/Status.tsx"
import { MarkLine } from "../../ui/SurfacePanel.tsx"
import { Ago } from "../../ui/Time.tsx"
import { Excerpt } from "../Excerpt.tsx"
import { moveFocus } from "../move-focus.ts"
import type { SurfaceProps } from "../props.ts"

const page = 100
type Props = {
  evidence: readonly EvidenceRow[]
  item: string | undefined
  link?: ((item: string) => string) | undefined
  sessionId?: string | undefined
  onIntent: SurfaceProps<unknown>["onIntent"]
  onItem?: ((item: string | undefined) => void) | undefined
}

/** What proves what: the one that the address names stands open and in sight. */
export function EvidenceList({ evidence, item, link, onIntent, sessionId, onItem }: Props) {
  const { space } = useWords()
  const [open, setOpen] = useState<string | undefined>(item)
  const [kind, setKind] = useState<string>()
  const [shown, setShown] = useState(page)
  const place = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (item === undefined) return
    setOpen(item)
    setKind(undefined)
    const row = [...(place.current?.children ?? [])].find(({ id }) => id === `evidence-${item}`)
    row?.scrollIntoView({ block: "nearest" })
  }, [item])
  const kinds = [...new Set(evidence.map((row) => row.kind))]
  const rows = evidence.filter((row) => kind === undefined || row.kind === kind).toReversed()
  const at = rows.findIndex(({ evidenceId }) => evidenceId === item)
  return (
    <div className="thin-scroll min-h-0 flex-1 overflow-auto">
      {kinds.length > 1 && (
        <fieldset aria-label={space.filterKind} className="flex flex-wrap gap-1 px-3 py-1.5">
          {[undefined, ...kinds].map((one) => (
            <button
              key={one ?? ""}
              type="button"
              aria-pressed={kind === one}
              className="border-line meta aria-pressed:border-accent aria-pressed:text-ink rounded border px-1.5 py-0.5"
              onClick={() => setKind(one)}
            >
              {one === undefined ? space.all : wordOf(space.evidenceKind, one)}
            </button>
          ))}
        </fieldset>
      )}
      <ul ref={place} aria-label={space.evidence} onKeyDown={moveFocus}>
        {rows.slice(0, Math.max(shown, at + 1)).map((row) => (
          <li
            key={row.evidenceId}
            id={`evidence-${row.evidenceId}`}
            className="border-line border-b"
            data-evidence={row.evidenceId}
          >
            <button
              type="button"
              data-row
              aria-expanded={open === row.evidenceId}
              className="hover:bg-hover flex w-full min-w-0 items-center gap-2 px-3 py-1.5 text-left"
              onClick={() => {
                const next = open === row.evidenceId ? undefined : row.evidenceId
                setOpen(next)
                onItem?.(next)
              }}
            >
              <Status status={row.verdict} quiet />
              <span className="min-w-0 flex-1 truncate">{row.title ?? row.evidenceId}</span>
              <span className="meta">{wordOf(space.evidenceKind, row.kind)}</span>
              {row.at !== undefined && <Ago time={row.at} />}
            </button>
            {open === row.evidenceId && (
              <Detail row={row} link={link?.(row.evidenceId)} sessionId={sessionId} onIntent={onIntent} />
            )}
          </li>
        ))}
      </ul>
      {rows.length > shown && (
        <button type="button" className="text-accent meta px-3 py-1" onClick={() => setShown(shown + page)}>
          {space.more(Math.min(page, rows.length - shown))}
        </button>
      )}
    </div>
  )
}

type DetailProps = { row: EvidenceRow; link: string | undefined; sessionId: string | undefined } & Pick<
  Props,
  "onIntent"
>

function Detail({ row, link, sessionId, onIntent }: DetailProps) {
  const { catalog, space } = useWords()
  const { evidenceId, target, notes, missing } = row
  const refs = [row.ref, row.sourceRef].filter((ref) => ref !== undefined)
  const about = target && targetOf(target)
  const self: Target = { kind: "evidence", id: evidenceId }
  const act = (control: string) => {
    if (control === "request_review") void onIntent({ control: "request_review", target: about ?? self })
    if (control === "open_detail") void onIntent({ control: "open_detail", target: self })
    if (control === "export" && sessionId !== undefined)
      void onIntent({ control: "export", sessionId, kind: "evidence" })
  }
  return (
    <div className="bg-raised flex flex-col gap-1.5 px-3 pt-1 pb-3" data-detail={evidenceId}>
      <MarkLine mark={row} />
      <Facts
        facts={[
          [space.field.verdict, row.verdict === "unknown" ? "unknown" : wordOf(catalog.status, row.verdict)],
          [
            space.field.about,
            about === undefined ? undefined : (
              <button
                key="about"
                type="button"
                data-link="target"
                className="text-accent break-all underline underline-offset-2"
                onClick={() => void onIntent({ control: "open_detail", target: about })}
              >
                {target?.kind} {about.id}
              </button>
            ),
          ],
          [space.field.by, row.who && <Name key="who" who={row.who} />],
          [space.field.note, notes.join(" · ")],
          [space.field.missing, missing.join(", ")],
          [
            space.field.digest,
            row.digest && (
              <code key="d" className="break-all">
                {row.digest}
              </code>
            ),
          ],
          [space.field.id, <code key="id">{evidenceId}</code>],
        ]}
      />
      {refs.map((ref) => (
        <Excerpt key={ref} name={space.evidenceText} refs={[ref]} />
      ))}
      <div className="flex flex-wrap items-center gap-1.5">
        <Acts offered={row.controls} about={row.title ?? evidenceId} onAct={act} />
        {link !== undefined && (
          <a href={link} className="text-accent meta underline underline-offset-2" data-permalink>
            {space.permalink}
          </a>
        )}
      </div>
    </div>
  )
}

const kinds: Readonly<Record<string, TargetKind>> = {
  artifact: "artifact",
  task: "task",
  turn: "run",
  run: "run",
  tool: "tool",
  tool_call: "tool",
  session: "session",
  message: "message",
  evidence: "evidence",
}

function targetOf({ kind, id, version }: NonNullable<EvidenceRow["target"]>): Target {
  return { kind: kinds[kind] ?? "run", id, ...(version !== undefined && { version }) }
}
