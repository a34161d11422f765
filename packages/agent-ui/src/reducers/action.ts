import { type Draft, open, reportEnded, supply, track } from "../draft.ts"
import type { AgentUiEnvelope } from "../envelope.ts"
import { given } from "../given.ts"
import type { ActionEntity } from "../state.ts"
import type { Reducers } from "./index.ts"
import { joinRun } from "./run.ts"

/** The action of the event, with what the event says of it. */
function tell(draft: Draft, yields: boolean, say?: (action: ActionEntity) => void): ActionEntity {
  const actionId = draft.event.actionId ?? ""
  const known = draft.state.actions.get(actionId)
  const led = known && yields ? { ...known, origin: { ...known.origin } } : undefined
  const action = open(draft, "actions", actionId, (base) => ({
    ...base,
    actionId,
    actionType: "unknown",
    state: "pending" as const,
  }))
  say?.(action)
  if (led) Object.assign(action, led, { origin: Object.assign(action.origin, led.origin) })
  return action
}

/** A request of a child is told by its parent too: the copy that names the child speaks for it, whichever comes first. */
function isLed({ state, event }: Draft): boolean {
  const known = state.actions.get(event.actionId ?? "")?.origin
  if (known?.sessionId === undefined || event.sessionId === undefined) return false
  return known.sessionId !== event.sessionId && rank(known) < rank(event)
}
const rank = ({ agentId, sessionId }: ActionEntity["origin"] | AgentUiEnvelope) =>
  `${agentId === undefined} ${sessionId}`

export const actionReducers: Reducers<"action.required" | "action.resolved"> = {
  "action.required": (draft, payload) => {
    const { actionId = "", toolCallId = payload.toolCallId } = draft.event
    // Who asks and where the answer goes may not be emptied by a repeat.
    const action = tell(draft, isLed(draft), (action) => {
      supply(action, payload)
      if (toolCallId !== undefined) action.toolCallId = payload.toolCallId ?? toolCallId
    })
    const run = joinRun(draft)
    track(draft, "action", actionId)
    // Nobody waits for an answer in a run that is over.
    if (run?.ended && action.state === "pending") action.state = "ended"
  },
  "action.resolved": (draft, payload) => {
    const { actionId = "", sessionId, timestamp } = draft.event
    const known = draft.state.actions.get(actionId)
    const leader = known?.origin.sessionId ?? sessionId
    if (known?.state === "resolved") {
      if (sessionId !== leader) return
      if (known.resolvedIn === sessionId) return reportEnded(draft, actionId)
    }
    const action = tell(draft, sessionId !== leader)
    action.state = "resolved"
    action.resolution = { ...payload, ...given({ at: timestamp }) }
    Object.assign(action, given({ resolvedIn: sessionId }))
    delete action.error
  },
}
