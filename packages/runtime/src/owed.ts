import { type SessionState, turnEnded } from "@factum/facts"
import { activeTurn } from "./control/thread-view.ts"

/** What the state asks of the world. `begun` work has left its mark in the log already. */
export type Work = { kind: "turn"; key: string; turn_id: string; begun: boolean }

/** The same function answers after every append and after a crash: there is no second recovery path. */
export function owed(state: SessionState): Work[] {
  return Object.keys(state.entities.threads).flatMap((thread_id) => {
    const turn = activeTurn(state, thread_id)
    if (turn === undefined || turnEnded(turn)) return []
    return [
      { kind: "turn" as const, key: turn.turn_id, turn_id: turn.turn_id, begun: turn.status !== "accepted" },
    ]
  })
}
