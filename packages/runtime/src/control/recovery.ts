import type { SessionState } from "@factum/facts"
import type { Draft } from "../decision.ts"
import { failCall, isInDoubt, openActions, openCalls } from "./calls.ts"
import { endTurn, failedRequest } from "./loop.ts"
import { openRequests } from "./thread-view.ts"

const restarted = {
  status: "failed",
  category: "runtime_restart",
  reason: "The runtime stopped while this turn was running.",
  next: "What was streamed is kept; send the message again to go on.",
} as const

/**
 * What of a turn was cut off with its process so that nobody can say how it ended: an answer in mid-stream, a call whose
 * effect must not happen twice. A turn without any goes on from the log.
 */
export function inDoubt(state: SessionState, turn_id: string): string[] {
  return [
    ...openRequests(state, turn_id).map(({ request_id }) => request_id),
    ...openCalls(state, turn_id)
      .filter(isInDoubt)
      .map(({ tool_call_id }) => tool_call_id),
  ]
}

/** A turn that waits for a person goes on waiting, without what was lost; any other ends. */
export function recovered(state: SessionState, turn_id: string): Draft[] {
  if (openActions(state, turn_id).length === 0) return endTurn(state, turn_id, restarted)
  const { reason } = restarted
  const requests = openRequests(state, turn_id).flatMap((request) =>
    failedRequest(state, request, { category: "runtime_restart", reason, retryable: false }),
  )
  const calls = openCalls(state, turn_id)
    .filter(isInDoubt)
    .map((call) => {
      const message = "The runtime stopped during this call; whether its effect happened is not known."
      return failCall(state, call, "outcome_unknown", message, "Look before it is done again.")
    })
  return [...requests, ...calls]
}
