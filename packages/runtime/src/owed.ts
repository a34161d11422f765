import { type SessionState, type Subagent, subagentClosed, turnEnded } from "@factum/facts"
import { activeTurn } from "./control/thread-view.ts"

/** What the state asks of the world. */
export type Work =
  | { kind: "turn"; key: string; turn_id: string }
  /** A summary that was begun and has no end. */
  | { kind: "compaction"; key: string; thread_id: string }
  /** A process that the log does not know the end of. */
  | { kind: "process"; key: string; process_id: string }
  /** A child whose parent's turn is over. */
  | { kind: "subagent"; key: string; subagent_id: string }

/** The same function answers after every append and after a crash: there is no second recovery path. */
export function owed(state: SessionState): Work[] {
  const turns = Object.keys(state.entities.threads).flatMap((thread_id): Work[] => {
    const turn = activeTurn(state, thread_id)
    if (turn === undefined || turnEnded(turn)) return []
    return [{ kind: "turn", key: turn.turn_id, turn_id: turn.turn_id }]
  })
  const processes = Object.values(state.entities.processes)
    .filter(({ status }) => status === "running")
    .map(({ process_id }): Work => ({ kind: "process", key: process_id, process_id }))
  const children = Object.values(state.entities.subagents)
    .filter((child) => child.spawned !== undefined && !subagentClosed(child) && isOver(state, child))
    .map(({ subagent_id }): Work => ({ kind: "subagent", key: subagent_id, subagent_id }))
  const compactions = Object.values(state.entities.contexts).flatMap(({ thread_id, compacting }): Work[] =>
    compacting === undefined ? [] : [{ kind: "compaction", key: compacting, thread_id }],
  )
  return [...processes, ...children, ...compactions, ...turns]
}

function isOver({ entities }: SessionState, { parent }: Subagent): boolean {
  const turn = entities.turns[parent.turn_id]
  return turn === undefined || turnEnded(turn)
}
