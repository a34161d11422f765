import { actionEnded, type SessionState } from "@factum/facts"
import type { Draft } from "./decision.ts"
import type { Restored } from "./journal.ts"

/** How the state was rebuilt, as facts; nothing for one that never left memory. */
export function historyFacts(
  {
    session_id,
    state,
    restored,
  }: { session_id: string; state: SessionState; restored?: Restored | undefined },
  cause = "the saved state could not be used",
): Draft[] {
  if (restored === undefined || state.entities.sessions[session_id] === undefined) return []
  const { snapshot, through, facts, unusable } = restored
  const window = { from: snapshot + 1, to: through }
  const loaded: Draft[] =
    facts === 0
      ? []
      : [{ type: "history.window.loaded", session_id, payload: { window, facts, purpose: cause } }]
  const source = snapshot === 0 ? { source: "log" as const } : fromSnapshot(snapshot)
  const rebuilt: Draft = {
    type: "history.reconstructed",
    session_id,
    payload: { ...source, through, facts, cause },
  }
  if (unusable === undefined) return [...loaded, rebuilt]
  const payload = {
    snapshot: "session_snapshot" as const,
    reflects: through,
    cause: unusable,
    kept: keptOf(state),
  }
  return [...loaded, rebuilt, { type: "snapshot.repaired", session_id, payload }]
}

/**
 * That the state of a session was saved, once for each time; the saving itself is no fact. It goes with the next fact
 * of the session and never by itself, so that it is not what has the state saved again.
 */
export function snapshotFacts({
  session_id,
  state,
  kept,
}: {
  session_id: string
  state: SessionState
  kept: number
}): Draft[] {
  if (state.entities.sessions[session_id] === undefined) return []
  const { reflects = 0 } = state.entities.snapshotRecords.session_snapshot ?? {}
  if (reflects === "unknown" || reflects >= kept) return []
  return [{ type: "snapshot.updated", session_id, payload: { snapshot: "session_snapshot", reflects: kept } }]
}

const fromSnapshot = (sequence: number) => ({
  source: "snapshot_and_log" as const,
  snapshot_sequence: sequence,
})

/** Open actions and failed calls, which a repair must not lose. */
function keptOf({ entities }: SessionState): string[] {
  const open = Object.values(entities.actions).filter((action) => !actionEnded(action))
  const failed = Object.values(entities.toolCalls).filter(({ status }) => status === "failed")
  return [...open.map(({ action_id }) => action_id), ...failed.map(({ tool_call_id }) => tool_call_id)]
}
