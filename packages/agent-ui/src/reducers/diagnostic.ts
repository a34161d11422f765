import { push } from "../chain.ts"
import { bounded, change, type Draft, firstOrigin, open, report } from "../draft.ts"
import { given } from "../given.ts"
import type { DiagnosticEntity } from "../state.ts"
import type { Reducers } from "./index.ts"
import { addRefPart } from "./message.ts"

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
    if (!draft.state.metrics.has(name) && draft.state.metrics.size >= mostMetrics) {
      draft.state.dropped++
      return
    }
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
