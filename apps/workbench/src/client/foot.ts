import { type StateWord, stateWord } from "../ui/status.ts"
import { ended, type Tokens, type TurnView, waitingActions } from "./conversation.ts"

/** The last line of a turn: what it does now, or how it ended. */
export type TurnFoot =
  | {
      kind: "live"
      state: StateWord
      /** The runtime's own words; without them the page says how far the message has come. */
      title?: string
      detail?: string
      stage: "sending" | "starting" | "working"
      /** What people are asked, which is what the turn does whatever else it says. */
      asks?: readonly string[]
      since?: string
    }
  | {
      kind: "ended"
      state: StateWord
      unsent: boolean
      outcome?: { category: string; reason: string; next?: string }
      seconds?: number
      tokens?: Tokens
    }

/** `isStale`: the host is out of reach, so that what it did last is all that is known. */
export function turnFoot(turn: TurnView, isStale = false): TurnFoot {
  if (turn.status === "unsent" || ended(turn)) return endedFoot(turn)
  const { run, status, started_at, submitted_at } = turn
  const stage = status === "sending" ? "sending" : status === "accepted" ? "starting" : "working"
  const isUnknown = isStale && stage !== "sending"
  const waiting = waitingActions(turn)
  const [asked] = waiting
  if (asked !== undefined) {
    const asks = waiting.map(({ request }) => request?.title ?? "")
    const since = isUnknown ? undefined : asked.required_at
    return { kind: "live", state: isUnknown ? "stale" : "needsYou", stage, asks, ...(since && { since }) }
  }
  const since = isUnknown ? undefined : (started_at ?? submitted_at)
  return {
    kind: "live",
    state: isUnknown ? "stale" : stateWord(run?.phase ?? status),
    stage,
    ...(run && { title: run.title }),
    ...(run?.detail && { detail: run.detail }),
    ...(since && { since }),
  }
}

function endedFoot(turn: TurnView): TurnFoot {
  const { status, outcome } = turn
  const seconds = secondsOf(turn)
  const tokens = tokensOf(turn)
  return {
    kind: "ended",
    state: stateWord(status),
    unsent: status === "unsent",
    ...(outcome && { outcome }),
    ...(seconds !== undefined && { seconds }),
    ...(tokens && { tokens }),
  }
}

/** After a restart nobody knows when the turn stopped: the time until its end was written is the host's, not its own. */
function secondsOf({ started_at, ended_at, outcome }: TurnView): number | undefined {
  if (started_at === undefined || ended_at === undefined) return undefined
  if (outcome?.category === "runtime_restart") return undefined
  return (Date.parse(ended_at) - Date.parse(started_at)) / 1000
}

/** Nothing unless every request reported them: a part of a sum would pass for the sum. */
function tokensOf({ requests }: TurnView): Tokens | undefined {
  let sum: Tokens | undefined
  for (const { tokens } of requests) {
    if (tokens === undefined) return undefined
    sum = { input: (sum?.input ?? 0) + tokens.input, output: (sum?.output ?? 0) + tokens.output }
  }
  return sum
}
