import { z } from "zod"
import { defineEvent, type EventOf } from "../define.ts"
import { Ref } from "../refs.ts"

/** The inclusive range of deltas that a final fact replaces; only facts of the same request in it are meant. */
export const Supersedes = z.object({ from: z.int().min(1), to: z.int().min(1) })

/** One ordered piece of a model's output. Tool calls are proposals; whether they run is decided elsewhere. */
export const OutputPart = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), part_id: z.string(), text: z.string() }),
  z.object({ kind: z.literal("structured"), part_id: z.string(), text: z.string() }),
  z.object({ kind: z.literal("reasoning"), part_id: z.string(), text: z.string() }),
  z.object({
    kind: z.literal("tool_call"),
    part_id: z.string(),
    call_id: z.string(),
    tool: z.string(),
    arguments: z.string(),
  }),
])
export type OutputPart = z.infer<typeof OutputPart>

export const Usage = z.object({
  input_tokens: z.union([z.int().min(0), z.literal("unknown")]),
  output_tokens: z.union([z.int().min(0), z.literal("unknown")]),
})

const ofRequest = { version: 1, scope: "turn", ids: ["step_id"] } as const
/**
 * Of a summary: what it is made for. Its parts are no answer to anybody. Made while no turn runs, it belongs to the last
 * one of its thread.
 */
const compaction_id = z.string().optional()

export const ModelRequested = defineEvent("model.requested", {
  ...ofRequest,
  doc: "The provider is about to be called.",
  payload: z.object({
    request_id: z.string(),
    provider: z.string(),
    model: z.string(),
    attempt: z.int().min(1),
    prompt_ref: Ref.optional(),
    compaction_id,
  }),
})

export const ModelDelta = defineEvent("model.delta", {
  version: 1,
  doc: "A chunk of text, structured output or proposed tool call, in the order the provider gave it.",
  scope: "turn",
  ids: ["step_id"],
  payload: z.object({
    request_id: z.string(),
    part_id: z.string(),
    kind: z.enum(["text", "structured", "tool_call"]),
    text: z.string(),
    tool: z.string().optional(),
    call_id: z.string().optional(),
  }),
})

export const ModelCompleted = defineEvent("model.completed", {
  ...ofRequest,
  doc: "The provider finished. Its parts are the truth; a part that differs from the stream replaces it once.",
  payload: z.object({
    request_id: z.string(),
    parts: z.array(OutputPart),
    corrected: z.array(z.string()),
    usage: Usage,
    finish: z.enum(["stop", "length", "tool_calls", "content_filter", "other"]),
    /** What the same model wants to hear again within the turn: signed or sealed reasoning. Nobody else can read it. */
    replay_ref: Ref.optional(),
    supersedes: Supersedes.optional(),
    compaction_id,
  }),
})

export const ModelFailed = defineEvent("model.failed", {
  ...ofRequest,
  doc: "The request ended without a complete output; what was streamed stays, marked as partial.",
  payload: z.object({
    request_id: z.string(),
    category: z.enum([
      "provider_error",
      "rate_limited",
      "cut_stream",
      "malformed",
      "interrupted",
      "runtime_restart",
      "time_limit",
    ]),
    reason: z.string(),
    retryable: z.boolean(),
    parts: z.array(OutputPart),
    supersedes: Supersedes.optional(),
    compaction_id,
  }),
})

export const modelEvents = [ModelRequested, ModelDelta, ModelCompleted, ModelFailed] as const
export type ModelEvent = EventOf<(typeof modelEvents)[number]>
