import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Details, SequenceRange, Text, Time } from "../known.ts"
import { late } from "../late.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"

export const actionTypes = [
  "tool_approval",
  "plan_decision",
  "teammate_plan_decision",
  "structured_input",
  "clarification",
  "permission_grant",
  "delegated_permission",
  "credential_request",
  "artifact_review",
] as const
export const ActionType = z.enum(actionTypes)

const on = {
  version: 1,
  scope: "session",
  ids: ["action_id"],
  optional: ["step_id", "tool_call_id"],
} as const
export const Decider = z.object({
  kind: z.enum(["human", "policy", "host", "runtime"]),
  id: z.string().optional(),
  channel_id: z.string().optional(),
})

export const ActionRequired = defineEvent("action.required", {
  ...on,
  doc: "Work paused for a decision of a person, a policy or a host.",
  payload: z.object({
    action_type: ActionType,
    title: Text,
    detail: z.string().optional(),
    parent: z.object({ kind: z.enum(["turn", "task", "tool_call"]), id: Id }),
    /** Who may decide; a human one goes on only through `respond_action`. */
    decided_by: z.enum(["human", "policy", "host"]),
    decisions: z
      .array(z.object({ id: Text, label: Text, effect: z.enum(["allow", "deny", "neutral"]).optional() }))
      .min(1),
    /** JSON Schema of the structured answer. */
    answer_schema: Details.optional(),
    deadline: Time.optional(),
    requester: z.object({
      kind: z.enum(["agent", "subagent", "teammate", "tool", "policy", "host", "channel"]),
      id: z.string().optional(),
      name: z.string().optional(),
    }),
    request_id: z.string().optional(),
    tool: z.string().optional(),
    risk: z.enum(["low", "medium", "high", "unknown"]).optional(),
    policy_scope: z.string().optional(),
    safe_input: Preview.optional(),
    subject_refs: z.array(Ref).optional(),
    grant: z.object({ scope: Text, expires_at: Time.optional() }).optional(),
  }),
})

export const ActionResolved = defineEvent("action.resolved", {
  ...on,
  doc: "The decision is settled, once; cancelled and expired never count as consent.",
  payload: z.discriminatedUnion("reason", [
    z.object({
      reason: z.literal("answered"),
      decision: Text,
      decider: Decider,
      answer: Details.optional(),
      answer_ref: Ref.optional(),
      note: z.string().optional(),
      supersedes: SequenceRange.optional(),
    }),
    z.object({
      reason: z.enum(["cancelled", "expired"]),
      decision: z.literal("none"),
      decider: Decider,
      note: z.string().optional(),
    }),
  ]),
})

export const actionEvents = [ActionRequired, ActionResolved] as const
export type ActionEvent = EventOf<(typeof actionEvents)[number]>
type Required = Extract<ActionEvent, { type: "action.required" }>
export type ActionRequest = Required["payload"]
type Resolved = Extract<ActionEvent, { type: "action.resolved" }>

export type Action = {
  action_id: string
  status: "unknown" | "pending" | "resolved"
  thread_id?: string | undefined
  turn_id?: string | undefined
  task_id?: string | undefined
  step_id?: string | undefined
  tool_call_id?: string | undefined
  subagent_id?: string | undefined
  request?: ActionRequest
  resolution?: Resolved["payload"]
  required_at?: string
  /** The sequence at which it was first asked for. */
  opened?: number
  resolved_at?: string
  late: number
}

export const actionEnded = (action: Action): boolean => action.status === "resolved"

function placed(e: ActionEvent) {
  const { action_id, thread_id, turn_id, task_id, step_id, tool_call_id, subagent_id } = e
  return { action_id, thread_id, turn_id, task_id, step_id, tool_call_id, subagent_id }
}

export const action = fold<Action, ActionEvent>(
  { action_id: "", status: "unknown", late: 0 },
  {
    // A repeat updates the same open request and never reopens a settled one.
    "action.required": (s, e) =>
      actionEnded(s)
        ? late(s)
        : {
            ...s,
            ...placed(e),
            status: "pending",
            request: e.payload,
            required_at: s.required_at ?? e.timestamp,
            opened: s.opened ?? e.sequence,
          },
    "action.resolved": (s, e) =>
      actionEnded(s)
        ? late(s)
        : {
            ...(s.status === "unknown" ? { ...s, ...placed(e) } : s),
            status: "resolved",
            resolution: e.payload,
            resolved_at: e.timestamp,
          },
  },
)

export const actions = family(action, (e) => e.action_id, { ended: actionEnded, keep: 128 })
