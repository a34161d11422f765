import { change } from "./draft.ts"
import { draftOf } from "./reduce.ts"
import type { ActionEntity, AgentUiState } from "./state.ts"

/** This client has sent an answer: the action waits for its owner's word, and is not resolved. */
export function markAnswering(state: AgentUiState, actionId: string): AgentUiState {
  return turn(state, actionId, "pending", (action) => {
    action.state = "answering"
    delete action.error
  })
}

/** The answer was refused or lost: the action is open again, and says why. */
export function markUnanswered(state: AgentUiState, actionId: string, error: string): AgentUiState {
  return turn(state, actionId, "answering", (action) => {
    action.state = "pending"
    action.error = error
  })
}

function turn(
  state: AgentUiState,
  actionId: string,
  from: ActionEntity["state"],
  to: (action: ActionEntity) => void,
): AgentUiState {
  if (state.actions.get(actionId)?.state !== from) return state
  return draftOf(state, (draft) => {
    const action = change(draft, "actions", actionId)
    if (action) to(action)
  })
}
