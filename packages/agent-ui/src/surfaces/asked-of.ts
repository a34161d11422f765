import type { QueuedTurn } from "../events/index.ts"
import type { AgentUiState, MessageEntity } from "../state.ts"

/** What a person wrote that a run works on, or that waits for its turn. */
export const askedOf = (state: AgentUiState, runId = ""): MessageEntity | undefined =>
  state.runs
    .get(runId)
    ?.messageIds.map((id) => state.messages.get(id))
    .find((message) => message?.role === "user")

const longest = 200

/** The beginning of what was asked. */
export function titleOfRun(state: AgentUiState, runId: string | undefined): string | undefined {
  const parts = askedOf(state, runId)?.parts ?? []
  const text = parts.flatMap((part) => (part.kind === "text" ? part.text.blocks : [])).join("")
  return text.slice(0, longest) || undefined
}

/** A turn that waits, with its text. */
export function withText(state: AgentUiState, turn: QueuedTurn): QueuedTurn {
  const preview = turn.preview ?? titleOfRun(state, turn.turnId)
  return preview === undefined ? turn : { ...turn, preview }
}
