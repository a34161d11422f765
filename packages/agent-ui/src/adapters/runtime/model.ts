import type { ModelEvent, OutputPart, ReasoningEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import { answerMessage, event, type Place, partOf, type Translations } from "./place.ts"

type OfRequest = ModelEvent | ReasoningEvent

export const modelFrames: Translations<OfRequest> = {
  "model.requested": { notShown: "Status, routing and cost tell what the request is about." },
  "model.delta": (fact) => {
    const { kind, text } = fact.payload
    // A proposed call is shown by its own facts, under the id that it gets when it is opened.
    if (kind === "tool_call") return []
    return [event("text.delta", fact, answer(fact, kind, fact.payload.part_id), { delta: text, role })]
  },
  "model.completed": (fact) => {
    const { parts, finish, compaction_id } = fact.payload
    // A summary is said to nobody; that it was made is told by the facts of the compaction.
    if (compaction_id !== undefined) return []
    return parts.flatMap((part) => final(fact, part, finish))
  },
  "model.failed": (fact) => {
    const { parts, category, reason, retryable, compaction_id } = fact.payload
    const said = compaction_id === undefined ? parts : []
    return [
      ...said.flatMap((part) => final(fact, part, category)),
      event(
        "diagnostic.changed",
        fact,
        {
          owner: "diagnostics",
          scope: "run",
          phase: "failed",
          surface: "diagnostics",
          persistence: "diagnostics_log",
        },
        {
          diagnosticId: fact.event_id,
          code: `model.${category}`,
          severity: retryable ? "warning" : "error",
          message: reason,
        },
      ),
    ]
  },
  "reasoning.delta": (fact) => [
    event("reasoning.delta", fact, thought(fact, fact.payload.part_id), {
      delta: fact.payload.text,
      visible: true,
    }),
  ],
  "reasoning.summary": (fact) => [
    event("reasoning.summary", fact, thought(fact, fact.payload.part_id), {
      summary: fact.payload.text,
      visible: true,
    }),
  ],
}

const role = "assistant"

/** The final fact of a part replaces what was streamed of it. */
function final(fact: ModelEvent, part: OutputPart, finish: string): AgentUiEvent[] {
  if (part.kind === "tool_call") return []
  if (part.kind === "reasoning") {
    const place = thought(fact, part.part_id)
    return [event("reasoning.delta", fact, place, { text: part.text, visible: true })]
  }
  return [event("text.final", fact, answer(fact, part.kind, part.part_id), { text: part.text, role, finish })]
}

function answer(fact: OfRequest, kind: string, part_id: string): Place {
  return {
    owner: "model",
    scope: "part",
    phase: "producing",
    surface: "conversation",
    persistence: "transcript",
    messageId: answerMessage(fact.turn_id),
    partId: partOf(fact.payload.request_id, kind, part_id),
  }
}

function thought(fact: OfRequest, part_id: string): Place {
  return {
    ...answer(fact, "reasoning", part_id),
    phase: "reasoning",
    surface: "inline_process",
    persistence: "archive",
  }
}
