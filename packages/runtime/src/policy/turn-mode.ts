import type { SessionState } from "@factum/facts"
import { type Mode, modes, type Policy } from "./types.ts"

/** The policy under the mode that a turn asks for. A turn may bind itself more than its host does, never less. */
export function policyOfTurn(policy: Policy, state: SessionState, turn_id: string): Policy {
  const asked = modes.find((mode) => mode === state.entities.turns[turn_id]?.options?.mode)
  if (asked === undefined || !isStricter(asked, policy.mode)) return policy
  return { ...policy, version: `${policy.version}+${asked}`, mode: asked }
}

const isStricter = (a: Mode, b: Mode): boolean => modes.indexOf(a) < modes.indexOf(b)
