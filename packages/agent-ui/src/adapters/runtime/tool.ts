import type { Envelope, ToolEvent } from "@factum/facts"
import { given, known } from "./given.ts"
import { answerMessage, event, type Place, preview, type Translations, uri, uris } from "./place.ts"

export const toolFrames: Translations<ToolEvent> = {
  "tool.catalog.resolved": (fact) => {
    const { mode, policy_version } = fact.payload
    return [
      event(
        "permission.changed",
        fact,
        {
          owner: "policy",
          scope: "session",
          phase: "preparing",
          surface: "team_policy",
          persistence: "snapshot",
        },
        { subject: { kind: "session", id: fact.session_id }, mode, policyVersion: policy_version },
      ),
    ]
  },
  "tool.started": (fact) => {
    const { tool, owner, effect, input, input_ref } = fact.payload
    return [
      event("tool.started", fact, called(fact), {
        toolName: tool,
        source: owner,
        sideEffect: effect,
        stepId: fact.step_id,
        ...given({ input: preview(input), inputRef: uri(input_ref) }),
      }),
    ]
  },
  "tool.args": (fact) => {
    const args = fact.payload
    if (!args.final) return [event("tool.args", fact, called(fact), { delta: args.chunk })]
    const input = preview(args.preview)
    return [
      event("tool.args", fact, called(fact), {
        ...given({ input, inputRef: uri(args.input_ref) }),
        complete: true,
      }),
    ]
  },
  "tool.progress": (fact) => {
    const { attempt, note, done, total, output, output_ref } = fact.payload
    return [
      event(
        "tool.progress",
        fact,
        called(fact),
        given({
          note,
          attempt,
          done: known(done),
          total: known(total),
          preview: preview(output),
          outputRef: uri(output_ref),
        }),
      ),
    ]
  },
  "tool.result": (fact) => {
    const { output_refs, duration_ms } = fact.payload
    return [
      event("tool.result", fact, called(fact, "completed"), {
        ...given({
          preview: preview(fact.payload.preview),
          outputRef: uri(output_refs[0]),
          durationMs: known(duration_ms),
        }),
        outputRefs: uris(output_refs),
      }),
    ]
  },
  "tool.failed": (fact) => {
    const { category, message, next, output_refs = [], duration_ms } = fact.payload
    const cancelled = category === "interrupted"
    return [
      event("tool.failed", fact, called(fact, cancelled ? "cancelled" : "failed"), {
        category,
        message,
        status: cancelled ? "cancelled" : category === "outcome_unknown" ? "unknown" : "failed",
        ...given({
          next,
          cancelled: cancelled || undefined,
          denied: denials.has(category) || undefined,
          preview: preview(fact.payload.preview),
          outputRef: uri(output_refs[0]),
          durationMs: known(duration_ms),
        }),
      }),
    ]
  },
}

const denials: ReadonlySet<string> = new Set(["permission_denied", "hook_blocked"])

/** A call stands in its turn's answer, between the texts before and after it. */
export function called(fact: Envelope, phase: Place["phase"] = "acting"): Place {
  return {
    owner: "tool",
    scope: "tool_call",
    phase,
    surface: "tool_ui",
    persistence: "archive",
    ...given({
      messageId: fact.turn_id === undefined ? undefined : answerMessage(fact.turn_id),
      partId: fact.tool_call_id,
    }),
  }
}
