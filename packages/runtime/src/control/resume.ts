import {
  type CommandInput,
  type CommandResult,
  resumeToken,
  type SessionState,
  type Turn,
  turnEnded,
} from "@factum/facts"
import { accept, type Decision, type Given, reject } from "../decision.ts"
import { isBudgetQuestion, openActions } from "./calls.ts"
import { activeTurn, misplaced } from "./thread-view.ts"

type Resumed = Decision<CommandResult<"resume_thread">>

/** Takes a stopped thread up again. What waits for a person goes on waiting. */
export function resumeThread(
  { session_id, thread_id, resume_token }: CommandInput<"resume_thread">,
  state: SessionState,
  given: Given,
): Resumed {
  if (state.entities.sessions[session_id] === undefined)
    return reject("not_found", `No session ${session_id} is known.`, { field: "session_id", id: session_id })
  const wrong = misplaced(given, thread_id, "thread_id", { session_id })
  if (wrong !== undefined) return wrong
  const thread = state.entities.threads[thread_id]
  if (resume_token !== undefined && (thread === undefined || resume_token !== resumeToken(thread)))
    return reject("bad_cursor", "The token is false or was used before.", {
      field: "resume_token",
      fix: "Read the thread again for a fresh one, or leave it out.",
    })
  const turn = activeTurn(state, thread_id)
  return turn === undefined ? withoutTurn(state, thread_id) : withTurn(state, session_id, turn)
}

function withTurn(state: SessionState, session_id: string, { turn_id, thread_id }: Turn): Resumed {
  // What a budget asks is asked no more once it was raised.
  const action = openActions(state, turn_id).find((one) => !isBudgetQuestion(one))
  if (action !== undefined) {
    const reason = `A person must decide first: ${action.request?.title ?? action.action_id}`
    return accept({ status: "still_waiting", reason })
  }
  const run = state.entities.runs[turn_id]
  if (run?.phase === "waiting_resource") return accept({ status: "still_waiting", reason: run.detail })
  if (run?.phase !== "blocked") return accept({ status: "no_op", reason: "The thread is running." })
  const previous = state.entities.threads[thread_id]?.status
  if (previous !== "blocked") return accept({ status: "no_op", reason: "It was resumed before." })
  const payload = { status: "active" as const, previous, active_turn_id: turn_id, reason: "resumed" }
  return accept({ status: "resumed", reason: `Tried again after: ${run.detail}` }, [
    { type: "thread.updated", session_id, thread_id, payload },
  ])
}

function withoutTurn(state: SessionState, thread_id: string): Resumed {
  const last = Object.values(state.entities.turns)
    .filter((turn) => turn.thread_id === thread_id && turnEnded(turn))
    .toSorted((a, b) => (a.ended_sequence ?? 0) - (b.ended_sequence ?? 0))
    .at(-1)
  if (last?.failure === undefined)
    return accept({ status: "nothing_to_resume", reason: "Nothing of the thread was left undone." })
  // Taken up again, what it did before its end might happen twice.
  const reason = `Its last turn ended (${last.failure.category}), and a turn that has ended does not go on. Send the message again.`
  return accept({ status: "not_possible", reason })
}
