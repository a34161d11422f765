import type { FactOf } from "@factum/client"
import type { ActionView, TurnView } from "./conversation.ts"

type ActionFact = FactOf<"action.required" | "action.resolved">

export function applyAction(turn: TurnView, fact: ActionFact): TurnView {
  const id = fact.action_id
  const isKnown = turn.actions.some((action) => action.action_id === id)
  const actions = withAction(turn.actions, fact)
  return isKnown ? { ...turn, actions } : { ...turn, actions, steps: [...turn.steps, { kind: "action", id }] }
}

/** A repeated request updates the open one; nothing reopens or overturns a settled one. */
export function withAction(actions: readonly ActionView[], fact: ActionFact): readonly ActionView[] {
  const { action_id, tool_call_id } = fact
  const at = actions.findIndex((action) => action.action_id === action_id)
  const before = actions[at] ?? { action_id, ...(tool_call_id !== undefined && { tool_call_id }) }
  if (before.resolution !== undefined) return actions
  const after: ActionView =
    fact.type === "action.required"
      ? { ...before, request: fact.payload, required_at: before.required_at ?? fact.timestamp }
      : { ...before, resolution: fact.payload, resolved_at: fact.timestamp }
  return at < 0 ? [...actions, after] : actions.with(at, after)
}
