import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Count, Names, Text } from "../known.ts"
import { late } from "../late.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"

const on = { version: 1, scope: "session", optional: ["step_id", "tool_call_id", "action_id"] } as const
/** A hook without a declared policy is closed. */
const run = { hook_run_id: Id, hook: Text, failure_policy: z.enum(["open", "closed"]) }

export const HookStarted = defineEvent("hook.started", {
  ...on,
  doc: "A hook was called at its point, in a fixed order.",
  payload: z.object({
    ...run,
    point: Text,
    order: z.int().min(0),
    input: Preview,
    input_ref: Ref.optional(),
  }),
})

export const HookCompleted = defineEvent("hook.completed", {
  ...on,
  doc: "The hook returned; it acts only through this result.",
  payload: z.object({
    ...run,
    verdict: z.enum(["allow", "ask", "deny", "none"]),
    output: Preview,
    output_ref: Ref.optional(),
    /** A rewrite shows the original and the new input. */
    rewrite: z.object({ original_ref: Ref, new_ref: Ref }).optional(),
    duration_ms: Count,
  }),
})

export const HookFailed = defineEvent("hook.failed", {
  ...on,
  doc: "The hook threw, hung or returned nonsense; its failure policy decides what follows.",
  payload: z.object({
    ...run,
    cause: z.enum(["threw", "timed_out", "malformed", "interrupted"]),
    message: Text,
    effect: z.enum(["blocked", "continued"]),
    output: Preview.optional(),
    duration_ms: Count,
  }),
})

export const PolicyChanged = defineEvent("policy.changed", {
  version: 1,
  doc: "Rules or mode changed; decisions already taken stay as they were.",
  scope: "runtime",
  payload: z.object({
    old_version: Text,
    new_version: Text,
    mode: z.object({ old: Text, new: Text }).optional(),
    changes: Names,
    source: Text,
  }),
})

export const hookEvents = [HookStarted, HookCompleted, HookFailed, PolicyChanged] as const
export type HookEvent = EventOf<(typeof hookEvents)[number]>
type Run = Exclude<HookEvent, { type: "policy.changed" }>
type Of<T extends HookEvent["type"]> = Extract<HookEvent, { type: T }>

export type HookRun = {
  hook_run_id: string
  status: "unknown" | "running" | "completed" | "failed"
  hook: string
  point?: string
  failure_policy: "open" | "closed"
  verdict?: Of<"hook.completed">["payload"]["verdict"]
  rewrite?: Of<"hook.completed">["payload"]["rewrite"]
  failure?: { cause: string; message: string; effect: "blocked" | "continued" }
  duration_ms: Count
  thread_id?: string | undefined
  turn_id?: string | undefined
  tool_call_id?: string | undefined
  late: number
}
const blank: HookRun = {
  hook_run_id: "",
  status: "unknown",
  hook: "unknown",
  failure_policy: "closed",
  duration_ms: "unknown",
  late: 0,
}
export const hookEnded = (hook: HookRun): boolean => hook.status === "completed" || hook.status === "failed"

function identified(s: HookRun, e: Run): HookRun {
  const { hook_run_id, hook, failure_policy } = e.payload
  const { thread_id, turn_id, tool_call_id } = e
  return { ...s, hook_run_id, hook, failure_policy, thread_id, turn_id, tool_call_id }
}

export const hookRun = fold<HookRun, Run>(blank, {
  "hook.started": (s, e) =>
    s.status === "unknown" ? { ...identified(s, e), status: "running", point: e.payload.point } : late(s),
  "hook.completed": (s, e) => {
    if (hookEnded(s)) return late(s)
    const { verdict, rewrite, duration_ms } = e.payload
    return { ...identified(s, e), status: "completed", verdict, rewrite, duration_ms }
  },
  "hook.failed": (s, e) => {
    if (hookEnded(s)) return late(s)
    const { cause, message, effect, duration_ms } = e.payload
    return { ...identified(s, e), status: "failed", failure: { cause, message, effect }, duration_ms }
  },
})

export type Policy = { version: string; mode: string; source: string; changed_at?: string }

export const policy = fold<Policy, Of<"policy.changed">>(
  { version: "unknown", mode: "unknown", source: "unknown" },
  {
    "policy.changed": (s, e) => ({
      version: e.payload.new_version,
      mode: e.payload.mode?.new ?? s.mode,
      source: e.payload.source,
      changed_at: e.timestamp,
    }),
  },
)

export const hookRuns = family(hookRun, (e) => e.payload.hook_run_id, { ended: hookEnded, keep: 128 })
export const policies = family(policy, (e) => e.session_id ?? "runtime")
