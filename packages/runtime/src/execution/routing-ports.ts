import type { SessionState } from "@factum/facts"
import { moveTo, scopeOf } from "../control/loop.ts"
import type { Draft } from "../decision.ts"
import type { Ids } from "../ports/clock.ts"
import type { Ledger, Offer, Patience, ScopedLimit } from "../routing/index.ts"

/** What a choice of model depends on beside the session's facts. */
export type RoutingPorts = {
  offers: readonly Offer[]
  limits: () => readonly ScopedLimit[]
  patience: Patience
  ledger: Ledger
  ids: Ids
  now: () => number
  peek: (session_id: string) => SessionState
}

export function placed(
  state: SessionState,
  turn_id: string,
  step_id: string,
  fact: Pick<Draft, "type" | "payload">,
): Draft {
  // The type and the payload of a fact stay together, which a spread of a union does not show.
  return { ...fact, ...scopeOf(state, turn_id), step_id } as Draft
}

const titles = {
  retrying: "Trying again",
  waiting_resource: "Waiting to try again",
  blocked: "Blocked",
} as const

/** Why the model is not being asked now. Nothing when just that was told last. */
export function held(
  state: SessionState,
  turn_id: string,
  phase: keyof typeof titles,
  detail: string,
  metadata: Record<string, unknown>,
): Draft[] {
  const facts = moveTo(state, turn_id, phase, titles[phase], detail, metadata)
  if (phase === "retrying") return facts
  return [...facts, ...threadTo(state, turn_id, phase === "blocked" ? "blocked" : "waiting", phase)]
}

export function threadTo(
  state: SessionState,
  turn_id: string,
  status: "active" | "waiting" | "blocked",
  reason: string,
): Draft[] {
  const { session_id, thread_id } = scopeOf(state, turn_id)
  const previous = state.entities.threads[thread_id]?.status
  if (previous === status || (previous !== "active" && previous !== "waiting" && previous !== "blocked"))
    return []
  const payload = { status, previous, active_turn_id: turn_id, reason }
  return [{ type: "thread.updated", session_id, thread_id, payload }]
}
