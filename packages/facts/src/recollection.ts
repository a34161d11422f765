import type { Envelope } from "./envelope.ts"
import { modelRequests, requestEnded } from "./events/reasoning.ts"
import { runs } from "./events/run.ts"
import { childSpendings } from "./events/spending.ts"
import { toolCallEnded, toolCalls } from "./events/tool.ts"
import { turns } from "./events/turn.ts"
import { rolledBack } from "./roll-back.ts"
import { type SessionState, sessionState } from "./session-state.ts"
import type { Family } from "./state.ts"

const families = { turns, modelRequests, toolCalls, runs, childSpendings }
type Name = keyof typeof families
type Records = Map<string, unknown>

const named: ReadonlyMap<Name, Family<unknown>> = new Map(
  (Object.keys(families) as Name[]).map((name) => [name, families[name] as Family<unknown>]),
)
/** What ends a request tells all of it, and these may be gone from the log. */
const replaced: ReadonlySet<string> = new Set(["model.delta", "reasoning.delta"])

/** What was said and done in a session, also what its state has let go of. Takes facts in their order. */
export class Recollection {
  sequence = 0
  #records = new Map<Name, Records>()

  /** In place: a copy for each fact would cost the square of a long session. */
  add(fact: Envelope): void {
    this.sequence = fact.sequence
    if (replaced.has(fact.type)) return
    for (const [name, family] of named) {
      const key = family.types.includes(fact.type) ? family.key(fact) : undefined
      if (key === undefined) continue
      const records = this.#records.get(name) ?? new Map()
      const before = records.get(key) ?? family.initial
      const after = family.apply(before, fact)
      if (after !== before) this.#records.set(name, records.set(key, after))
    }
    if (fact.type !== "history.rollback.completed") return
    const left = rolledBack({ ...sessionState.initial, ...this.#tables() }, fact)
    for (const name of named.keys()) this.#records.set(name, new Map(Object.entries(left[name])))
  }

  /** The state with everything that it has let go of in these families. */
  within({ sequence, entities }: SessionState): SessionState {
    const tables = Object.entries(this.#tables()).map(([name, records]) => [
      name,
      { ...records, ...entities[name as Name] },
    ])
    return { sequence, entities: { ...entities, ...Object.fromEntries(tables) } }
  }

  #tables(): Partial<Record<Name, Record<string, never>>> {
    return Object.fromEntries(
      [...this.#records].map(([name, records]) => [name, Object.fromEntries(records)]),
    )
  }
}

/** Whether the state may have let go of requests or calls after this sequence, or of their turns. */
export function forgetsAfter({ entities }: SessionState, after: number): boolean {
  const requests = Object.values(entities.modelRequests)
  const calls = Object.values(entities.toolCalls)
  return (
    isFull(requests.filter(requestEnded), modelRequests.keep, after) ||
    isFull(calls.filter(toolCallEnded), toolCalls.keep, after) ||
    requests.some(({ opened, turn_id }) => opened > after && !Object.hasOwn(entities.turns, turn_id))
  )
}

/** Those opened first are let go of first. */
const isFull = (ended: readonly { opened: number }[], keep: number, after: number): boolean =>
  ended.length >= keep && ended.every(({ opened }) => opened > after)
