import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { InputPart } from "../input.ts"
import { Text } from "../known.ts"
import { late } from "../late.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"
import { WorkState } from "../status.ts"

/** The scope ids of these facts are the parent's, on every one of them. */
const on = { version: 1, scope: "turn", ids: ["subagent_id"], optional: ["step_id", "tool_call_id"] } as const

export const Isolation = z.object({
  workspace: z.enum(["shared", "worktree", "copy", "none"]),
  sandbox_profile: Text,
  detail: z.string().optional(),
})

export const SubagentSpawned = defineEvent("subagent.spawned", {
  ...on,
  doc: "A child agent got a session and thread of its own, linked to its parent.",
  payload: z.object({
    child_session_id: Id,
    child_thread_id: Id,
    agent: Text,
    objective: Text,
    depth: z.int().min(1),
    parent_subagent_id: Id.optional(),
    isolation: Isolation,
    policy_version: z.string().optional(),
    on_parent_interrupt: z.enum(["end", "detach"]),
    input_ref: Ref.optional(),
  }),
})

export const SubagentStatus = defineEvent("subagent.status", {
  ...on,
  doc: "The state of the child changed, also on resume.",
  payload: z.object({
    status: WorkState.exclude(["paused"]),
    previous: z.union([WorkState, z.enum(["unknown", "idle"])]),
    reason: Text,
    recoverable: z.union([z.boolean(), z.literal("unknown")]),
    recoverable_reason: z.string().optional(),
    waiting_action_id: Id.optional(),
  }),
})

export const SubagentInput = defineEvent("subagent.input", {
  ...on,
  doc: "Input for the child was accepted; a busy child takes it in this order.",
  payload: z.object({ number: z.int().min(1), input: z.array(InputPart).min(1) }),
})

export const SubagentCompleted = defineEvent("subagent.completed", {
  ...on,
  doc: "The child finished a round of work; the parent's work is not thereby done.",
  payload: z.object({ round: z.int().min(1), output_refs: z.array(Ref), preview: Preview.optional() }),
})

export const SubagentFailed = defineEvent("subagent.failed", {
  ...on,
  doc: "A round of work of the child ended without success.",
  payload: z.object({
    round: z.int().min(1),
    status: z.enum(["failed", "cancelled", "timed_out"]),
    category: Text,
    reason: Text,
    recoverable: z.union([z.boolean(), z.literal("unknown")]),
  }),
})

export const SubagentClosed = defineEvent("subagent.closed", {
  ...on,
  doc: "The child is closed, once and last.",
  payload: z.object({
    reason: Text,
    by: z.enum(["parent", "user", "policy", "runtime"]),
    /** How often its calls were carried out. */
    tool_calls: z.int().min(0).optional(),
  }),
})

export const subagentEvents = [
  SubagentSpawned,
  SubagentStatus,
  SubagentInput,
  SubagentCompleted,
  SubagentFailed,
  SubagentClosed,
] as const
export type SubagentEvent = EventOf<(typeof subagentEvents)[number]>
type Spawned = Extract<SubagentEvent, { type: "subagent.spawned" }>

export type Subagent = {
  subagent_id: string
  parent: { session_id: string; thread_id: string; turn_id: string; subagent_id?: string | undefined }
  status: z.infer<typeof WorkState> | "unknown" | "closed"
  spawned?: Spawned["payload"]
  recoverable: boolean | "unknown"
  recoverable_reason?: string | undefined
  waiting_action_id?: string | undefined
  inputs: number
  /** How its last round of work ended. */
  outcome?: "completed" | "failed" | "cancelled" | "timed_out" | undefined
  /** Rounds of work that have their terminal fact. */
  settled: readonly number[]
  output_refs: readonly Ref[]
  preview?: Preview | undefined
  failure?: { category: string; reason: string } | undefined
  updated_at?: string
  late: number
}

const blank: Subagent = {
  subagent_id: "",
  parent: { session_id: "unknown", thread_id: "unknown", turn_id: "unknown" },
  status: "unknown",
  recoverable: "unknown",
  inputs: 0,
  settled: [],
  output_refs: [],
  late: 0,
}
export const subagentClosed = (child: Subagent): boolean => child.status === "closed"

function linked(s: Subagent, e: SubagentEvent): Subagent {
  const { subagent_id, session_id, thread_id, turn_id } = e
  const parent = s.subagent_id === "" ? { session_id, thread_id, turn_id } : s.parent
  return { ...s, subagent_id, parent, updated_at: e.timestamp }
}
const settles = (s: Subagent, round: number): boolean => !subagentClosed(s) && !s.settled.includes(round)

export const subagent = fold<Subagent, SubagentEvent>(blank, {
  "subagent.spawned": (s, e) => {
    if (s.spawned) return late(s)
    const child = linked(s, e)
    const parent = { ...child.parent, subagent_id: e.payload.parent_subagent_id }
    return {
      ...child,
      parent,
      spawned: e.payload,
      status: child.status === "unknown" ? "accepted" : child.status,
    }
  },
  "subagent.status": (s, e) => {
    if (subagentClosed(s)) return late(s)
    const { status, recoverable, recoverable_reason, waiting_action_id } = e.payload
    return { ...linked(s, e), status, recoverable, recoverable_reason, waiting_action_id }
  },
  "subagent.input": (s, e) => (subagentClosed(s) ? late(s) : { ...linked(s, e), inputs: s.inputs + 1 }),
  "subagent.completed": (s, e) => {
    const { round, output_refs, preview } = e.payload
    if (!settles(s, round)) return late(s)
    const settled = [...s.settled, round]
    const outcome = "completed"
    return { ...linked(s, e), status: outcome, outcome, settled, output_refs, preview, failure: undefined }
  },
  "subagent.failed": (s, e) => {
    const { round, status, category, reason, recoverable } = e.payload
    if (!settles(s, round)) return late(s)
    const settled = [...s.settled, round]
    const failure = { category, reason }
    return { ...linked(s, e), status, outcome: status, settled, recoverable, failure }
  },
  "subagent.closed": (s, e) =>
    subagentClosed(s)
      ? late(s)
      : {
          ...linked(s, e),
          status: "closed",
          waiting_action_id: undefined,
        },
})

export const subagents = family(subagent, (e) => e.subagent_id, { ended: subagentClosed, keep: 128 })
