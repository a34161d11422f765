import type { InputPart, OutputPart, SessionState } from "@factum/facts"
import type { ModelMessage } from "../ports/model.ts"

/** What the model is told of the thread: its turns in order, without reasoning and without broken-off answers. */
export function transcript(state: SessionState, thread_id: string, turn_id: string): ModelMessage[] {
  const { turns, modelRequests } = state.entities
  const answers = Object.values(modelRequests).filter((request) => request.status === "completed")
  const messages: ModelMessage[] = []
  for (const turn of Object.values(turns)) {
    if (turn.thread_id !== thread_id) continue
    if (turn.turn_id === turn_id) break
    if (turn.status !== "completed") continue
    messages.push({ role: "user", parts: turn.input })
    for (const answer of answers.filter((request) => request.turn_id === turn.turn_id)) {
      messages.push({ role: "assistant", parts: textOf(answer.parts) })
    }
  }
  const input: readonly InputPart[] = turns[turn_id]?.input ?? []
  return [...messages, { role: "user", parts: input }]
}

function textOf(parts: readonly OutputPart[]): string {
  return parts.map((part) => (part.kind === "text" || part.kind === "structured" ? part.text : "")).join("")
}
