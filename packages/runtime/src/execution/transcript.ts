import { type InputPart, type OutputPart, type SessionState, type Turn, turnEnded } from "@factum/facts"
import type { ModelMessage } from "../ports/model.ts"

/** How many ended turns a session remembers at most; with fewer, nothing has been forgotten. */
const remembered = 32

export type Transcript = { messages: readonly ModelMessage[]; turns: number; warnings: readonly string[] }

/** What the model is told of the thread: its answered turns in the order in which they ended, without reasoning. */
export function transcript(state: SessionState, thread_id: string, turn_id: string): Transcript {
  const { turns, modelRequests } = state.entities
  const requests = Object.values(modelRequests).filter((request) => request.status === "completed")
  const answered = Object.values(turns)
    .filter((turn) => turn.thread_id === thread_id && turn.status === "completed")
    .map((turn) => ({ turn, answers: requests.filter((request) => request.turn_id === turn.turn_id) }))
    .filter(({ answers }) => answers.length > 0)
    .sort((a, b) => endOf(a.turn) - endOf(b.turn))
  const messages = answered.flatMap(({ turn, answers }): ModelMessage[] => [
    { role: "user", parts: turn.input },
    ...answers.map(({ parts }) => ({ role: "assistant" as const, parts: textOf(parts) })),
  ])
  const input: readonly InputPart[] = turns[turn_id]?.input ?? []
  const forgotten = Object.values(turns).filter(turnEnded).length >= remembered
  return {
    messages: [...messages, { role: "user", parts: input }],
    turns: answered.length,
    warnings: forgotten
      ? [`Turns before the last ${remembered} of the session are not told to the model.`]
      : [],
  }
}

const endOf = (turn: Turn): number => turn.ended_sequence ?? 0

function textOf(parts: readonly OutputPart[]): string {
  return parts.map((part) => (part.kind === "text" || part.kind === "structured" ? part.text : "")).join("")
}
