import type { CommandInput, CommandResult, QueuedTurn, SessionState } from "@factum/facts"
import { accept, type Decision, type Draft, type Given, reject } from "../decision.ts"
import { misplaced, queueOf } from "./thread-view.ts"

type Target = CommandInput<"remove_queued_turn">

export function removeQueuedTurn(
  command: Target,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"remove_queued_turn">> {
  const found = locate(command, state, given)
  if ("ok" in found) return found
  const { order, policy, entry } = found
  if (entry === undefined) return accept({ status: "no_op", order: ids(order) })
  const rest = order.filter((one) => one !== entry)
  const { session_id, thread_id, queued_turn_id } = command
  const facts: Draft[] = [
    {
      type: "queue.changed",
      session_id,
      thread_id,
      payload: { change: "removed", queued_turn_id, order: rest, policy },
    },
    {
      type: "turn.failed",
      session_id,
      thread_id,
      turn_id: entry.turn_id,
      payload: {
        status: "cancelled",
        category: "interrupted",
        reason: "Removed from the queue.",
        by: "user",
      },
    },
  ]
  return accept({ status: "removed", order: ids(rest) }, facts)
}

export function promoteQueuedTurn(
  command: Target,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"promote_queued_turn">> {
  const found = locate(command, state, given)
  if ("ok" in found) return found
  const { order, policy, entry } = found
  if (entry === undefined) {
    const { queued_turn_id: id } = command
    return reject("wrong_state", `${id} was removed from the queue.`, { id, state: "cancelled" })
  }
  if (order[0] === entry) return accept({ status: "no_op", order: ids(order) })
  const promoted = [entry, ...order.filter((one) => one !== entry)]
  const { session_id, thread_id, queued_turn_id } = command
  const payload = { change: "promoted" as const, queued_turn_id, order: promoted, policy }
  return accept({ status: "promoted", order: ids(promoted) }, [
    { type: "queue.changed", session_id, thread_id, payload },
  ])
}

/** The entry, or nothing for one that was removed; a started one is refused. */
function locate(command: Target, state: SessionState, given: Given) {
  const { session_id, thread_id, queued_turn_id: id } = command
  const wrong =
    misplaced(given, thread_id, "thread_id", { session_id }) ??
    misplaced(given, id, "queued_turn_id", { session_id, thread_id })
  if (wrong !== undefined) return wrong
  const { order, policy, left } = queueOf(state, thread_id)
  const entry = order.find((one) => one.queued_turn_id === id)
  if (entry === undefined && left[id] !== "removed") {
    return reject("wrong_state", `${id} has left the queue.`, { id, state: left[id] ?? "unknown" })
  }
  return { order, policy, entry }
}

const ids = (order: readonly QueuedTurn[]): string[] => order.map((entry) => entry.queued_turn_id)
