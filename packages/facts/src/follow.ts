import type { Envelope } from "./envelope.ts"
import { actionEnded } from "./events/action.ts"
import type { SnapshotEvent } from "./events/snapshot.ts"
import type { SequenceRange } from "./known.ts"
import { applyFact, emptySession, type Gap, inOrder, type SessionState } from "./session-state.ts"
import type { Freshness } from "./snapshots/define-snapshot.ts"

/** A read model that is fed from outside, where facts may come late, twice or not at all. */
export type Followed = {
  state: SessionState
  /** Facts that came too early, in order, each once. */
  early: readonly Envelope[]
  /** What is missing before them. While there is a gap, the read model is stale. */
  gap?: Gap
}

type Repaired = Extract<SnapshotEvent, { type: "snapshot.repaired" }>["payload"]

export type Received = {
  followed: Followed
  /** To be fetched now: a gap that was not there before. */
  repair?: Gap
  /** The correction, once it is made. */
  repaired?: Repaired
}

export const unfollowed: Followed = { state: emptySession, early: [] }

export const freshnessOf = ({ gap }: Followed): Freshness => (gap === undefined ? "current" : "stale")

/** Takes facts as they were delivered. A gap stops the read model where it is, and asks once for what is missing. */
export function deliver(
  { state, early, gap }: Followed,
  facts: readonly Envelope[],
  pruned: readonly SequenceRange[] = [],
): Received {
  return settled(state, inOrder([...early, ...facts]), gap, pruned)
}

/** Takes a state that another reader has folded. One that is older than what is known changes nothing. */
export function adopt({ state, early, gap }: Followed, snapshot: SessionState): Received {
  const newest = snapshot.sequence > state.sequence ? snapshot : state
  return settled(newest, early, gap, [])
}

function settled(
  from: SessionState,
  waiting: readonly Envelope[],
  before: Gap | undefined,
  pruned: readonly SequenceRange[],
): Received {
  let state = from
  for (const [at, fact] of waiting.entries()) {
    const applied = applyFact(state, fact, pruned)
    if (applied.gap !== undefined) {
      const { gap } = applied
      const followed = { state, early: waiting.slice(at), gap }
      const known = before !== undefined && before.from <= gap.from && gap.to <= before.to
      return known ? { followed } : { followed, repair: gap }
    }
    state = applied.state
  }
  const followed: Followed = { state, early: [] }
  return before === undefined ? { followed } : { followed, repaired: repairOf(state, before) }
}

function repairOf(state: SessionState, missing: Gap): Repaired {
  const open = Object.values(state.entities.actions).filter((action) => !actionEnded(action))
  return {
    snapshot: "session_snapshot",
    reflects: state.sequence,
    cause: "gap",
    missing,
    kept: open.map(({ action_id }) => action_id),
  }
}
