import { open, report, supply, track } from "../draft.ts"
import type { Reducers } from "./index.ts"
import { joinRun } from "./run.ts"

export const actionReducers: Reducers<"action.required" | "action.resolved"> = {
  "action.required": (draft, payload) => {
    const actionId = draft.event.actionId ?? ""
    const isNew = !draft.state.actions.has(actionId)
    const action = open(draft, "actions", actionId, (base) => ({
      ...base,
      actionId,
      actionType: "unknown",
      state: "pending" as const,
    }))
    // Who asks and where the answer goes may not be emptied by a repeat.
    supply(action, payload)
    const toolCallId = payload.toolCallId ?? draft.event.toolCallId
    if (toolCallId !== undefined) action.toolCallId = toolCallId
    if (isNew) {
      joinRun(draft)
      track(draft, "action", actionId)
    }
  },
  "action.resolved": (draft, payload) => {
    const actionId = draft.event.actionId ?? ""
    if (draft.state.actions.get(actionId)?.state === "resolved")
      return report(draft, "late_terminal", "The action was resolved before.", actionId)
    const action = open(draft, "actions", actionId, (base) => ({
      ...base,
      actionId,
      actionType: "unknown",
      state: "pending" as const,
    }))
    action.state = "resolved"
    action.resolution = { ...payload }
    if (draft.event.timestamp !== undefined) action.resolution.at = draft.event.timestamp
    delete action.error
  },
}
