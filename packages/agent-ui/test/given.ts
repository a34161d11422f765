import { type AgentUiState, emptyState, type MessagePart, readText, reduce } from "../src/index.ts"

export type Loose = { type: string; payload?: Record<string, unknown> } & Record<string, unknown>

/** The state after these events, one batch, from nothing. */
export const given = (...events: readonly unknown[]): AgentUiState => reduce(emptyState(), events)
export const after = (state: AgentUiState, ...events: readonly unknown[]): AgentUiState =>
  reduce(state, events)

export const codes = (state: AgentUiState) => [...state.findings].map(({ code }) => code)

/** Events of one run in one session, numbered by their places. */
export const inRun = (...events: readonly Loose[]) =>
  events.map((event, at) => ({ sessionId: "s1", runId: "r1", ...event, sequence: at + 1 }))

export const framesOf = (events: readonly Loose[], stream = "s1") =>
  events.map((event, at) => ({ stream, sequence: at + 1, events: [event] }))

export function partsOf(state: AgentUiState, messageId = "m1"): readonly MessagePart[] {
  return state.messages.get(messageId)?.parts ?? []
}

/** The texts of a message's parts, in their order. */
export const textsOf = (state: AgentUiState, messageId = "m1") =>
  partsOf(state, messageId).flatMap((part) => (part.kind === "text" ? [readText(part.text)] : []))

export const markersOf = (state: AgentUiState, messageId = "m1") =>
  partsOf(state, messageId).flatMap((part) => (part.kind === "text" ? [part.marker] : []))

export const delta = (text: string, more: Record<string, unknown> = {}): Loose => ({
  type: "text.delta",
  sessionId: "s1",
  runId: "r1",
  messageId: "m1",
  payload: { delta: text },
  ...more,
})
export const final = (text: string | undefined, more: Record<string, unknown> = {}): Loose => ({
  type: "text.final",
  sessionId: "s1",
  runId: "r1",
  messageId: "m1",
  payload: text === undefined ? {} : { text },
  ...more,
})
export const tool = (
  step: string,
  payload: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Loose => ({
  type: `tool.${step}`,
  sessionId: "s1",
  runId: "r1",
  toolCallId: "t1",
  payload,
  ...more,
})
export const run = (
  step: string,
  payload: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Loose => ({
  type: `run.${step}`,
  sessionId: "s1",
  runId: "r1",
  payload,
  ...more,
})
