import { expect, it } from "vitest"
import { appended, batch, fact, given, type OpenStore, range } from "./given.ts"

export function claimContract(open: OpenStore) {
  it("a key is claimed once, and whoever comes later learns its value", async () => {
    const store = await given(open)
    let { log } = store
    expect(log.claimed("k")).toBeUndefined()
    await appended(log, { ...batch("s", 0), claims: [{ key: "k", value: "first" }] })
    const late = {
      ...batch("t", 0),
      claims: [
        { key: "new", value: "x" },
        { key: "k", value: "second" },
      ],
    }
    const refusal = { ok: false, code: "claimed", key: "k", value: "first" }
    expect(await log.append(late)).toEqual(refusal)
    log = (await store.reopen()).log
    expect(log.claimed("k")).toBe("first")
    expect(await log.append(late)).toEqual(refusal)
    expect([log.head("t"), log.claimed("new")]).toEqual([0, undefined])
  })

  it("a key twice in one append is refused", async () => {
    const { log } = await given(open)
    const claims = [
      { key: "k", value: "first" },
      { key: "k", value: "second" },
    ]
    expect(await log.append({ ...batch("s", 0), claims })).toEqual({
      ok: false,
      code: "claimed",
      key: "k",
      value: "first",
    })
    expect([log.head("s"), log.claimed("k")]).toEqual([0, undefined])
  })

  it("of many who claim a key at once, one gets it and the others learn who", async () => {
    const { log } = await given(open)
    const outcomes = await Promise.all(
      range(1, 32).map((i) => log.append({ ...batch(`s${i}`, 0), claims: [{ key: "k", value: `${i}` }] })),
    )
    const winners = range(1, 32).filter((i) => outcomes[i - 1]?.ok)
    expect(winners).toHaveLength(1)
    const value = `${winners[0]}`
    expect(log.claimed("k")).toBe(value)
    expect(outcomes.filter((outcome) => !outcome.ok)).toEqual(
      Array(31).fill({ ok: false, code: "claimed", key: "k", value }),
    )
    expect(range(1, 32).filter((i) => log.head(`s${i}`) > 0)).toEqual(winners)
  })

  it("a claim needs no facts, but the right sequence", async () => {
    const { log } = await given(open)
    const claim = { stream: "s", facts: [], claims: [{ key: "k", value: "v" }] }
    expect(await log.append({ ...claim, expected: 1 })).toEqual({ ok: false, code: "conflict", head: 0 })
    expect(log.claimed("k")).toBeUndefined()
    expect(await log.append({ ...claim, expected: 0 })).toMatchObject({ ok: true, sequence: 0 })
    expect(log.claimed("k")).toBe("v")
    expect(log.streams({ limit: 10 })).toEqual([])
  })

  it("the streams that owe work are known after a restart; an append that says nothing leaves it", async () => {
    const store = await given(open)
    let { log } = store
    for (const stream of ["a", "b", "c", "d"]) await appended(log, { ...batch(stream, 0), owing: true })
    await appended(log, { ...batch("e", 0), owing: false })
    await appended(log, batch("f", 0))
    await appended(log, batch("a", 1))
    await appended(log, { ...batch("b", 1), owing: false })
    await appended(log, { stream: "c", expected: 1, facts: [], owing: false })
    await appended(log, { stream: "e", expected: 1, facts: [], owing: true })
    await appended(log, { stream: "nothing", expected: 0, facts: [], owing: true })
    expect(log.owing().toSorted()).toEqual(["a", "d", "e"])
    log = (await store.reopen()).log
    expect(log.owing().toSorted()).toEqual(["a", "d", "e"])
    await appended(log, batch("d", 1))
    await appended(log, { ...batch("a", 2), owing: false })
    expect(log.owing().toSorted()).toEqual(["d", "e"])
  })

  it("a refused append changes nothing of what is owed", async () => {
    const { log } = await given(open)
    await appended(log, { ...batch("a", 0), owing: true })
    await appended(log, { ...batch("b", 0), owing: false })
    await Promise.all([
      log.append({ stream: "a", expected: 5, facts: [], owing: false }),
      log.append({ stream: "b", expected: 1, facts: [fact("a-1")], owing: true }),
    ])
    expect(log.owing()).toEqual(["a"])
  })
}
