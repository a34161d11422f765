import { type RuntimeEvent, type SessionState, type ToolCall, type Turn, turnEnded } from "@factum/facts"
import { accept, type Decision, type Given, reject } from "../decision.ts"
import { compactingIn } from "./compaction.ts"
import { misplaced } from "./thread-view.ts"

type Completed = Extract<RuntimeEvent, { type: "history.rollback.completed" }>["payload"]
export type NotUndone = Completed["not_undone"][number]

export type RollBack = {
  session_id: string
  thread_id: string
  /** The last turn that stays; without it none does. */
  turn_id?: string | undefined
  reason: string
}

export type RolledBack = {
  rollback_id: string
  boundary: Completed["boundary"]
  /** The turns that left the read model. */
  turn_ids: string[]
  not_undone: NotUndone[]
}

/** Moves the thread back to the end of a turn. Nothing leaves the log, and nothing outside is undone. */
export function rollBack(
  command: RollBack,
  state: SessionState,
  given: Given,
  /** The state of a child's session. */
  child: (session_id: string) => SessionState,
): Decision<RolledBack> {
  const { session_id, thread_id, turn_id, reason } = command
  if (state.entities.sessions[session_id] === undefined)
    return reject("not_found", `No session ${session_id} is known.`, { field: "session_id", id: session_id })
  const wrong =
    misplaced(given, thread_id, "thread_id", { session_id }) ??
    (turn_id === undefined ? undefined : misplaced(given, turn_id, "turn_id", { session_id, thread_id }))
  if (wrong !== undefined) return wrong
  const stays = turn_id === undefined ? undefined : state.entities.turns[turn_id]
  if (turn_id !== undefined && (stays === undefined || !turnEnded(stays))) {
    const message =
      stays === undefined ? `${turn_id} is no longer in the read model.` : `${turn_id} has not ended.`
    return reject("wrong_state", message, {
      field: "turn_id",
      id: turn_id,
      state: stays?.status ?? "unknown",
    })
  }
  const sequence = stays?.ended_sequence ?? 0
  const leaving = Object.values(state.entities.turns).filter(
    (turn) => turn.thread_id === thread_id && (turn.ended_sequence ?? state.sequence + 1) > sequence,
  )
  const busy = leaving.find((turn) => !turnEnded(turn))
  if (busy !== undefined)
    return reject("wrong_state", `${busy.turn_id} has not ended.`, {
      id: busy.turn_id,
      state: busy.status,
      fix: "Interrupt it, or take it out of the queue, then roll back.",
    })
  if (compactingIn(state, thread_id) !== undefined)
    return reject("wrong_state", "The thread is being summed up.", {
      state: "compacting",
      fix: "Try again soon.",
    })
  if (leaving.length === 0)
    return reject("wrong_state", "Nothing came after that turn.", { field: "turn_id", state: "idle" })

  const rollback_id = given.id("rollback")
  const boundary = { sequence, ...(turn_id === undefined ? {} : { turn_id }) }
  const not_undone = effectsOf(state, leaving, child)
  const place = { session_id, thread_id }
  const left = { from: sequence + 1, to: state.sequence }
  return accept({ rollback_id, boundary, turn_ids: leaving.map((turn) => turn.turn_id), not_undone }, [
    { type: "history.rollback.started", ...place, payload: { rollback_id, boundary, reason, by: "user" } },
    { type: "history.rollback.completed", ...place, payload: { rollback_id, boundary, left, not_undone } },
  ])
}

/** What the turns did to the world, or may have done, and what those to whom they handed work did. */
function effectsOf(
  state: SessionState,
  turns: readonly Turn[],
  child: (session_id: string) => SessionState,
): NotUndone[] {
  const ids = new Set(turns.map(({ turn_id }) => turn_id))
  const { toolCalls, processes, subagents } = state.entities
  const calls = Object.values(toolCalls)
    .filter((call) => ids.has(call.turn_id) && call.effect !== "none" && call.progress?.attempt !== undefined)
    .toSorted((a, b) => a.opened - b.opened)
    .map(effectOf)
  const running = Object.values(processes)
    .filter(({ turn_id, status }) => ids.has(turn_id ?? "") && status === "running")
    .map(({ process_id }) => ({ kind: "process", detail: `${process_id} is still running.` }))
  const handedOut = Object.values(subagents)
    .filter(({ parent }) => ids.has(parent.turn_id))
    .flatMap(({ spawned }) => {
      if (spawned === undefined) return []
      const theirs = child(spawned.child_session_id)
      const effects = effectsOf(theirs, Object.values(theirs.entities.turns), child)
      return effects.map((effect) => ({ ...effect, detail: `${spawned.agent}: ${effect.detail}` }))
    })
  return [...calls, ...running, ...handedOut]
}

const longest = 400

function effectOf(call: ToolCall): NotUndone {
  const { tool, tool_call_id, status, failure, input, output_refs } = call
  const ref = output_refs.find(({ kind }) => kind !== "record")
  const what = input === undefined ? tool : `${tool} ${input.text.slice(0, longest)}`
  const how = status === "done" ? "" : ` (${failure?.category ?? status}; it may have had its effect)`
  return {
    kind: kinds[tool] ?? "external",
    detail: `${what}${how}`,
    tool_call_id,
    ...(ref === undefined ? {} : { ref }),
  }
}

/** What the tools of the runtime's own do; of any other it is only known that it was outside. */
const kinds: Readonly<Record<string, string>> = {
  write_file: "file",
  edit_file: "file",
  write_artifact: "artifact",
  shell: "command",
  process_start: "process",
  process_input: "process",
  process_stop: "process",
}
