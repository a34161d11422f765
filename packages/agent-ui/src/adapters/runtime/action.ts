import type { ActionEvent, ActionRequest } from "@factum/facts"
import type { ActionRequiredPayload } from "../../events/index.ts"
import { given } from "./given.ts"
import { event, type Place, preview, type Translations } from "./place.ts"

/** A request, and where it was made. */
type Asked = {
  payload: ActionRequest
  session_id?: string | undefined
  thread_id?: string | undefined
  subagent_id?: string | undefined
  tool_call_id?: string | undefined
}

export const actionFrames: Translations<ActionEvent> = {
  "action.required": (fact) => [event("action.required", fact, asked(fact), request(fact))],
  "action.resolved": (fact) => {
    const { reason, decision, decider, note } = fact.payload
    return [
      event(
        "action.resolved",
        fact,
        { ...hitl, phase: reason === "answered" ? "acting" : "cancelled" },
        {
          // Nobody decided when it was cancelled or expired: neither is an answer.
          decision: reason === "answered" ? decision : reason,
          decidedBy: decider.id ?? decider.kind,
          ...given({ reason: note }),
        },
      ),
    ]
  },
}

const hitl = {
  owner: "action",
  scope: "action_request",
  surface: "hitl",
  persistence: "snapshot",
} as const

const agents: ReadonlySet<string> = new Set(["agent", "subagent", "teammate"])

/** Who asked: a child or teammate is named on the card, whoever carries the question. */
export function asked(fact: Asked): Place {
  const { kind, id } = fact.payload.requester
  const agentId = kind === "agent" ? fact.subagent_id : (agents.has(kind) && id) || fact.subagent_id
  return { ...hitl, phase: "waiting", ...given({ agentId }) }
}

export function request(fact: Asked): ActionRequiredPayload {
  const { payload } = fact
  const { requester, decisions, decided_by, subject_refs = [], tool, risk, policy_scope } = payload
  const input = preview(payload.safe_input)
  const subject = subject_refs.find((ref) => ref.kind === "artifact")
  const diff = subject_refs.find((ref) => ref.kind === "blob" || ref.kind === "output")
  const isPlan = payload.action_type === "plan_decision" || payload.action_type === "teammate_plan_decision"
  return {
    actionType: payload.action_type,
    title: payload.title,
    requestedBy: given({
      agentId: agents.has(requester.kind) ? (requester.id ?? fact.subagent_id) : undefined,
      agentName: requester.name ?? (agents.has(requester.kind) ? undefined : requester.kind),
      ...sessionOf(fact),
    }),
    respondTo: sessionOf(fact),
    options: decisions.map(({ id, label, effect }) => ({ id, label, ...given({ description: effect }) })),
    ...given({
      summary: payload.detail,
      toolName: tool,
      toolCallId: fact.tool_call_id,
      input,
      scope: payload.grant?.scope,
      risk,
      policyScope: policy_scope,
      schema: payload.answer_schema,
      plan: isPlan && input !== undefined ? { text: input.text } : undefined,
      artifactId: subject?.uri,
      diffRef: diff?.uri,
      expiresAt: payload.deadline,
      blockedReason: decided_by === "human" ? undefined : `decided_by_${decided_by}`,
    }),
  }
}

const sessionOf = (fact: Asked) => given({ sessionId: fact.session_id, threadId: fact.thread_id })
