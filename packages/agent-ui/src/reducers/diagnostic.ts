import { push } from "../chain.ts"
import { bounded, change, type Draft, firstOrigin, open, remove, report } from "../draft.ts"
import { given } from "../given.ts"
import type { DiagnosticEntity } from "../state.ts"
import { setIn } from "../table.ts"
import { fresh } from "../vector.ts"
import type { Reducers } from "./index.ts"
import { addRefPart } from "./message.ts"
import { noSession } from "./session.ts"

const mostDiagnostics = 500
const mostMetrics = 1000

export const diagnosticReducers: Reducers<"diagnostic.changed" | "metric.changed"> = {
  "diagnostic.changed": (draft, payload) => {
    const { state, edit, event } = draft
    const diagnosticId =
      payload.diagnosticId ?? `${draft.stream ?? "client"}/${draft.sequence ?? state.opened + 1}`
    const base = { origin: originOf(draft), opened: ++state.opened }
    const diagnostic: DiagnosticEntity = { ...base, ...payload, diagnosticId }
    state.diagnostics = bounded(state, push(state.diagnostics, diagnostic, edit), mostDiagnostics)
    if (event.messageId !== undefined) addRefPart(draft, "diagnostic", diagnosticId)
  },
  "metric.changed": (draft, { name, value, unit, limit }) => {
    if (typeof name !== "string" || typeof value !== "number")
      return report(draft, "rejected_event", "It needs name and value.")
    if (draft.state.metrics.size >= mostMetrics * 2 && !draft.state.metrics.has(name)) sumUp(draft)
    // What a child costs is told in its parent too; without an order between them the same one must always lead.
    const { sessionId = "" } = draft.event
    if ((draft.state.metrics.get(name)?.origin.sessionId ?? "") > sessionId) {
      const led = change(draft, "metrics", name)
      if (led) led.origin = { ...firstOrigin(draft), ...led.origin }
      return
    }
    const metric = open(draft, "metrics", name, (base) => ({ ...base, name, value }))
    metric.value = value
    Object.assign(metric, given({ unit, limit }))
  },
}

/** `cost.req_1` and `cost.req_2` are two values of `cost`. */
export const perRequest = /^(.+?)\.[a-z]+_[^.]+$/

/** The older half is kept as one sum for each series and run, older sums by session; what has no series is let go. */
function sumUp(draft: Draft): void {
  const { state, edit } = draft
  for (const { limit: _, ...metric } of [...state.metrics.values()].slice(0, mostMetrics)) {
    remove(draft, "metrics", metric.name)
    const series = perRequest.exec(metric.name)?.[1]
    const { runId, ...origin } = metric.origin
    const run = metric.name.includes(".sum_") ? undefined : runId
    const name = `${series}.sum_${(run ?? origin.sessionId ?? noSession).replaceAll(".", "-")}`
    const value = metric.value + (state.metrics.get(name)?.value ?? 0)
    const sum = { ...metric, name, value, origin: { ...origin, ...given({ runId: run }) } }
    if (series === undefined) state.dropped++
    else state.metrics = setIn(state.metrics, name, fresh(sum, edit), edit)
  }
}

function originOf({ event, sequence }: Draft): DiagnosticEntity["origin"] {
  const {
    owner = "unknown",
    scope = "unknown",
    phase = "unknown",
    sessionId,
    runId,
    agentId,
    timestamp,
    rawEventRef,
  } = event
  return {
    owner,
    scope,
    phase,
    ...(sequence === undefined ? { assigned: true as const } : { sequence }),
    ...given({ sessionId, runId, agentId, timestamp, rawEventRef }),
  }
}
