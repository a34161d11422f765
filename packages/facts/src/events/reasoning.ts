import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { late } from "../late.ts"
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

type Completed = Extract<ModelEvent, { type: "model.completed" }>["payload"]

/** One provider call with its ordered output. Reasoning streams through the same call, hence one entity. */
export type ModelRequest = {
  request_id: string
  turn_id: string
  step_id: string
  status: "unknown" | "requested" | "streaming" | "completed" | "failed"
  /** The sequence of its first fact; steps of a turn stand in this order. */
  opened: number
  provider: string
  model: string
  parts: readonly OutputPart[]
  corrected: readonly string[]
  partial: boolean
  /** Why a completed one ended, and what the same model wants to hear again. */
  finish?: Completed["finish"]
  replay_ref?: Completed["replay_ref"]
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
  opened: 0,
  provider: "unknown",
  model: "unknown",
  parts: [],
  corrected: [],
  partial: false,
  late: 0,
}

export const requestEnded = (request: ModelRequest): boolean =>
  request.status === "completed" || request.status === "failed"

function named(s: ModelRequest, e: ModelEvent | ReasoningEvent): ModelRequest {
  if (s.opened > 0) return s
  const { turn_id, step_id, sequence } = e
  return { ...s, request_id: e.payload.request_id, turn_id, step_id, opened: sequence }
}

export const modelRequest = fold<ModelRequest, ModelEvent | ReasoningEvent>(blank, {
  "model.requested": (s, e) => {
    if (s.status !== "unknown") return late(s)
    return { ...named(s, e), status: "requested", provider: e.payload.provider, model: e.payload.model }
  },
  "model.delta": (s, e) => {
    const { kind, part_id, text } = e.payload
    if (kind !== "tool_call") return extended(s, e, { kind, part_id, text })
    const call = { call_id: e.payload.call_id ?? part_id, tool: e.payload.tool ?? "unknown" }
    return extended(s, e, { kind, part_id, ...call, arguments: text })
  },
  "reasoning.delta": (s, e) =>
    extended(s, e, { kind: "reasoning", part_id: e.payload.part_id, text: e.payload.text }),
  "reasoning.summary": (s, e) => {
    if (requestEnded(s)) return late(s)
    const { part_id, text } = e.payload
    const summary: OutputPart = { kind: "reasoning", part_id, text }
    const at = indexOf(s.parts, summary)
    const parts = at < 0 ? [...s.parts, summary] : s.parts.with(at, summary)
    return { ...named(s, e), parts }
  },
  "model.completed": (s, e) =>
    requestEnded(s)
      ? late(s)
      : {
          ...named(s, e),
          status: "completed",
          parts: e.payload.parts,
          corrected: e.payload.corrected,
          finish: e.payload.finish,
          ...(e.payload.replay_ref === undefined ? {} : { replay_ref: e.payload.replay_ref }),
        },
  "model.failed": (s, e) => {
    if (requestEnded(s)) return late(s)
    const { category, reason, retryable, parts } = e.payload
    return {
      ...named(s, e),
      status: "failed",
      parts,
      partial: parts.length > 0,
      failure: { category, reason, retryable },
    }
  },
})

function extended(s: ModelRequest, e: ModelEvent | ReasoningEvent, chunk: OutputPart): ModelRequest {
  if (requestEnded(s)) return late(s)
  const at = indexOf(s.parts, chunk)
  const before = s.parts[at]
  return {
    ...named(s, e),
    status: "streaming",
    first_delta: s.first_delta ?? e.sequence,
    last_delta: e.sequence,
    parts: before === undefined ? [...s.parts, chunk] : s.parts.with(at, joined(before, chunk)),
  }
}

/** Providers number the parts of each kind apart, so text and reasoning may share a part id. */
function indexOf(parts: readonly OutputPart[], { kind, part_id }: OutputPart): number {
  return parts.findIndex((part) => part.kind === kind && part.part_id === part_id)
}

function joined(before: OutputPart, chunk: OutputPart): OutputPart {
  const whole = written(before) + written(chunk)
  return before.kind === "tool_call" ? { ...before, arguments: whole } : { ...before, text: whole }
}
const written = (part: OutputPart): string => (part.kind === "tool_call" ? part.arguments : part.text)

export const modelRequests = family(
  modelRequest,
  (e) => (isOfSummary(e) ? undefined : e.payload.request_id),
  {
    ended: requestEnded,
    keep: 128,
  },
)

const isOfSummary = ({ payload }: ModelEvent | ReasoningEvent): boolean =>
  "compaction_id" in payload && payload.compaction_id !== undefined

/** A request for a summary, which is part of no answer. */
export type SummaryRequest = {
  request_id: string
  compaction_id: string
  thread_id: string
  turn_id: string
  step_id: string
  provider: string
  model: string
  ended: boolean
}
const blankSummary: SummaryRequest = {
  request_id: "",
  compaction_id: "",
  thread_id: "",
  turn_id: "",
  step_id: "",
  provider: "unknown",
  model: "unknown",
  ended: false,
}
type OfSummary = Exclude<ModelEvent, { type: "model.delta" }>
const ended = (s: SummaryRequest): SummaryRequest => (s.request_id === "" ? s : { ...s, ended: true })

export const summaryRequest = fold<SummaryRequest, OfSummary>(blankSummary, {
  "model.requested": (s, e) => {
    const { request_id, compaction_id = "", provider, model } = e.payload
    const { thread_id, turn_id, step_id } = e
    return s.request_id === ""
      ? { request_id, compaction_id, thread_id, turn_id, step_id, provider, model, ended: false }
      : s
  },
  "model.completed": ended,
  "model.failed": ended,
})

export const summaryRequests = family(
  summaryRequest,
  (e) => (isOfSummary(e) ? e.payload.request_id : undefined),
  { ended: (s) => s.ended, keep: 8 },
)
