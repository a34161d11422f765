import { memo } from "react"
import { callState, inputLine } from "../client/calls.ts"
import type { CallView, Excerpt, TurnView } from "../client/conversation.ts"
import { told, useWords } from "../i18n/words.ts"
import { bytes, duration } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"
import type { StateWord } from "../ui/status.ts"

type Props = { call: CallView; turn: TurnView; isStale: boolean }

/** One call of a tool in one line; its input and output on demand. */
export function Call({ call, turn, isStale }: Props) {
  // What ended the turn is told at its end.
  const isTold = call.failure?.message !== undefined && call.failure.message === turn.outcome?.reason
  return <Row call={call} state={callState(call, turn, isStale)} isTold={isTold} />
}

type RowProps = { call: CallView; state: StateWord; isTold: boolean }

const Row = memo(function Row({ call, state, isTold }: RowProps) {
  const words = useWords()
  const { tool_call_id, tool, input, failure } = call
  const line = input === undefined ? "" : inputLine(input.text)
  return (
    <div data-call={tool_call_id} data-status={state} className="mt-0.5 first:mt-2">
      <details className="group">
        <summary className="hover:bg-hover -mx-2 flex cursor-pointer list-none items-center gap-2 rounded-md px-2 py-1 [&::-webkit-details-marker]:hidden">
          <span className={`flex ${state === "done" ? "text-meta" : ""}`}>
            <State state={state} quiet />
          </span>
          <span data-role="tool" className="max-w-1/2 shrink-0 truncate font-mono text-[13px]">
            {tool ?? words.states.unknown}
          </span>
          <span data-role="input" className="text-meta min-w-0 flex-1 truncate text-[13px]" title={line}>
            {line}
          </span>
          <span className="meta shrink-0">{aside(call, state)}</span>
          <span aria-hidden="true" className="text-meta transition-transform group-open:rotate-90">
            ›
          </span>
        </summary>
        <div className="border-line mt-1 mb-2 ml-[6px] border-l pl-4">
          <Passage name={words.input} excerpt={input} />
          <Passage name={words.output} excerpt={call.output} />
        </div>
      </details>
      {failure !== undefined && (
        <p data-role="failure" className="text-meta pl-[22px] text-[13px]">
          <span className={state === "failed" ? "text-bad" : "text-ink"}>
            {words.failures[failure.category] ?? failure.category}
          </span>
          {!isTold && ` · ${told(words, failure.message)}`}
        </p>
      )}
    </div>
  )

  function aside({ progress, seconds }: CallView, state: StateWord): string | undefined {
    // Whom it waits for is said by the card below.
    if (state === "needsYou") return words.states.waiting
    if (state === "waiting" || state === "stale") return words.states[state]
    if (seconds !== undefined) return duration(seconds, words.units)
    if (state !== "running" || progress === undefined) return undefined
    const { note, done, total } = progress
    const share = done !== undefined && total ? `${Math.floor((100 * done) / total)} %` : undefined
    return [note, share].filter(Boolean).join(" · ")
  }
})

/** Exactly what was given, as plain text; what is left out is said. */
export function Passage({ name, excerpt }: { name: string; excerpt: Excerpt | undefined }) {
  const words = useWords()
  const { text = "", whole = true } = excerpt ?? {}
  return (
    <figure className="not-first:mt-2">
      <figcaption className="meta">
        {name}
        {!whole && ` · ${partWords()}`}
      </figcaption>
      {text === "" ? (
        <p className="text-meta text-[13px]">{excerpt === undefined ? words.notYet : words.nothing}</p>
      ) : (
        <pre className="plain-text thin-scroll max-h-60 overflow-y-auto font-mono text-[13px] leading-[18px]">
          {text}
        </pre>
      )}
    </figure>
  )

  function partWords(): string {
    return excerpt?.bytes === undefined ? words.partShown : words.partShownOf(bytes(excerpt.bytes))
  }
}
