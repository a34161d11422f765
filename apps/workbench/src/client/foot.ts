import type { TurnView } from "./project.ts"
import { type StateWord, stateWord } from "./status.ts"
import { ended } from "./turns.ts"

/** The last line of a turn: what it does now, or how it ended. */
export type TurnFoot =
  | {
      kind: "live"
      state: StateWord
      title?: string
      detail?: string
      fallback: "sending" | "starting" | "working"
    }
  | {
      kind: "ended"
      state: StateWord
      unsent: boolean
      category?: string
      reason?: string
      next?: string
      seconds?: string
    }

export function turnFoot(turn: TurnView): TurnFoot {
  if (turn.status === "unsent" || ended(turn)) return endedFoot(turn)
  const { run, status } = turn
  const fallback = status === "sending" ? "sending" : status === "accepted" ? "starting" : "working"
  const live = { kind: "live", state: stateWord(run?.phase ?? status), fallback } as const
  if (run === undefined) return live
  return { ...live, title: run.title, ...(run.detail === "" ? {} : { detail: run.detail }) }
}

function endedFoot(turn: TurnView): TurnFoot {
  const { outcome, status } = turn
  const unsent = status === "unsent"
  const foot: TurnFoot = { kind: "ended", state: stateWord(status), unsent }
  if (outcome !== undefined && !unsent) foot.category = outcome.category
  if (outcome !== undefined) foot.reason = outcome.reason
  if (outcome?.next !== undefined) foot.next = outcome.next
  const seconds = secondsOf(turn)
  if (seconds !== undefined) foot.seconds = seconds
  return foot
}

function secondsOf({ started_at, ended_at }: TurnView): string | undefined {
  if (started_at === undefined || ended_at === undefined) return undefined
  const seconds = (Date.parse(ended_at) - Date.parse(started_at)) / 1000
  return seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)
}
