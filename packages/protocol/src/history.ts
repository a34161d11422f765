import type { Origin } from "./action.ts"
import type { ProtocolIssue } from "./issues.ts"
import type { RunRecord } from "./run.ts"

/** Reasoning is kept for debugging where that is allowed. No function of this package tells it to a model. */
type Reasoned = { reasoning?: string }

/**
 * What happened so far, in order. A run stands where it came to a point of decision, as it was then; when it goes on
 * and comes to another one, it is appended again.
 */
export type HistoryEntry =
  | { kind: "user"; text: string }
  /** What came before stands in this text, and is told no more. The newest boundary holds. */
  | { kind: "boundary"; text: string }
  | ({ kind: "answer"; text: string } & Reasoned)
  | ({ kind: "run"; run: RunRecord } & Reasoned)
  | ({
      kind: "refused"
      issues: readonly ProtocolIssue[]
      origin?: Origin
      /** What the model wrote. Told only where it was text: the arguments of a native call are not replayed. */
      source?: string
    } & Reasoned)

/**
 * How a run is told. `calls`: each call with its arguments and its result. `exact`: the declaration as it was written,
 * then the results. `summary`: what was asked in a few lines, then summaries. `line`: only that it was.
 */
export const tellings = ["calls", "exact", "summary", "line"] as const
export type Telling = (typeof tellings)[number]

export type TellingReason = "compressed" | "long" | "stale" | "superseded" | "told_later" | "repaired"

/** What is told of a result that found no room for all that its policy returned. */
export type Shortened = "summary" | "reference"

export type ToldTurn = {
  /** The place of the entry in the history. */
  entry: number
  source: HistoryEntry
  telling: Telling
  /** Ids of actions that are not told again or no longer matter. */
  hidden: readonly string[]
  /** Why less is told than there is. */
  why?: TellingReason
  /** An earlier turn told of the same run as it stood then. */
  continues?: true
  /** Results that are told in less for want of room, by action. */
  shortened?: ReadonlyMap<string, Shortened>
}
