import { type Action, actionEnded, type SessionState } from "@factum/facts"
import { onward } from "../control/actions.ts"
import { isBudgetQuestion, settleAction } from "../control/calls.ts"
import { type Ending, scopeOf } from "../control/loop.ts"
import { claimPlace, type Draft } from "../decision.ts"
import { parentOf } from "../delegation/link.ts"
import type { Claim } from "../ports/log.ts"
import { type Limit, reasonOf, type Standing, stopped } from "../routing/index.ts"
import { type AllowancePorts, callStop, limitsOf, payerOf, standingsOf } from "./allowance.ts"
import { held } from "./routing-ports.ts"

/** The question of a budget that is used up, the latest of a turn. */
function questionOf(state: SessionState, turn_id: string): Action | undefined {
  return Object.values(state.entities.actions).findLast(
    (action) => action.turn_id === turn_id && isBudgetQuestion(action),
  )
}

/** A budget is used up: the turn stands still, and a person is asked whether it may go on. */
export function budgetHeld(
  state: SessionState,
  turn_id: string,
  { limit, at }: { limit: Limit; at: Standing },
  action_id: string,
): Draft[] {
  const reason = reasonOf(limit, at)
  const choices = ["raise the budget", "go on", "stop"]
  const metadata = { missing: "quota", budget: limit.limit, used: at.used, max: limit.max, choices }
  const told = held(state, turn_id, "blocked", reason, metadata)
  const asked = questionOf(state, turn_id)
  // A budget of nothing has nothing to add; it can only be raised.
  const more = limit.max > 0
  if (asked !== undefined && !actionEnded(asked)) return told
  const next = at.used + limit.max
  const goOn = { id: "go_on", label: "Go on", effect: "neutral" as const }
  const required: Draft = {
    type: "action.required",
    ...scopeOf(state, turn_id),
    action_id,
    payload: {
      action_type: "clarification",
      title: `The budget is used up: ${limit.limit}`,
      detail: more
        ? `${reason} Going on allows as much again, up to ${next} ${limit.unit}. It also goes on when the budget is raised.`
        : `${reason} It goes on when the budget is raised.`,
      parent: { kind: "turn", id: turn_id },
      decided_by: "human",
      decisions: [...(more ? [goOn] : []), { id: "stop", label: "Stop", effect: "neutral" }],
      requester: { kind: "policy", name: limit.limit },
    },
  }
  return [required, ...told]
}

/** Where the question can be answered; of a child also where its parent works. */
export function questionClaims(facts: readonly Draft[], state: SessionState): Claim[] {
  const parent = parentOf(state)
  const within = parent === undefined ? {} : { parent_session_id: parent.session_id }
  return facts.flatMap((fact) => {
    if (fact.type !== "action.required" || fact.payload.requester.kind !== "policy") return []
    const { session_id, thread_id = "", action_id } = fact
    return [claimPlace(action_id, { kind: "action", session_id, thread_id, ...within })]
  })
}

/** What a person's answer to the question comes to; nothing while it is open or once it was heard. */
export function budgetAnswer(
  ports: AllowancePorts,
  state: SessionState,
  turn_id: string,
): { kind: "stop"; ending: Ending } | { kind: "go_on"; facts: Draft[] } | undefined {
  const asked = questionOf(state, turn_id)
  if (asked?.request === undefined) return undefined
  const name = asked.request.requester.name ?? ""
  const limit = limitsOf(ports, state, turn_id).find((one) => one.limit === name)
  if (asked.resolution === undefined) {
    // Raised meanwhile, it need not be answered.
    if (limit !== undefined && standingsOf(ports, state, turn_id)(limit).used >= limit.max) return undefined
    const settled = settleAction(state, asked, "cancelled", "The budget was raised.")
    return { kind: "go_on", facts: [...settled, ...onward(state, [asked])] }
  }
  if (asked.resolution.decision === "stop") {
    const reason = `A person stopped it: the budget ${name} is used up.`
    return { kind: "stop", ending: { status: "cancelled", category: "interrupted", reason, by: "user" } }
  }
  const heard = state.entities.limits[name]?.raised.some(({ action_id }) => action_id === asked.action_id)
  if (asked.resolution.decision !== "go_on" || limit === undefined || heard === true) return undefined
  const { used } = standingsOf(ports, state, turn_id)(limit)
  return { kind: "go_on", facts: [raisedBy(state, turn_id, limit, used, asked.action_id)] }
}

function raisedBy(
  state: SessionState,
  turn_id: string,
  limit: Limit,
  used: number,
  action_id: string,
): Draft {
  const { kind, unit, max, of } = limit
  const payload = {
    limit: limit.limit,
    kind,
    unit,
    old: max,
    new: used + base(state, limit),
    source: "person",
    action_id,
  }
  const scope = scopeOf(state, turn_id)
  const { session_id } = scope
  // A child's own turns stand for the one turn that it works for.
  const whole = of?.turn_id === undefined || payerOf(state, turn_id).session_id !== session_id
  return { type: "limit.changed", ...(whole ? { session_id } : scope), payload }
}

/** As much again is what was configured, however often it was raised. */
function base(state: SessionState, { limit, max }: Limit): number {
  const told = state.entities.limits[limit]?.value
  return typeof told === "number" && told > 0 ? told : max
}

/** What lets no call of the turn be carried out, as facts. */
export function callsHeld(
  ports: AllowancePorts,
  state: SessionState,
  turn_id: string,
  action_id: string,
): Draft[] {
  const stop = callStop(ports, state, turn_id)
  if (stop === undefined) return []
  const facts = budgetHeld(state, turn_id, stop, action_id)
  if (facts.length === 0) return []
  const { type, payload } = stopped(stop.limit, stop.at)
  return [{ type, ...scopeOf(state, turn_id), payload }, ...facts]
}
