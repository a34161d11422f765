import {
  type Action,
  actionEnded,
  type FailureCategory,
  type PermissionRequest,
  requestSettled,
  type SessionState,
  type ToolCall,
  toolCallEnded,
} from "@factum/facts"
import type { Draft } from "../decision.ts"
import { scopeOf } from "./loop.ts"

export type CallScope = {
  session_id: string
  thread_id: string
  turn_id: string
  step_id: string
  tool_call_id: string
}

export function callScope(state: SessionState, call: ToolCall): CallScope {
  const { step_id, tool_call_id, turn_id } = call
  return { ...scopeOf(state, turn_id), step_id, tool_call_id }
}

export function openCalls(state: SessionState, turn_id: string): ToolCall[] {
  return Object.values(state.entities.toolCalls).filter(
    (call) => call.turn_id === turn_id && call.status === "running",
  )
}

export function openActions(state: SessionState, turn_id: string): Action[] {
  return Object.values(state.entities.actions).filter(
    (action) => action.turn_id === turn_id && action.status === "pending",
  )
}

export function actionOf(state: SessionState, tool_call_id: string): Action | undefined {
  return Object.values(state.entities.actions).findLast((action) => action.tool_call_id === tool_call_id)
}

export function permissionOf(state: SessionState, tool_call_id: string): PermissionRequest | undefined {
  return Object.values(state.entities.permissionRequests).findLast(
    (request) => request.tool_call_id === tool_call_id,
  )
}

/** Whether the effect may have happened: its beginning is in the log, its end is not. */
export const hasBegun = (call: ToolCall): boolean =>
  !toolCallEnded(call) && call.progress?.attempt !== undefined

/** A call cut off in its effect that must not simply be executed again. */
export const isInDoubt = (call: ToolCall): boolean =>
  hasBegun(call) && (call.effect === "once" || call.effect === "unknown")

export function failCall(
  state: SessionState,
  call: ToolCall,
  category: FailureCategory,
  message: string,
  next?: string,
): Draft {
  const payload = { category, message, ...(next === undefined ? {} : { next }) }
  return { type: "tool.failed", ...callScope(state, call), payload }
}

/** Ends what people were asked for a turn that is over; it never counts as consent. */
export function cancelWaits(state: SessionState, turn_id: string, note: string): Draft[] {
  return openActions(state, turn_id).flatMap((action) => settleAction(state, action, "cancelled", note))
}

/** Resolves an open action without an answer, with the permission request that it carries. */
export function settleAction(
  state: SessionState,
  action: Action,
  reason: "cancelled" | "expired",
  note: string,
): Draft[] {
  const scope = actionScope(state, action)
  const decider = { kind: "runtime" as const }
  const facts: Draft[] = [
    { type: "action.resolved", ...scope, payload: { reason, decision: "none", decider, note } },
  ]
  const request = permissionFor(state, action)
  if (request === undefined) return facts
  const policy_version = versionOf(state, request)
  const payload = { request_id: request.request_id, outcome: reason, decider, reason: note, policy_version }
  return [...facts, { type: "permission.resolved", ...permissionScope(state, action), payload }]
}

export function permissionFor(state: SessionState, action: Action): PermissionRequest | undefined {
  const request = state.entities.permissionRequests[action.request?.request_id ?? ""]
  return request === undefined || requestSettled(request) ? undefined : request
}

export function versionOf(state: SessionState, request: PermissionRequest): string {
  const evaluation = state.entities.evaluations[request.asked?.evaluation_id ?? ""]
  return evaluation?.explained?.policy_version ?? "unknown"
}

export function actionScope(state: SessionState, action: Action) {
  const { action_id, thread_id, turn_id, step_id, tool_call_id } = action
  const session_id = Object.keys(state.entities.sessions)[0] ?? ""
  return {
    session_id,
    action_id,
    ...(thread_id === undefined ? {} : { thread_id }),
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(step_id === undefined ? {} : { step_id }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  }
}

/** Leave is of the call's own step; the question about it is a step beside it. */
export function permissionScope(state: SessionState, action: Action) {
  const call = state.entities.toolCalls[action.tool_call_id ?? ""]
  return { ...actionScope(state, action), ...(call === undefined ? {} : { step_id: call.step_id }) }
}

/** Asked by the runtime itself, when a budget is used up. */
export const isBudgetQuestion = ({ request }: Action): boolean =>
  request?.requester.kind === "policy" && request.parent.kind === "turn"

export const isPending = (action: Action | undefined): boolean => action !== undefined && !actionEnded(action)
