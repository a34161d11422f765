import { type AgentUiState, emptyState, readText, reduce } from "@factum/agent-ui"
import { type EventLine, shown, type Trace } from "./read.ts"
import type { Fault, Seen } from "./report.ts"

/** What the checklist of Agent UI looks at: the events, the projection, and the words of the answers. */
export type Shown = { events: readonly EventLine[]; state: AgentUiState; answers: readonly string[] }

export function projected(trace: Trace): Shown {
  const { inputs, events } = shown(trace)
  const state = reduce(emptyState(), inputs)
  const answers = [...state.messages.values()]
    .filter(({ role }) => role === "assistant")
    .map(({ parts }) =>
      parts.flatMap((part) => (part.kind === "text" ? [readText(part.text)] : [])).join("\n"),
    )
  return { events, state, answers }
}

export const of = ({ events }: Shown, ...types: string[]) =>
  events.filter(({ event }) => types.includes(event.type))
export const fault = ({ line, event }: EventLine, reason: string): Fault => ({
  line,
  event: event.type,
  reason,
})
export const exercised = (count: number, faults: readonly Fault[]): Seen =>
  count === 0 ? "not_exercised" : faults
