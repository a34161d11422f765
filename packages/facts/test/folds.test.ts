import { describe, expect, it } from "vitest"
import * as facts from "../src/index.ts"
import { type Envelope, type Fold, fold, type SessionEntities, sessionState } from "../src/index.ts"
import { blanks, changes } from "./fold-table.ts"
import { fact, given, types } from "./given.ts"

const families: { readonly [F in keyof typeof blanks]: { initial: unknown } } = facts

/** The entities after one fact, as the table tells it. */
function expected(change: object): SessionEntities {
  const entities: Record<string, unknown> = { ...sessionState.initial }
  for (const [family, [key, changed]] of Object.entries(change)) {
    entities[family] = { [key]: { ...blanks[family as keyof typeof blanks], ...changed } }
  }
  return entities as SessionEntities
}

describe("folds", () => {
  it.each(types)("%s changes its family and no other", (type) => {
    expect(sessionState.apply(sessionState.initial, fact(type))).toEqual(expected(changes[type]))
  })
  it.each(Object.keys(blanks) as (keyof typeof blanks)[])("%s begin with nothing known", (name) => {
    expect(families[name].initial).toEqual(blanks[name])
  })
  it("every class is folded, and no other type", () => {
    expect(sessionState.types.toSorted()).toEqual(types.toSorted())
  })
  it("[RT-EVT-31] vendor facts change no read model", () => {
    const facts: Envelope[] = [fact("session.created"), fact("thread.started"), fact("turn.submitted")]
    const vendor: Envelope = { ...fact("turn.completed"), type: "x-acme.turn.completed" }
    const noisy = given(...facts.flatMap((one) => [vendor, one]))
    const plain = given(...facts)
    // Only times and order of ends depend on the sequence, and nothing has ended.
    const untimed = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (name, inner) => (name.endsWith("_at") ? undefined : inner)))
    expect(untimed(noisy.entities)).toEqual(untimed(plain.entities))
    expect(noisy.sequence).toBe(6)
  })
  it("a fold leaves a fact of a foreign type alone", () => {
    const count: Fold<{ n: number }, { type: "add" }> = fold<{ n: number }, { type: "add" }>(
      { n: 0 },
      { add: (s) => ({ n: s.n + 1 }) },
    )
    expect(count.types).toEqual(["add"])
    expect(count.apply({ n: 1 }, { type: "add" })).toEqual({ n: 2 })
    const foreign = { type: "sub" } as unknown as { type: "add" }
    expect(count.apply({ n: 1 }, foreign)).toEqual({ n: 1 })
  })
  it("no fold changes the state that it is given", () => {
    let state = sessionState.initial
    for (const type of types) {
      const before = JSON.stringify(state)
      const next = sessionState.apply(state, fact(type))
      expect(JSON.stringify(state), type).toBe(before)
      state = next
    }
  })
})
