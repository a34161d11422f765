import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { family } from "../state.ts"
import { type ModelEvent, type OutputPart, Supersedes } from "./model.ts"

export const ReasoningDelta = defineEvent("reasoning.delta", {
  version: 1,
  doc: "A chunk of reasoning or planning that the provider exposes. It never becomes part of the answer.",
  scope: "turn",
  ids: ["step_id"],
  payload: z.object({ request_id: z.string(), part_id: z.string(), text: z.string() }),
})

export const ReasoningSummary = defineEvent("reasoning.summary", {
  version: 1,
  doc: "The provider or the runtime gave a summary of the reasoning.",
  scope: "turn",
  ids: ["step_id"],
  payload: z.object({
    request_id: z.string(),
    part_id: z.string(),
    text: z.string(),
    by: z.enum(["provider", "runtime"]),
    supersedes: Supersedes.optional(),
  }),
})

export const reasoningEvents = [ReasoningDelta, ReasoningSummary] as const
export type ReasoningEvent = EventOf<(typeof reasoningEvents)[number]>

/** One provider call with its ordered output. Reasoning streams through the same call, hence one entity. */
export type ModelRequest = {
  request_id: string
  turn_id: string
  step_id: string
  status: "unknown" | "requested" | "streaming" | "completed" | "failed"
  provider: string
  model: string
  parts: readonly OutputPart[]
  corrected: readonly string[]
  partial: boolean
  first_delta?: number
  last_delta?: number
  failure?: { category: string; reason: string; retryable: boolean }
  late: number
}

const blank: ModelRequest = {
  request_id: "",
  turn_id: "",
  step_id: "",
  status: "unknown",
  provider: "unknown",
  model: "unknown",
  parts: [],
  corrected: [],
  partial: false,
  late: 0,
}

export const requestEnded = (request: ModelRequest): boolean =>
  request.status === "completed" || request.status === "failed"
const late = (s: ModelRequest): ModelRequest => ({ ...s, late: s.late + 1 })

export const modelRequest = fold<ModelRequest, ModelEvent | ReasoningEvent>(blank, {
  "model.requested": (_, e) => ({
    ...blank,
    request_id: e.payload.request_id,
    turn_id: e.turn_id,
    step_id: e.step_id,
    status: "requested",
    provider: e.payload.provider,
    model: e.payload.model,
  }),
  "model.delta": (s, e) => {
    const { kind, part_id, text } = e.payload
    if (kind !== "tool_call") return extended(s, e.sequence, { kind, part_id, text })
    const call = { call_id: e.payload.call_id ?? part_id, tool: e.payload.tool ?? "unknown" }
    return extended(s, e.sequence, { kind, part_id, ...call, arguments: text })
  },
  "reasoning.delta": (s, e) =>
    extended(s, e.sequence, { kind: "reasoning", part_id: e.payload.part_id, text: e.payload.text }),
  "reasoning.summary": (s, e) => {
    if (requestEnded(s)) return late(s)
    const { part_id, text } = e.payload
    const summary: OutputPart = { kind: "reasoning", part_id, text }
    const known = s.parts.some((part) => part.part_id === part_id)
    const parts = known ? s.parts.map((p) => (p.part_id === part_id ? summary : p)) : [...s.parts, summary]
    return { ...s, parts }
  },
  "model.completed": (s, e) =>
    requestEnded(s)
      ? late(s)
      : { ...s, status: "completed", parts: e.payload.parts, corrected: e.payload.corrected, partial: false },
  "model.failed": (s, e) => {
    if (requestEnded(s)) return late(s)
    const { category, reason, retryable, parts } = e.payload
    return {
      ...s,
      status: "failed",
      parts,
      partial: parts.length > 0,
      failure: { category, reason, retryable },
    }
  },
})

function extended(s: ModelRequest, sequence: number, chunk: OutputPart): ModelRequest {
  if (requestEnded(s)) return late(s)
  const seen = { status: "streaming", first_delta: s.first_delta ?? sequence, last_delta: sequence } as const
  const at = s.parts.findIndex((part) => part.part_id === chunk.part_id)
  const before = s.parts[at]
  if (before === undefined) return { ...s, ...seen, parts: [...s.parts, chunk] }
  return { ...s, ...seen, parts: s.parts.with(at, joined(before, chunk)) }
}

function joined(before: OutputPart, chunk: OutputPart): OutputPart {
  if (before.kind === "tool_call" && chunk.kind === "tool_call") {
    return { ...before, arguments: before.arguments + chunk.arguments }
  }
  if (before.kind !== "tool_call" && chunk.kind !== "tool_call")
    return { ...before, text: before.text + chunk.text }
  return before
}

export const modelRequests = family(modelRequest, (e) => e.payload.request_id, {
  ended: requestEnded,
  keep: 32,
})
