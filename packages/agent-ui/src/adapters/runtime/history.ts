import type { HistoryEvent, RuntimeConditionEvent, SnapshotEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { DiagnosticPayload } from "../../events/index.ts"
import { given } from "./given.ts"
import { answerMessage, event, type Translations } from "./place.ts"
import { diagnostic } from "./process.ts"

export const historyFrames: Translations<HistoryEvent | SnapshotEvent | RuntimeConditionEvent> = {
  "history.window.loaded": { notShown: "The runtime read its own past; nothing in it changed." },
  "history.reconstructed": (fact) => {
    const { source, through, cause } = fact.payload
    const message = `Rebuilt from ${source} up to ${through}: ${cause}`
    return [diagnostic(fact, { code: fact.type, severity: "debug", message })]
  },
  "history.rollback.started": (fact) => {
    const { reason, by, boundary } = fact.payload
    const message = `Rolling back to ${boundary.sequence}, asked by ${by}: ${reason}`
    return [diagnostic(fact, { code: fact.type, severity: "info", message })]
  },
  "history.rollback.completed": (fact) => {
    const { boundary, not_undone, left = { from: boundary.sequence + 1, to: fact.sequence } } = fact.payload
    const rest = not_undone.map(({ detail }) => detail).join("; ")
    const message = `Rolled back to ${boundary.sequence}.${rest === "" ? "" : ` Not undone: ${rest}`}`
    return [
      event(
        "session.updated",
        fact,
        {
          owner: "session",
          scope: "session",
          phase: "reconciling",
          surface: "session_tabs",
          persistence: "snapshot",
        },
        { left: { ...left, ...given({ kept: boundary.turn_id }) } },
      ),
      diagnostic(fact, {
        code: fact.type,
        severity: not_undone.length === 0 ? "info" : "warning",
        message,
      }),
    ]
  },
  "snapshot.updated": { notShown: "A read model caught up; the facts behind it are shown themselves." },
  "snapshot.repaired": (fact) => {
    const { snapshot, cause, reflects } = fact.payload
    const message = `${snapshot} was repaired up to ${reflects}: ${cause}`
    return [diagnostic(fact, { code: fact.type, severity: "info", message })]
  },
  "runtime.warning": (fact) => condition(fact, "warning"),
  "runtime.error": (fact) => condition(fact, "error"),
}

/** In a turn's answer it stands as a reference; the words are in the diagnostics only. */
function condition(fact: RuntimeConditionEvent, severity: DiagnosticPayload["severity"]): AgentUiEvent[] {
  const { code, message, affected } = fact.payload
  const messageId = fact.turn_id === undefined ? undefined : answerMessage(fact.turn_id)
  const told = diagnostic(fact, { code, message, affected, ...given({ severity }) })
  return [{ ...told, ...given({ messageId, partId: messageId && fact.event_id }) }]
}
