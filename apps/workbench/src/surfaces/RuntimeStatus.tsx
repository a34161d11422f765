import type { RunSummary, RuntimeStatusView } from "@factum/agent-ui"
import { memo } from "react"
import { told, useWords, type Words } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { clock, count, duration, money } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"
import { type StateWord, stateWord } from "../ui/status.ts"
import { useSeconds } from "../ui/useSeconds.ts"
import type { SurfaceProps } from "./props.ts"

const asking = [
  "awaiting_user",
  "awaiting_permission",
  "awaiting_approval",
  "awaiting_input",
  "awaiting_auth",
]

/** What the run does now, since when, and why it waits if it does. */
export const RuntimeStatus = memo(function RuntimeStatus({
  view,
  waiting = 0,
}: SurfaceProps<RuntimeStatusView> & { waiting?: number }) {
  const words = useWords()
  const seconds = useSeconds(view.since)
  const { state, attempt, nextTryAt, queuedTurnCount, detail } = view
  const title = titleOf(view, waiting, words)
  const more = [
    view.status !== "blocked" && detail !== undefined && told(words, detail),
    view.status === "blocked" && waiting === 0 && view.said,
    attempt !== undefined && attempt > 1 && words.talk.attempt(attempt),
    nextTryAt !== undefined && words.talk.nextTry(clock(nextTryAt)),
    queuedTurnCount !== undefined && queuedTurnCount > 0 && words.talk.queuedTurns(queuedTurnCount),
  ].filter(Boolean)
  return (
    <p
      className="meta mt-2 flex flex-wrap items-center gap-x-2"
      data-role="status"
      data-surface="runtime_status"
      data-run={view.status}
    >
      <State state={statusWord(view)} quiet />
      <span className="text-ink">{state === "stale" ? words.talk.lastKnown(title) : title}</span>
      {more.length > 0 && <span>· {more.join(" · ")}</span>}
      {seconds !== undefined && view.status !== "idle" && (
        <span data-role="elapsed">· {duration(seconds, words.units, true)}</span>
      )}
    </p>
  )
})

export function statusWord({ state, status, reason }: RuntimeStatusView): StateWord {
  if (state === "stale") return "stale"
  if (status === "blocked") return reason && asking.includes(reason) ? "needsYou" : "blocked"
  return stateWord(status)
}

function titleOf({ status, title, reason }: RuntimeStatusView, waiting: number, words: Words): string {
  if (status === "blocked") {
    if (waiting > 0) return words.talk.waitingForYou(waiting)
    return reason ? words.catalog.reason[reason] : words.catalog.run.blocked
  }
  return title === undefined || title === "" ? words.catalog.run[status] : told(words, title)
}

/** How a run ended: quiet when it is done, clear when it is not. */
export const RunFoot = memo(function RunFoot({
  summary,
  hasText,
  onAgain,
}: {
  summary: RunSummary
  hasText: boolean
  onAgain?: (() => void) | undefined
}) {
  const words = useWords()
  const { status, failure, reason, durationMs, tokens, cost, currency, entries } = summary
  const state = stateWord(status)
  const figures = [
    entries === 0 && typeof durationMs === "number" && duration(durationMs / 1000, words.units),
    tokens !== undefined && words.talk.tokens(count(tokens.input), count(tokens.output)),
    cost !== undefined && money(cost, currency),
  ]
    .filter(Boolean)
    .join(" · ")
  if (state === "done") {
    return (
      <p className="meta mt-2 flex flex-wrap items-center gap-x-2" data-outcome="done">
        <State state="done" />
        {figures}
      </p>
    )
  }
  const category = failure?.category ?? ""
  const isFailure = state === "failed"
  const why = failure?.message ?? reason
  const next = words.nextSteps[category] ?? (failure?.next && told(words, failure.next))
  return (
    <div className={`mt-2 border-l-2 pl-3 ${isFailure ? "border-bad" : "border-edge"}`} data-outcome={state}>
      {hasText && (
        <p className="meta" data-partial={category || (state === "cancelled" ? "interrupted" : status)}>
          {words.talk.partial}
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-2">
        <span className={`flex items-center gap-1.5 font-medium ${isFailure ? "text-bad" : ""}`}>
          <State state={state} quiet />
          {isFailure ? (words.causes[category] ?? words.catalog.run[status]) : words.catalog.run[status]}
        </span>
        <span className="meta">{category === "runtime_restart" ? "" : figures}</span>
      </p>
      {why !== undefined && category !== "runtime_restart" && <p className="text-meta">{told(words, why)}</p>}
      {isFailure && next !== undefined && <p className="text-meta">{next}</p>}
      {onAgain !== undefined && (
        <Button className="mt-2" data-control="retry" onClick={onAgain}>
          {words.talk.again}
        </Button>
      )}
    </div>
  )
})
