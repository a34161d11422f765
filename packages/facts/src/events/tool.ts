import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { FailureCategory } from "../failure.ts"
import { Count, Details, SequenceRange, Text } from "../known.ts"
import { late } from "../late.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"
import type { TurnCompleted, TurnFailed } from "./turn.ts"

const onCall = { version: 1, scope: "turn", ids: ["step_id", "tool_call_id"] } as const

/** What a second execution would do; it decides what happens to an open call after a crash. */
export const ToolEffect = z.enum(["none", "repeatable", "keyed", "once"])
export type ToolEffect = z.infer<typeof ToolEffect>

export const CatalogTool = z.object({
  name: Text,
  description: z.string().optional(),
  owner: z.string().optional(),
  effect: ToolEffect.optional(),
  input_schema: Details.optional(),
  input_schema_ref: Ref.optional(),
  available: z.boolean(),
  /** Why it is withheld, when it is. */
  reason: z.string().optional(),
})
export type CatalogTool = z.infer<typeof CatalogTool>

export const ToolCatalogResolved = defineEvent("tool.catalog.resolved", {
  version: 1,
  doc: "The tools of this turn were chosen; a turn without tools has an empty list.",
  scope: "turn",
  payload: z.object({
    caller: Text,
    policy_version: Text,
    mode: Text,
    context: z.string().optional(),
    tools: z.array(CatalogTool),
  }),
})

export const ToolStarted = defineEvent("tool.started", {
  ...onCall,
  doc: "A call was opened; it may still be judged and denied.",
  payload: z.object({
    tool: Text,
    owner: z.string(),
    effect: ToolEffect,
    /** Makes a keyed call safe to send again. */
    key: z.string().optional(),
    /** Which request proposed it, and the name that it has there. */
    cause: z.object({ request_id: z.string(), call_id: z.string() }).optional(),
    input_ref: Ref.optional(),
    input: Preview.optional(),
  }),
})

export const ToolArgs = defineEvent("tool.args", {
  ...onCall,
  doc: "A piece of the input, or the final input that replaces all pieces.",
  payload: z.discriminatedUnion("final", [
    z.object({ final: z.literal(false), chunk: z.string() }),
    z.object({
      final: z.literal(true),
      input_ref: Ref,
      preview: Preview,
      supersedes: SequenceRange.optional(),
    }),
  ]),
})

export const ToolProgress = defineEvent("tool.progress", {
  ...onCall,
  doc: "The tool reported progress or part of its output.",
  payload: z.object({
    /** From here on the effect may have happened: the number of this execution, recorded before it begins. */
    attempt: z.int().min(1).optional(),
    note: z.string().optional(),
    done: Count.optional(),
    total: Count.optional(),
    output: Preview.optional(),
    output_ref: Ref.optional(),
  }),
})

export const ToolResult = defineEvent("tool.result", {
  ...onCall,
  doc: "The tool returned. This does not mean that the turn succeeded.",
  payload: z.object({
    output_refs: z.array(Ref).min(1),
    preview: Preview,
    /** The structured result, when there is a small one; conditions are asked of it and never of the text. */
    data: Details.optional(),
    duration_ms: Count,
    supersedes: SequenceRange.optional(),
  }),
})

export const ToolFailed = defineEvent("tool.failed", {
  ...onCall,
  doc: "The call ended without a result; a denied call ends here too.",
  payload: z.object({
    category: FailureCategory,
    message: Text,
    /** What can be done now. */
    next: z.string().optional(),
    output_refs: z.array(Ref).optional(),
    preview: Preview.optional(),
    duration_ms: Count.optional(),
    supersedes: SequenceRange.optional(),
  }),
})

export const toolEvents = [
  ToolCatalogResolved,
  ToolStarted,
  ToolArgs,
  ToolProgress,
  ToolResult,
  ToolFailed,
] as const
export type ToolEvent = EventOf<(typeof toolEvents)[number]>
type Of<T extends ToolEvent["type"]> = Extract<ToolEvent, { type: T }>

export type ToolCall = {
  tool_call_id: string
  step_id: string
  turn_id: string
  thread_id: string
  status: "unknown" | "running" | "done" | "failed"
  /** The sequence of its first fact; steps of a turn stand in this order. */
  opened: number
  tool: string
  owner: string
  effect: ToolEffect | "unknown"
  key?: string | undefined
  cause?: { request_id: string; call_id: string } | undefined
  /** Pieces joined until the final input arrives. */
  partial_args: string
  input_ref?: Ref | undefined
  input?: Preview | undefined
  progress?: Of<"tool.progress">["payload"]
  output_refs: readonly Ref[]
  preview?: Preview | undefined
  data?: Readonly<Record<string, unknown>> | undefined
  failure?: { category: FailureCategory; message: string; next?: string | undefined }
  started_at?: string
  ended_at?: string
  late: number
}

const blank: ToolCall = {
  tool_call_id: "",
  step_id: "",
  turn_id: "",
  thread_id: "",
  status: "unknown",
  opened: 0,
  tool: "unknown",
  owner: "unknown",
  effect: "unknown",
  partial_args: "",
  output_refs: [],
  late: 0,
}
export const toolCallEnded = (call: ToolCall): boolean => call.status === "done" || call.status === "failed"

function named(s: ToolCall, e: Exclude<ToolEvent, { type: "tool.catalog.resolved" }>): ToolCall {
  if (s.opened > 0) return s
  const { tool_call_id, step_id, turn_id, thread_id, sequence } = e
  return { ...s, tool_call_id, step_id, turn_id, thread_id, opened: sequence }
}

export const toolCall = fold<ToolCall, Exclude<ToolEvent, { type: "tool.catalog.resolved" }>>(blank, {
  "tool.started": (s, e) =>
    s.status !== "unknown"
      ? late(s)
      : { ...named(s, e), ...e.payload, status: "running", started_at: e.timestamp },
  "tool.args": (s, e) => {
    if (toolCallEnded(s)) return late(s)
    if (!e.payload.final) return { ...named(s, e), partial_args: s.partial_args + e.payload.chunk }
    return { ...named(s, e), partial_args: "", input_ref: e.payload.input_ref, input: e.payload.preview }
  },
  "tool.progress": (s, e) =>
    toolCallEnded(s) ? late(s) : { ...named(s, e), progress: { ...s.progress, ...e.payload } },
  "tool.result": (s, e) =>
    toolCallEnded(s)
      ? late(s)
      : {
          ...named(s, e),
          status: "done",
          output_refs: e.payload.output_refs,
          preview: e.payload.preview,
          ...(e.payload.data === undefined ? {} : { data: e.payload.data }),
          ended_at: e.timestamp,
        },
  "tool.failed": (s, e) => {
    if (toolCallEnded(s)) return late(s)
    const { category, message, next, output_refs = [], preview } = e.payload
    const failure = { category, message, next }
    return { ...named(s, e), status: "failed", failure, output_refs, preview, ended_at: e.timestamp }
  },
})

type TurnEnds = EventOf<typeof TurnCompleted | typeof TurnFailed>

export type Catalog = Of<"tool.catalog.resolved">["payload"] & {
  turn_id: string
  thread_id: string
  /** Its turn is over. */
  ended?: true
}

const turnOver = (s: Catalog): Catalog => (s.turn_id === "" ? s : { ...s, ended: true })

export const catalog = fold<Catalog, Of<"tool.catalog.resolved"> | TurnEnds>(
  { turn_id: "", thread_id: "", caller: "unknown", policy_version: "unknown", mode: "unknown", tools: [] },
  {
    // The catalog of a running turn never changes.
    "tool.catalog.resolved": (s, e) =>
      s.turn_id === "" ? { ...e.payload, turn_id: e.turn_id, thread_id: e.thread_id } : s,
    "turn.completed": turnOver,
    "turn.failed": turnOver,
  },
)

export const toolCalls = family(toolCall, (e) => e.tool_call_id, { ended: toolCallEnded, keep: 512 })
export const catalogs = family(catalog, (e) => e.turn_id, { ended: (s) => s.ended === true, keep: 8 })
