import type { InputPartView } from "../events/index.ts"
import type { AgentUiState } from "../state.ts"

export type InputView = InputPartView & {
  /** What to call it: the owner's word for it, or that none is known. */
  shown: string | "unknown"
}

/** What a person gave with a message, in the person's order. */
export function inputViews(state: AgentUiState, messageId: string): InputView[] {
  return (state.messages.get(messageId)?.inputs ?? []).map((part) => ({ ...part, shown: nameOf(part) }))
}

function nameOf(part: InputPartView): string {
  if (part.kind === "text") return part.text
  if (part.kind === "business") return part.resolved === false ? "unknown" : (part.label ?? "unknown")
  if (part.kind === "capability") return part.label ?? "unknown"
  return part.name ?? "unknown"
}
