import { type Action, actionEnded, type SessionState, type Subagent } from "@factum/facts"
import { onward } from "../control/actions.ts"
import type { CallScope } from "../control/calls.ts"
import { actionScope } from "../control/calls.ts"
import type { Draft } from "../decision.ts"
import { delegated, waiting } from "../execution/asking.ts"
import type { Child } from "./link.ts"

/**
 * What the parent's session says about a child that is at work: the state it is in, and what it waits for. An action of
 * the child keeps its id, so that it is one request, wherever it is seen; its owner is the child's session.
 */
export function mirrored(
  parent: SessionState,
  scope: CallScope,
  child: Child,
  agent: string,
  state: SessionState,
): Draft[] {
  const own = Object.values(state.entities.actions)
  const shown = parent.entities.actions
  const asked = own
    .filter((action) => !actionEnded(action) && shown[action.action_id] === undefined)
    .flatMap((action) => required(scope, child, agent, action))
  const settled = own.filter(
    ({ action_id, status }) => status === "resolved" && shown[action_id]?.status === "pending",
  )
  const phase = asked.length === 0 ? [] : waiting(parent, scope, phaseOf(own), `${agent} waits for you`)
  return [
    ...asked,
    ...phase,
    ...settled.flatMap((action) => resolved(parent, action)),
    ...onward(
      parent,
      settled.flatMap(({ action_id }) => shown[action_id] ?? []),
    ),
    ...raises(parent, scope, state),
    ...statusChange(parent.entities.subagents[child.subagent_id], scope, child, state),
  ]
}

/** What a person allowed to the child beyond a budget is allowed to the work that it is part of. */
function raises(
  parent: SessionState,
  { session_id, thread_id, turn_id }: CallScope,
  { entities }: SessionState,
): Draft[] {
  return Object.values(entities.limits).flatMap(({ limit, kind, unit, raised }): Draft[] => {
    const known = parent.entities.limits[limit]
    if (kind === "unknown" || known === undefined) return []
    return raised
      .filter(({ action_id }) => !known.raised.some((one) => one.action_id === action_id))
      .map(({ value, action_id }) => {
        const payload = { limit, kind, unit, old: known.value, new: value, source: "person", action_id }
        return { type: "limit.changed", session_id, thread_id, turn_id, payload }
      })
  })
}

function required(scope: CallScope, child: Child, agent: string, { action_id, request }: Action): Draft[] {
  if (request === undefined) return []
  const { session_id, thread_id, turn_id } = scope
  return [
    {
      type: "action.required",
      session_id,
      thread_id,
      turn_id,
      subagent_id: child.subagent_id,
      action_id,
      payload: {
        ...request,
        action_type: delegated[request.action_type] ?? request.action_type,
        parent: { kind: "tool_call", id: scope.tool_call_id },
        requester: { kind: "subagent", id: child.subagent_id, name: agent },
      },
    },
  ]
}

function resolved(parent: SessionState, { action_id, resolution }: Action): Draft[] {
  const shown = parent.entities.actions[action_id]
  if (shown === undefined || resolution === undefined) return []
  return [{ type: "action.resolved", ...actionScope(parent, shown), payload: resolution }]
}

function phaseOf(actions: readonly Action[]): "waiting_permission" | "waiting_input" {
  const open = actions.filter((action) => !actionEnded(action))
  return open.some(({ request }) => request?.request_id !== undefined)
    ? "waiting_permission"
    : "waiting_input"
}

const told = [
  "running",
  "waiting_input",
  "waiting_permission",
  "waiting_resource",
  "blocked",
  "retrying",
] as const

/** Only where the child is, not every step that it takes. */
function statusChange(
  subagent: Subagent | undefined,
  scope: CallScope,
  child: Child,
  { entities }: SessionState,
): Draft[] {
  const phase = entities.runs[child.turn_id]?.phase
  const now = phase === "streaming" ? "running" : phase
  const status = told.find((one) => one === now)
  if (subagent === undefined || status === undefined || subagent.status === status) return []
  if (subagent.status === "closed") return []
  const open = Object.values(entities.actions).find((action) => !actionEnded(action))
  const payload = {
    status,
    previous: subagent.status,
    reason: entities.runs[child.turn_id]?.title || status,
    recoverable: true,
    ...(open === undefined ? {} : { waiting_action_id: open.action_id }),
  }
  return [{ type: "subagent.status", ...scope, subagent_id: child.subagent_id, payload }]
}
