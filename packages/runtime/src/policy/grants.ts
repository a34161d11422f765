import type { Action, SessionState } from "@factum/facts"
import { policyOfTurn } from "./turn-mode.ts"
import type { Mode, Policy, Rule } from "./types.ts"

export const scopeText = (tool: string, match?: string): string =>
  match === undefined ? tool : `${tool}(${match})`

/**
 * The policy of a turn with what people have granted in the session: leave for a while, and the way out of plan mode.
 * Both only add an allow, which never beats an ask or a deny of anybody.
 */
export function policyIn(usual: Policy, state: SessionState, turn_id: string, now: number): Policy {
  const policy = policyOfTurn(usual, state, turn_id)
  const allowed = Object.values(state.entities.actions).filter(isAllowed)
  const grants = [...allowed.flatMap(grantOf), ...decidedGrants(state)].filter((grant) => !isOver(grant, now))
  const plan = policy.mode === "plan" ? allowed.findLast((action) => endsPlan(action, turn_id)) : undefined
  if (grants.length === 0 && plan === undefined) return policy
  const by = [...grants.map(({ id }) => id), ...(plan === undefined ? [] : [plan.action_id])]
  return {
    version: [policy.version, ...by].join("+"),
    mode: plan === undefined ? policy.mode : modeAfter(plan.resolution?.decision),
    rules: [...policy.rules, ...grants.flatMap(ruleOf)],
  }
}

function isAllowed({ request, resolution, subagent_id }: Action): boolean {
  // What was granted to a child holds in the child's session; its parent only sees it.
  if (subagent_id !== undefined) return false
  if (resolution?.reason !== "answered" || request?.decided_by !== "human") return false
  return request.decisions.some(({ id, effect }) => id === resolution.decision && effect === "allow")
}

type Grant = { id: string; scope: string; expires_at?: string | undefined }

function grantOf({ request, action_id: id }: Action): Grant[] {
  if (request?.action_type !== "permission_grant" || request.grant === undefined) return []
  return [{ id, ...request.grant }]
}

/** What a policy or host granted beside its decision on a request. */
function decidedGrants(state: SessionState): Grant[] {
  return Object.values(state.entities.permissionRequests).flatMap(({ request_id: id, status, decided }) =>
    status === "allowed" && decided?.grant !== undefined ? [{ id, ...decided.grant }] : [],
  )
}

/** Leave without an end is none. */
const isOver = ({ expires_at }: Grant, now: number): boolean =>
  expires_at === undefined || Date.parse(expires_at) <= now

const planTypes: ReadonlySet<string> = new Set(["plan_decision", "teammate_plan_decision"])
/** The next turn is planned anew. */
const endsPlan = ({ request, turn_id }: Action, turn: string): boolean =>
  turn_id === turn && planTypes.has(request?.action_type ?? "")

export const modeAfter = (decision: string | undefined): Mode =>
  decision === "approve_edits" ? "accept_edits" : "ask"

function ruleOf({ scope, id }: Grant): Rule[] {
  const [, tool, match] = /^([^()]+)(?:\((.*)\))?$/s.exec(scope) ?? []
  if (tool === undefined || tool.includes("*")) return []
  const rule = { effect: "allow", layer: "session", tool, note: `granted in ${id}` } as const
  return [match === undefined ? rule : { ...rule, match }]
}
