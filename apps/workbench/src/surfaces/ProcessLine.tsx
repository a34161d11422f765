import type { ProcessRow } from "@factum/agent-ui"
import { memo, type ReactNode, useId } from "react"
import { useReach } from "../client/page.ts"
import { wordOf } from "../i18n/catalog.ts"
import { told, useWords } from "../i18n/words.ts"
import { Markdown } from "../ui/Markdown.tsx"
import { State } from "../ui/State.tsx"
import { type StateWord, stateWord } from "../ui/status.ts"
import { BoundaryLine } from "./Boundary.tsx"
import { ContextNote } from "./ContextNote.tsx"
import { ActionEntry } from "./Hitl.tsx"
import { Steered } from "./Message.tsx"
import type { SurfaceProps } from "./props.ts"
import { ToolLine } from "./ToolUi.tsx"

type Props = { row: ProcessRow; onIntent: SurfaceProps<unknown>["onIntent"] }

/** One line of a process; what it is about decides how it is drawn. */
export const ProcessLine = memo(function ProcessLine({ row, onIntent }: Props) {
  const words = useWords()
  const catalog = words.catalog
  const open = (kind: "artifact" | "evidence" | "agent" | "task", id: string) => () =>
    onIntent({ control: "open_detail", target: { kind, id } })
  switch (row.kind) {
    case "tool":
      return row.tool ? (
        <ToolLine call={row.tool} expanded={row.expanded} foldId={row.key} onIntent={onIntent} />
      ) : null
    case "action":
      return row.action ? <ActionEntry card={row.action} onIntent={onIntent} /> : null
    case "status":
    case "text":
      return null
    case "reasoning":
      return row.reasoning ? <Reasoning row={row} reasoning={row.reasoning} /> : null
    case "plan":
      return row.plan ? (
        <Folding row={row} title={words.talk.plan} state={row.plan.state === "final" ? "done" : "running"}>
          {row.plan.text.length > 0 && <Markdown text={row.plan.text.join("")} />}
          <ol className="list-decimal pl-5">
            {row.plan.steps.map((step, at) => (
              <li key={step.id ?? at}>
                {step.title}
                {step.status !== undefined && <span className="meta"> · {step.status}</span>}
              </li>
            ))}
          </ol>
        </Folding>
      ) : null
    case "context":
      return row.context ? (
        <Folding row={row} title={words.talk.context} state={contextWord(row)}>
          <ContextNote note={row.context} />
        </Folding>
      ) : null
    case "compaction":
      return <BoundaryLine id={row.id} state={row.status} summary={row.compaction?.summary} />
    case "artifact":
      return (
        <Line row={row} state={row.state === "unavailable" ? "unavailable" : stateWordOr(row, "done")}>
          <Link onClick={open("artifact", row.id)}>{row.title ?? row.id}</Link>
        </Line>
      )
    case "evidence":
      return (
        <Line row={row} state={stateWordOr(row, "done")}>
          <Link onClick={open("evidence", row.id)}>{row.title ?? row.evidence?.kind ?? row.id}</Link>
          {row.evidence?.verdict !== undefined && <span className="meta">{row.evidence.verdict}</span>}
        </Line>
      )
    case "agent":
    case "task":
      return (
        <Line row={row} state={stateWord(row.status)}>
          <Link onClick={open(row.kind, row.id)}>{row.title ?? row.id}</Link>
          <span className="meta">{row.status === "unknown" ? "" : wordOf(catalog.status, row.status)}</span>
          {row.note !== undefined && <span className="text-meta min-w-0 truncate">{row.note}</span>}
          {row.failure?.message !== undefined && <span className="text-bad">{row.failure.message}</span>}
        </Line>
      )
    case "error":
      return (
        <Line row={row} state="failed">
          <span className="text-bad">
            {words.causes[row.failure?.category ?? ""] ?? told(words, row.note ?? catalog.run.failed)}
          </span>
        </Line>
      )
    case "steer":
      return <Steered row={row} />
    case "handoff":
    case "notification":
    case "review":
      return (
        <Line row={row} state={stateWord(row.status)}>
          <span className="font-medium">{catalog.process[row.kind]}</span>
          {row.who !== undefined && row.who.name !== "unknown" && <span>{row.who.name}</span>}
          <span className="meta">{row.status === "unknown" ? "" : wordOf(catalog.status, row.status)}</span>
          {row.note !== undefined && <span className="text-meta min-w-0 truncate">{row.note}</span>}
        </Line>
      )
  }
})

const stateWordOr = (row: ProcessRow, otherwise: StateWord): StateWord =>
  row.status === "unknown" || stateWord(row.status) === "unknown" ? otherwise : stateWord(row.status)

const contextWord = ({ status }: ProcessRow): StateWord =>
  status === "blocked" ? "blocked" : status === "unknown" ? "unknown" : "done"

function Line({ row, state, children }: { row: ProcessRow; state: StateWord; children: ReactNode }) {
  return (
    <div
      data-row={row.kind}
      data-key={row.key}
      className="flex min-w-0 flex-wrap items-baseline gap-x-2 py-0.5 [overflow-wrap:anywhere]"
    >
      <span className="flex h-5 items-center self-start">
        <State state={state} quiet />
      </span>
      {children}
    </div>
  )
}

function Link({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="text-accent text-left hover:underline">
      {children}
    </button>
  )
}

type FoldingProps = {
  row: ProcessRow
  title: ReactNode
  state: StateWord
  hint?: string
  children: ReactNode
}

/** A line that opens: by the rule of its kind, or as the reader chose. */
export function Folding({ row, title, state, hint, children }: FoldingProps) {
  const { local } = useReach()
  const id = useId()
  const toggle = () =>
    local(row.expanded ? { kind: "collapse", id: row.key } : { kind: "expand", id: row.key, where: "inline" })
  return (
    <div data-row={row.kind} data-key={row.key} className="py-0.5">
      <button
        type="button"
        aria-expanded={row.expanded}
        aria-controls={id}
        onClick={toggle}
        className="hover:bg-hover -mx-1 flex w-full min-w-0 items-center gap-2 rounded px-1 text-left pointer-coarse:min-h-9"
      >
        <State state={state} quiet />
        <span className="font-medium">{title}</span>
        <span className="text-meta min-w-0 flex-1 truncate">{row.expanded ? "" : hint}</span>
        <span aria-hidden="true" className={`meta transition-transform ${row.expanded ? "rotate-90" : ""}`}>
          ›
        </span>
      </button>
      <div id={id} hidden={!row.expanded} className="text-meta ml-[6px] border-line border-l pl-4">
        {row.expanded && children}
      </div>
    </div>
  )
}

function Reasoning({ row, reasoning }: { row: ProcessRow; reasoning: NonNullable<ProcessRow["reasoning"]> }) {
  const words = useWords()
  const { summary, detail, state } = reasoning
  const text = detail?.join("") ?? (summary === "unknown" || summary === "unavailable" ? undefined : summary)
  return (
    <Folding
      row={row}
      title={words.talk.reasoning}
      state={state === "streaming" ? "running" : "done"}
      hint={text?.split("\n", 1)[0] ?? ""}
    >
      {text === undefined ? (
        <p className="meta">{words.talk.reasoningHidden}</p>
      ) : (
        <p className="plain-text">{text}</p>
      )}
    </Folding>
  )
}
