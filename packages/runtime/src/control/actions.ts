import type { Action, CommandInput, CommandResult, SessionState } from "@factum/facts"
import { accept, type Decision, type Draft, type Given, type Refused, reject } from "../decision.ts"
import { modeAfter } from "../policy/grants.ts"
import { actionScope, permissionFor, permissionScope, settleAction, versionOf } from "./calls.ts"
import { moveTo } from "./loop.ts"

type Respond = CommandInput<"respond_action">

/** Answers an open action, once. */
export function respondAction(
  command: Respond,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"respond_action">> {
  const { action_id, decision } = command
  const action = state.entities.actions[action_id]
  if (action?.request === undefined) return unknownAction(command, given)
  const refused = settled(action) ?? late(action, given) ?? wrongAnswer(command, action, given)
  if (refused !== undefined) return refused
  return accept({ action_id, status: "resolved", decision }, answered(command, action, state))
}

function unknownAction({ action_id, session_id }: Respond, given: Given): Refused {
  const place = given.place(action_id)
  if (place?.kind === "action" && session_id !== undefined && place.session_id !== session_id) {
    const message = `${action_id} does not belong to the session that was named.`
    return reject("scope_mismatch", message, { field: "action_id", id: action_id })
  }
  return reject("not_found", `No action ${action_id} is known.`, { field: "action_id", id: action_id })
}

function settled({ action_id, status, resolution }: Action): Refused | undefined {
  if (status !== "resolved") return undefined
  const more = { field: "action_id", id: action_id, state: resolution?.reason ?? "resolved" }
  if (resolution?.reason === "expired")
    return reject("action_expired", "The time for an answer is over.", more)
  const message =
    resolution?.reason === "cancelled" ? "The work that asked has ended." : "It was answered before."
  return reject("already_resolved", message, more)
}

/** The runtime may not have written yet that the time is over; an answer comes too late all the same. */
function late({ action_id, request }: Action, given: Given): Refused | undefined {
  if (request?.deadline === undefined || given.now() < Date.parse(request.deadline)) return undefined
  return reject("action_expired", "The time for an answer is over.", { field: "action_id", id: action_id })
}

function wrongAnswer(command: Respond, action: Action, given: Given): Refused | undefined {
  const { decision, payload } = command
  const { decided_by, decisions = [], answer_schema } = action.request ?? {}
  if (decided_by !== "human") {
    const message = `This waits for the ${decided_by}, not for a person.`
    return reject("wrong_state", message, { field: "action_id", id: action.action_id })
  }
  if (!decisions.some(({ id }) => id === decision)) {
    const fix = `Choose ${decisions.map(({ id }) => id).join(", ")}.`
    return reject("invalid_input", `${decision} was not offered.`, { field: "decision", fix })
  }
  if (decisions.find(({ id }) => id === decision)?.effect === "deny") return undefined
  if (action.request?.action_type === "credential_request") return wrongCredential(command, action, given)
  if (answer_schema === undefined) return undefined
  const problem = given.fits(answer_schema, payload ?? {})
  if (problem === undefined) return undefined
  const field = problem.path === "" ? "payload" : `payload.${problem.path}`
  return reject("invalid_input", problem.message, { field, fix: "Give what the action asks for." })
}

/** A secret is no part of a command: it goes to the credentials first, and its ref comes here. */
function wrongCredential(
  { payload, payload_ref, session_id, note }: Respond,
  action: Action,
  given: Given,
): Refused | undefined {
  const fix = "Send the value to POST /v1/credentials and answer with the ref that it gives as payload_ref."
  const wrong = (field: string, message: string) => reject("invalid_input", message, { field, fix })
  if (payload !== undefined) return wrong("payload", "A credential is not sent in an answer.")
  if (note !== undefined) return wrong("note", "A credential is given without a note, which would be kept.")
  const gift = payload_ref === undefined ? undefined : given.credential(payload_ref.uri)
  if (gift === undefined) return wrong("payload_ref", "It names no credential that is kept here.")
  const place = given.place(action.action_id)
  const homes = [place?.session_id ?? session_id, place?.parent_session_id]
  if (!homes.includes(gift.session_id) || gift.name !== action.request?.policy_scope)
    return wrong("payload_ref", "That credential was given for something else.")
  return undefined
}

function answered(command: Respond, action: Action, state: SessionState): Draft[] {
  const { decision, payload, payload_ref, note } = command
  const scope = actionScope(state, action)
  const decider = { kind: "human" as const }
  const facts: Draft[] = [
    {
      type: "action.resolved",
      ...scope,
      payload: {
        reason: "answered",
        decision,
        decider,
        ...(payload === undefined ? {} : { answer: payload }),
        ...(payload_ref === undefined ? {} : { answer_ref: payload_ref }),
        ...(note === undefined ? {} : { note }),
      },
    },
  ]
  const request = permissionFor(state, action)
  if (request !== undefined) {
    const chosen = action.request?.decisions.find(({ id }) => id === decision)
    facts.push({
      type: "permission.resolved",
      ...permissionScope(state, action),
      payload: {
        request_id: request.request_id,
        outcome: chosen?.effect === "allow" ? "allowed" : "denied",
        decider,
        ...(note === undefined ? {} : { reason: note }),
        policy_version: versionOf(state, request),
      },
    })
  }
  return [...facts, ...changedPolicy(command, action, state), ...onward(state, [action])]
}

/** What a person grants changes what is allowed from now on; decisions already taken stay as they were. */
function changedPolicy({ decision }: Respond, action: Action, state: SessionState): Draft[] {
  const { request, turn_id = "", action_id } = action
  if (request?.decisions.find(({ id }) => id === decision)?.effect !== "allow") return []
  const catalog = state.entities.catalogs[turn_id]
  const { session_id } = actionScope(state, action)
  const old_version = catalog?.policy_version ?? "unknown"
  const common = { old_version, new_version: `${old_version}+${action_id}`, source: "human" }
  if (request.action_type === "permission_grant" && request.grant !== undefined) {
    const { scope, expires_at = "never" } = request.grant
    const changes = [`added allow ${scope} (session) until ${expires_at}`]
    return [{ type: "policy.changed", session_id, payload: { ...common, changes } }]
  }
  const planned = request.action_type === "plan_decision" || request.action_type === "teammate_plan_decision"
  if (!planned || catalog?.mode !== "plan") return []
  const mode = { old: "plan", new: modeAfter(decision) }
  return [{ type: "policy.changed", session_id, payload: { ...common, mode, changes: [] } }]
}

/** The run moves on when nobody is waited for beside these, which are all of one turn. */
export function onward(state: SessionState, settled: readonly Action[]): Draft[] {
  const [action] = settled
  const turn_id = action?.turn_id
  if (action === undefined || turn_id === undefined) return []
  const ids = new Set(settled.map(({ action_id }) => action_id))
  const others = Object.values(state.entities.actions).some(
    (other) => other.turn_id === turn_id && other.status === "pending" && !ids.has(other.action_id),
  )
  if (others) return []
  const facts = moveTo(state, turn_id, "running", "Going on", "")
  const thread = state.entities.threads[action.thread_id ?? ""]
  if (thread?.status !== "waiting" && thread?.status !== "blocked") return facts
  const { session_id } = actionScope(state, action)
  const payload = {
    status: "active",
    previous: thread.status,
    active_turn_id: turn_id,
    reason: "answered",
  } as const
  return [...facts, { type: "thread.updated", session_id, thread_id: thread.thread_id, payload }]
}

/** Actions whose time is over, as facts; and when the next one's will be. */
export function expiries(state: SessionState, now: number): { facts: Draft[]; next?: number } {
  const open = Object.values(state.entities.actions).flatMap((action) => {
    // A child's action has its owner in the child's session, and runs out of time there.
    const own = action.status === "pending" && action.subagent_id === undefined
    const deadline = own ? action.request?.deadline : undefined
    return deadline === undefined ? [] : [{ action, at: Date.parse(deadline) }]
  })
  const over = open.filter(({ at }) => at <= now).map(({ action }) => action)
  const facts = [...Map.groupBy(over, ({ turn_id }) => turn_id).values()].flatMap((actions) => [
    ...actions.flatMap((action) => settleAction(state, action, "expired", "Nobody answered in time.")),
    ...onward(state, actions),
  ])
  const later = open.filter(({ at }) => at > now).map(({ at }) => at)
  return later.length === 0 ? { facts } : { facts, next: Math.min(...later) }
}
