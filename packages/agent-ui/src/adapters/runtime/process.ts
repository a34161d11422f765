import type { Envelope, OutputEvent, ProcessEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { DiagnosticPayload, ToolProgressPayload } from "../../events/index.ts"
import { given } from "./given.ts"
import { event, preview, type Translations, uri } from "./place.ts"
import { called } from "./tool.ts"

/** A process is shown by the call that runs it; one that no call owns is a diagnostic. */
export const processFrames: Translations<ProcessEvent | OutputEvent> = {
  "process.started": (fact) =>
    progress(fact, { note: fact.payload.command.join(" ") }, `Started ${fact.payload.command.join(" ")}`),
  "process.output": (fact) => {
    const { channel, text = "", ref } = fact.payload
    return output(fact, channel, text, uri(ref))
  },
  "process.input": (fact) => {
    const { preview: shown, ref } = fact.payload
    return output(fact, "stdin", shown?.text ?? "", uri(ref))
  },
  "process.completed": (fact) => {
    const { exit_code } = fact.payload
    return progress(fact, { note: `exit ${exit_code}` }, `Process ended with exit code ${exit_code}.`)
  },
  "process.failed": (fact) => {
    const { message } = fact.payload
    return progress(fact, { note: message }, message, "error")
  },
  "process.terminated": (fact) => {
    const { reason, by } = fact.payload
    return progress(fact, { note: `${by}: ${reason}` }, `Ended by ${by}: ${reason}`)
  },
  "output.spilled": (fact) => {
    const { ref, preview: shown, bytes } = fact.payload
    return progress(
      fact,
      given({ outputRef: ref.uri, preview: preview(shown) }),
      `Moved ${bytes} bytes to storage.`,
    )
  },
  "output.truncated": (fact) => {
    const { kept_bytes, dropped_bytes, cause } = fact.payload
    const message = `Kept ${kept_bytes} bytes, dropped ${dropped_bytes}: ${cause}`
    return [diagnostic(fact, { code: fact.type, severity: "warning", message, ...refOf(fact.payload.ref) })]
  },
  "output.redacted": (fact) => {
    const { rule, count, where } = fact.payload
    const message = `Masked ${count} in ${where} by the rule ${rule}.`
    return [diagnostic(fact, { code: fact.type, severity: "info", message, ...refOf(fact.payload.ref) })]
  },
  "output.expired": (fact) => {
    const { ref, cause } = fact.payload
    const message = `${ref.title ?? ref.uri} can no longer be read: ${cause}`
    return [diagnostic(fact, { code: fact.type, severity: "warning", message, ref: ref.uri })]
  },
}

const refOf = (ref: { uri: string } | undefined) => given({ ref: ref?.uri })

function progress(
  fact: Envelope,
  payload: ToolProgressPayload,
  message: string,
  severity: DiagnosticPayload["severity"] = "info",
): AgentUiEvent[] {
  if (fact.tool_call_id !== undefined) return [event("tool.progress", fact, called(fact), payload)]
  return [diagnostic(fact, { code: fact.type, severity, message })]
}

/** Bytes of a process without a call stay in its output ref. */
function output(fact: Envelope, channel: string, delta: string, ref: string | undefined): AgentUiEvent[] {
  if (fact.tool_call_id === undefined) return []
  return [event("tool.output.delta", fact, called(fact), { channel, delta, ...given({ outputRef: ref }) })]
}

export function diagnostic(fact: Envelope, payload: Omit<DiagnosticPayload, "diagnosticId">): AgentUiEvent {
  return event(
    "diagnostic.changed",
    fact,
    {
      owner: "diagnostics",
      scope: fact.session_id === undefined ? "application" : "session",
      phase: "reconciling",
      surface: "diagnostics",
      persistence: "diagnostics_log",
    },
    { diagnosticId: fact.event_id, ...payload },
  )
}
