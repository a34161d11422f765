import { isDeepStrictEqual } from "node:util"
import {
  applyFacts,
  type Envelope,
  emptySession,
  inOrder,
  type SessionState,
  sessionSnapshot,
  supersededBy,
  threadReadModel,
  validateFact,
} from "@factum/facts"

/** What a reader of a session is shown, from its facts alone. */
export function viewOf(facts: readonly Envelope[]): unknown {
  return shown(applyFacts(emptySession, facts, supersededBy(facts)).state)
}

export function shown(state: SessionState): unknown {
  const threads = Object.keys(state.entities.threads).map((thread_id) => threadReadModel(state, thread_id))
  // As a client gets it: what is undefined is absent there.
  return JSON.parse(JSON.stringify({ session: sessionSnapshot(state, { history_cursor: null }), threads }))
}

/**
 * What is wrong with facts that were recorded while `live` was shown: each must be valid and in its place, and their
 * replay must give the same, however they are delivered.
 */
export function replayProblems(facts: readonly Envelope[], live: unknown, seed = 1): string[] {
  const invalid = facts.flatMap((fact, at) => {
    const checked = validateFact(fact)
    const place = fact.sequence === at + 1 ? [] : [`fact ${fact.sequence} stands at ${at + 1}`]
    return [
      ...place,
      ...(checked.ok ? [] : [`fact ${fact.sequence} is not valid: ${JSON.stringify(checked.issues)}`]),
    ]
  })
  const deliveries: Record<string, readonly Envelope[]> = {
    "in order": facts,
    "each twice": facts.flatMap((fact) => [fact, fact]),
    shuffled: inOrder(shuffled(facts, seed)),
    "shuffled, some twice": inOrder(shuffled([...facts, ...facts.filter((_, at) => at % 3 === 0)], seed + 1)),
  }
  const different = Object.entries(deliveries)
    .filter(([, delivered]) => !isDeepStrictEqual(viewOf(delivered), live))
    .map(([name]) => `replayed ${name} the facts show something else`)
  return [...invalid, ...different]
}

/** The same order for the same seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const all = [...items]
  let state = seed
  for (let at = all.length - 1; at > 0; at--) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const other = state % (at + 1)
    const [a, b] = [all[at], all[other]]
    if (a !== undefined && b !== undefined) [all[at], all[other]] = [b, a]
  }
  return all
}
