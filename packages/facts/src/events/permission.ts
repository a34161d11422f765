import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Text, Time } from "../known.ts"
import { late } from "../late.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"
import { Decider } from "./action.ts"

const on = { version: 1, scope: "session", optional: ["step_id", "tool_call_id", "action_id"] } as const

export const verdicts = ["allow", "ask", "deny"] as const
export const Verdict = z.enum(verdicts)
export type Verdict = z.infer<typeof Verdict>
export const PermissionSource = z.enum(["mode", "rule", "hook", "classifier", "host", "human"])

/** Exactly what was judged: other arguments have another digest and are judged anew. */
export const Operation = z.object({
  kind: z.enum(["tool", "process", "action", "file", "network", "subagent"]),
  name: Text,
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  summary: Preview,
  input_ref: Ref.optional(),
  process_id: Id.optional(),
})
export type Operation = z.infer<typeof Operation>

export const PermissionEvaluated = defineEvent("permission.evaluated", {
  ...on,
  doc: "An operation was judged; the explanation alone reproduces the verdict.",
  payload: z.object({
    evaluation_id: Id,
    operation: Operation,
    sources: z
      .array(
        z.object({
          source: PermissionSource,
          /** `none` is silence, `error` a broken or late source; neither ever allows. */
          verdict: z.enum([...verdicts, "none", "error"]),
          rule: Text,
          detail: z.string().optional(),
        }),
      )
      .min(1),
    winner: z.object({ source: PermissionSource, rule: Text }),
    verdict: Verdict,
    policy_version: Text,
  }),
})

export const PermissionRequested = defineEvent("permission.requested", {
  ...on,
  doc: "The verdict was ask: an authority has to decide.",
  payload: z.object({
    request_id: Id,
    evaluation_id: Id,
    operation: Operation,
    waits_for: z.enum(["human", "policy", "host"]),
    deadline: Time.optional(),
  }),
})

export const PermissionResolved = defineEvent("permission.resolved", {
  ...on,
  doc: "An open request was decided, cancelled or expired; it never lifts a deny.",
  payload: z.object({
    request_id: Id,
    outcome: z.enum(["allowed", "denied", "cancelled", "expired"]),
    decider: Decider,
    reason: z.string().optional(),
    policy_version: Text,
    grant: z.object({ scope: Text, expires_at: Time.optional() }).optional(),
  }),
})

export const permissionEvents = [PermissionEvaluated, PermissionRequested, PermissionResolved] as const
export type PermissionEvent = EventOf<(typeof permissionEvents)[number]>
type Of<T extends PermissionEvent["type"]> = Extract<PermissionEvent, { type: T }>

export type Evaluation = {
  evaluation_id: string
  verdict: Verdict | "unknown"
  explained?: Of<"permission.evaluated">["payload"]
  thread_id?: string | undefined
  turn_id?: string | undefined
  tool_call_id?: string | undefined
  at?: string
}

export const evaluation = fold<Evaluation, Of<"permission.evaluated">>(
  { evaluation_id: "", verdict: "unknown" },
  {
    // A decision once recorded is never rewritten.
    "permission.evaluated": (s, e) => {
      if (s.evaluation_id !== "") return s
      const { evaluation_id, verdict } = e.payload
      const { thread_id, turn_id, tool_call_id, timestamp } = e
      return { evaluation_id, verdict, explained: e.payload, thread_id, turn_id, tool_call_id, at: timestamp }
    },
  },
)

export type PermissionRequest = {
  request_id: string
  status: "unknown" | "pending" | "allowed" | "denied" | "cancelled" | "expired"
  asked?: Of<"permission.requested">["payload"]
  decided?: Of<"permission.resolved">["payload"]
  thread_id?: string | undefined
  turn_id?: string | undefined
  tool_call_id?: string | undefined
  action_id?: string | undefined
  late: number
}
export const requestSettled = (request: PermissionRequest): boolean =>
  request.status !== "unknown" && request.status !== "pending"

function placed(e: PermissionEvent) {
  const { thread_id, turn_id, tool_call_id, action_id } = e
  return { thread_id, turn_id, tool_call_id, action_id }
}

export const permissionRequest = fold<PermissionRequest, Of<"permission.requested" | "permission.resolved">>(
  { request_id: "", status: "unknown", late: 0 },
  {
    "permission.requested": (s, e) =>
      s.status !== "unknown"
        ? late(s)
        : { ...s, ...placed(e), request_id: e.payload.request_id, status: "pending", asked: e.payload },
    "permission.resolved": (s, e) =>
      requestSettled(s)
        ? late(s)
        : {
            ...(s.status === "unknown" ? { ...s, ...placed(e) } : s),
            request_id: e.payload.request_id,
            status: e.payload.outcome,
            decided: e.payload,
          },
  },
)

export const evaluations = family(evaluation, (e) => e.payload.evaluation_id, {
  ended: () => true,
  keep: 256,
})
export const permissionRequests = family(permissionRequest, (e) => e.payload.request_id, {
  ended: requestSettled,
})
