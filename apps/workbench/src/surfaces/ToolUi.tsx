import type { FileChange, ToolRow, ToolUiView } from "@factum/agent-ui"
import { memo } from "react"
import { useReach } from "../client/page.ts"
import { told, useWords } from "../i18n/words.ts"
import { canAct } from "../ui/acting.ts"
import { Button } from "../ui/Button.tsx"
import { Fallback } from "../ui/Fallback.tsx"
import { Progress } from "../ui/Meter.tsx"
import { duration } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"
import { type StateWord, stateWord } from "../ui/status.ts"
import { useSeconds } from "../ui/useSeconds.ts"
import { Excerpt, Shown } from "./Excerpt.tsx"
import { inputSummary } from "./input-summary.ts"
import type { SurfaceProps } from "./props.ts"

/** The calls of a run. */
export const ToolUi = memo(function ToolUi({ view, onIntent }: SurfaceProps<ToolUiView>) {
  const words = useWords()
  if (view.calls.length === 0) {
    const state = view.state === "ready" ? "empty" : view.state
    return (
      <div data-surface="tool_ui">
        <Fallback
          state={state}
          title={state === "empty" ? words.catalog.empty.tool_ui : words.catalog.state[state]}
          reason={view.reason && words.catalog.reason[view.reason]}
        />
      </div>
    )
  }
  return (
    <div data-surface="tool_ui">
      {view.calls.map((call) => (
        <ToolLine key={call.toolCallId} call={call} expanded={call.expanded} onIntent={onIntent} />
      ))}
    </div>
  )
})

const open = ["input-streaming", "input-available", "running", "progress"]

function wordFor({ state, reason, status }: ToolRow): StateWord {
  if (state === "blocked") return reason === "awaiting_approval" ? "needsYou" : "blocked"
  return stateWord(status)
}

/** One call: a line with what it does, and what it gave below it on demand. */
export const ToolLine = memo(function ToolLine({
  call,
  expanded,
  onIntent,
  foldId = call.toolCallId,
}: {
  call: ToolRow
  expanded: boolean
  /** By what it is folded: the key of its line, where it stands in a process. */
  foldId?: string
  onIntent: SurfaceProps<ToolUiView>["onIntent"]
}) {
  const words = useWords()
  const { local } = useReach()
  const name = call.title ?? (call.toolName === "unknown" ? words.states.unknown : call.toolName)
  const id = call.toolCallId
  const state = wordFor(call)
  const toggle = () =>
    local(expanded ? { kind: "collapse", id: foldId } : { kind: "expand", id: foldId, where: "inline" })
  const working = open.includes(call.status)
  return (
    <div data-call={id} data-status={state} className="py-0.5">
      <button
        type="button"
        aria-expanded={expanded}
        onClick={toggle}
        className="hover:bg-hover -mx-1 flex w-full min-w-0 items-center gap-2 rounded px-1 text-left pointer-coarse:min-h-9"
      >
        <State state={state} quiet />
        <span data-role="tool" className="shrink-0 font-medium">
          {name}
        </span>
        <span data-role="input" className="text-meta min-w-0 flex-1 truncate">
          {/* While a person is asked, the card below shows what the call would do. */}
          {typeof call.input === "string" || call.reason === "awaiting_approval"
            ? ""
            : inputSummary(call.input.text)}
        </span>
        {working && <Doing call={call} name={name} />}
        <span className="meta shrink-0">
          {call.durationMs !== "unknown" && call.durationMs !== "unavailable"
            ? duration(call.durationMs / 1000, words.units)
            : working && <Since time={call.startedAt} />}
        </span>
        <span aria-hidden="true" className={`meta transition-transform ${expanded ? "rotate-90" : ""}`}>
          ›
        </span>
      </button>
      {call.state === "unknown" && call.reason !== undefined && (
        <p className="meta pl-[22px]">{words.catalog.reason[call.reason]}</p>
      )}
      <Failure call={call} />
      {/* While a person is asked, the card beside it shows what the call would do. */}
      {expanded && call.reason !== "awaiting_approval" && <Detail call={call} onIntent={onIntent} />}
    </div>
  )
})

function Since({ time }: { time: string | undefined }) {
  const words = useWords()
  const seconds = useSeconds(time)
  return seconds === undefined || seconds < 1 ? null : duration(seconds, words.units, true)
}

function Doing({ call: { progress }, name }: { call: ToolRow; name: string }) {
  if (progress === undefined) return null
  const { done, total, note } = progress
  return (
    <span className="meta flex min-w-0 shrink items-center gap-2" data-role="progress">
      {note !== undefined && <span className="max-w-40 truncate">{note}</span>}
      {done !== undefined && total !== undefined && (
        <>
          <Progress label={name} done={done} total={total} />
          {Math.round((done / Math.max(1, total)) * 100)} %
        </>
      )}
    </span>
  )
}

function Failure({ call: { failure, status } }: { call: ToolRow }) {
  const words = useWords()
  if (failure === undefined) return null
  const { category = "tool_error", message, next } = failure
  const cause = words.failures[category] ?? category
  const said = message === undefined || message === cause ? [] : [told(words, message)]
  const look = status === "cancelled" ? "text-meta" : "text-bad"
  return (
    <p data-role="failure" className={`${look} plain-text pl-[22px] text-[13px]`}>
      {[cause, ...said, ...(next === undefined ? [] : [told(words, next)])].join(" · ")}
    </p>
  )
}

function Detail({ call, onIntent }: { call: ToolRow; onIntent: SurfaceProps<ToolUiView>["onIntent"] }) {
  const words = useWords()
  const target = { kind: "tool" as const, id: call.toolCallId }
  const { input, output, partialInput } = call
  const settled = !open.includes(call.status)
  // What the result holds word for word is not shown a second time as the stream that it came by.
  const channels = call.channels.filter(
    ({ blocks }) => typeof output === "string" || !holds(output.text, blocks.join("")),
  )
  return (
    <div className="border-line mt-1 mb-2 ml-[6px] border-l pl-4" data-role="detail">
      {typeof input === "object" ? (
        <Excerpt
          name={words.talk.input}
          preview={input}
          refs={call.inputRef === undefined ? [] : [call.inputRef]}
        />
      ) : (
        partialInput !== undefined && (
          <Excerpt name={words.talk.input} preview={{ text: partialInput.join("") }} />
        )
      )}
      {channels.map(({ channel, blocks }) => (
        <div key={channel} className="mt-1">
          <p className="meta">{words.talk.channel(channel)}</p>
          <Shown text={blocks.join("")} />
        </div>
      ))}
      {typeof output === "object" ? (
        <Excerpt name={words.talk.output} preview={output} refs={call.outputRefs} />
      ) : call.outputRefs.length > 0 ? (
        <Excerpt name={words.talk.output} refs={call.outputRefs} />
      ) : !settled ? (
        <p className="meta mt-1">{words.talk.notYet}</p>
      ) : (
        // A call that failed, or never was allowed, had none to keep.
        call.status !== "output-error" && (
          <p className="meta mt-1">{words.catalog.reason.output_unavailable}</p>
        )
      )}
      <Files files={call.files} />
      <p className="mt-1 flex gap-1 empty:hidden">
        {call.controls.map(
          ({ control, enabled, reason }) =>
            canAct({ control, enabled }) && (
              <Button
                key={control}
                look="bare"
                data-control={control}
                disabled={!enabled}
                title={reason && words.catalog.reason[reason]}
                onClick={() =>
                  onIntent(
                    control === "open_detail"
                      ? { control: "open_detail", target }
                      : control === "stop"
                        ? { control: "stop", target }
                        : { control: "retry", target },
                  )
                }
              >
                {words.catalog.control[control]}
              </Button>
            ),
        )}
      </p>
    </div>
  )
}

const holds = (whole: string, part: string): boolean => part.trim() !== "" && whole.includes(part.trim())

function Files({ files }: { files: readonly FileChange[] }) {
  const words = useWords()
  if (files.length === 0) return null
  return (
    <ul className="mt-1" aria-label={words.talk.filesChanged}>
      {files.map(({ path, change, added, removed }) => (
        <li key={path} className="flex gap-2 font-mono text-[13px]">
          <span className="min-w-0 truncate">{path}</span>
          {change !== undefined && <span className="meta">{change}</span>}
          {added !== undefined && (
            <span className="meta" title={words.talk.added(added)}>
              +{added}
            </span>
          )}
          {removed !== undefined && (
            <span className="meta" title={words.talk.removed(removed)}>
              −{removed}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
