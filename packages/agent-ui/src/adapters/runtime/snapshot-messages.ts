import type { SessionSnapshot } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { MessageSnapshot, MessageSnapshotPart } from "../../events/index.ts"
import { given } from "./given.ts"
import { answerMessage, inputMessage, partOf } from "./place.ts"
import { textOf } from "./session.ts"
import { attachment } from "./turn.ts"

type Step = SessionSnapshot["recent"][number]

/** The recent window, under the same message and part ids that the live facts give. */
export function messagesOf(session: SessionSnapshot): AgentUiEvent {
  const { recent, shell, sequence, history_cursor } = session
  return {
    type: "messages.snapshot",
    sessionId: shell.session_id,
    owner: "session",
    scope: "session",
    phase: "hydrating",
    surface: "conversation",
    persistence: "snapshot",
    payload: {
      messages: [...Map.groupBy(recent, ({ turn_id }) => turn_id)].flatMap(([, steps]) => ofTurn(steps)),
      to: sequence,
      purpose: "window",
      ...given({ earlier: history_cursor ?? undefined }),
    },
  }
}

function ofTurn(steps: readonly Step[]): MessageSnapshot[] {
  const turnId = steps[0]?.turn_id ?? ""
  const parts = steps.flatMap(partsOf)
  const asked = steps.find((step) => step.kind === "input")
  const answer: MessageSnapshot[] =
    parts.length === 0
      ? []
      : [{ messageId: answerMessage(turnId), role: "assistant", turnId, runId: turnId, parts }]
  if (asked === undefined) return answer
  const text = textOf(asked.input)
  const inputs = asked.input.flatMap(attachment)
  return [
    {
      messageId: inputMessage(turnId),
      role: "user",
      turnId,
      runId: turnId,
      clientId: turnId,
      parts: text === "" ? [] : [{ partId: "input", kind: "text", text, state: "final" }],
      ...given({
        inputs: inputs.length === 0 ? undefined : inputs,
        timestamp: asked.at === "unknown" ? undefined : asked.at,
      }),
    },
    ...answer,
  ]
}

/** Text and reasoning with their words; a call by its id alone, its output stays where it is. */
function partsOf(step: Step): MessageSnapshotPart[] {
  if (step.kind === "tool") return [{ partId: step.tool_call_id, kind: "tool", ref: step.tool_call_id }]
  if (step.kind !== "output") return []
  const state = step.status === "streaming" || step.status === "requested" ? "streaming" : "final"
  return step.parts.flatMap((part): MessageSnapshotPart[] => {
    if (part.kind === "tool_call") return []
    const kind = part.kind === "reasoning" ? "reasoning" : "text"
    return [{ partId: partOf(step.request_id, part.kind, part.part_id), kind, text: part.text, state }]
  })
}
