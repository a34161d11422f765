import { expect, it } from "vitest"
import type { FactLog } from "../log.ts"
import { appended, batch, fact, follow, given, type OpenStore, range, readAll, sequences } from "./given.ts"

const everything = Number.MAX_SAFE_INTEGER

export function keepingContract(open: OpenStore) {
  it("a saved state names its sequence, and only a later one replaces it", async () => {
    const store = await given(open)
    let { log } = store
    await appended(log, batch("s", 0, 9))
    await appended(log, batch("t", 0, 9))
    expect(log.loadState("s")).toBeUndefined()
    await log.saveState({ stream: "s", sequence: 3, text: '{"at":3}' })
    await log.saveState({ stream: "t", sequence: 4, text: '{"of":"t"}' })
    expect(log.loadState("s")).toEqual({ stream: "s", sequence: 3, text: '{"at":3}' })
    await log.saveState({ stream: "s", sequence: 8, text: '{"at":8}' })
    await log.saveState({ stream: "s", sequence: 5, text: '{"at":5}' })
    const kept = { stream: "s", sequence: 8, text: '{"at":8}' }
    expect(log.loadState("s")).toEqual(kept)
    log = (await store.reopen()).log
    expect(log.loadState("s")).toEqual(kept)
    expect(log.loadState("t")).toEqual({ stream: "t", sequence: 4, text: '{"of":"t"}' })
  })

  it("[RT-REC-7] a damaged saved state is set aside and said, and can be saved anew", async () => {
    const { log, damageState } = await given(open)
    await appended(log, batch("s", 0, 3))
    const state = { stream: "s", sequence: 3, text: '{"total":3}' }
    await log.saveState(state)
    damageState("s")
    expect(log.loadState("s")).toBeUndefined()
    expect(log.loadState("s")).toBeUndefined()
    expect(log.incidents.filter(({ code }) => code === "state_damaged")).toHaveLength(1)
    await log.saveState(state)
    expect(log.loadState("s")).toEqual(state)
    expect(sequences(readAll(log, "s"))).toEqual([1, 2, 3])
  })

  it("[RT-REC-7] a state that is ahead of its stream is not believed, and can be saved anew", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 3))
    await log.saveState({ stream: "s", sequence: 4, text: "{}" })
    expect(log.loadState("s")).toBeUndefined()
    await log.saveState({ stream: "s", sequence: 2, text: '{"at":2}' })
    expect(log.loadState("s")).toEqual({ stream: "s", sequence: 2, text: '{"at":2}' })
  })

  it("prunes only what is prunable, superseded and old, and leaves the head", async () => {
    const store = await given(open)
    const { log } = store
    await streamed(log, "s", 0)
    await appended(log, batch("plain", 0, 2, { prunable: true }))
    await streamed(log, "s", 7)
    const old = log.read("s", 7, 1)[0]?.position ?? 0

    expect(await log.prune(1)).toBe(0)
    expect(await log.prune(old)).toBe(4)
    expect(sequences(readAll(log, "s"))).toEqual([1, 4, 7, ...range(8, 14)])
    expect(await log.prune(old)).toBe(0)
    expect(await log.prune(everything)).toBe(4)
    expect(sequences(readAll(log, "s"))).toEqual([1, 4, 7, 8, 11, 14])
    expect(sequences(readAll(log, "plain"))).toEqual([1, 2])
    expect(log.head("s")).toBe(14)

    const again = (await store.reopen()).log
    expect(again.head("s")).toBe(14)
    expect(sequences(readAll(again, "s", 2))).toEqual([1, 4, 7, 8, 11, 14])
    expect(await again.append(batch("s", 14))).toMatchObject({ ok: true, sequence: 15 })
  })

  it("prunes the old part of a range whose end is newer", async () => {
    const { log } = await given(open)
    await streamed(log, "s", 0)
    const middle = log.read("s", 4, 1)[0]?.position ?? 0
    expect(await log.prune(middle)).toBe(2)
    expect(sequences(readAll(log, "s"))).toEqual([1, 4, 5, 6, 7])
    expect(await log.prune(everything)).toBe(2)
    expect(sequences(readAll(log, "s"))).toEqual([1, 4, 7])
  })

  it("prunes thousands of facts while appends go on", async () => {
    const { log } = await given(open)
    const idle = range(0, 599).map((n) =>
      appended(log, { ...batch("many", n), supersedes: [{ from: n, to: n }] }),
    )
    await Promise.all(idle)
    for (let i = 0; i < 10; i++) {
      await appended(log, batch("s", i * 601, 600, { prunable: true }))
      const supersedes = [{ from: i * 601 + 1, to: i * 601 + 600 }]
      await appended(log, { ...batch("s", i * 601 + 600), supersedes })
    }
    const pruning = log.prune(everything)
    const appends = range(0, 49).map((i) => appended(log, batch("live", i)))
    expect(await pruning).toBe(6000)
    await Promise.all(appends)
    expect(sequences(readAll(log, "s"))).toEqual(range(1, 10).map((i) => i * 601))
    expect([log.head("live"), log.head("many"), readAll(log, "many").length]).toEqual([50, 600, 600])
  })

  it("supersedes only what came before", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 2, { prunable: true }))
    await appended(log, { ...batch("s", 2), supersedes: [{ from: 1, to: 99 }] })
    await appended(log, batch("s", 3, 2, { prunable: true }))
    expect(await log.prune(everything)).toBe(2)
    expect(sequences(readAll(log, "s"))).toEqual([3, 4, 5])
  })

  it("read, windows and tails go on over a pruned range", async () => {
    const { log } = await given(open)
    await streamed(log, "s", 0)
    await streamed(log, "s", 7)
    await log.prune(everything)
    expect(sequences(log.read("s", 1, 2))).toEqual([4, 7])
    expect(sequences(log.readBefore("s", 7, 2))).toEqual([1, 4])
    const tails = [0, 2, 5, 13].map((after) => follow(log, "s", after, 15))
    await appended(log, batch("s", 14))
    expect((await Promise.all(tails)).map(sequences)).toEqual([
      [1, 4, 7, 8, 11, 14, 15],
      [4, 7, 8, 11, 14, 15],
      [7, 8, 11, 14, 15],
      [14, 15],
    ])
  })

  it("[RT-ENV-2] the id of a pruned fact stays taken", async () => {
    const { log } = await given(open)
    await streamed(log, "s", 0)
    expect(await log.prune(everything)).toBe(4)
    const refusal = { ok: false, code: "duplicate_event", event_id: "s-2" }
    expect(await log.append({ stream: "s", expected: 7, facts: [fact("s-2")] })).toEqual(refusal)
  })
}

/** Seven facts: one, two deltas, one that stays among them, two deltas, and the final one that replaces 2 to 6. */
async function streamed(log: FactLog, stream: string, head: number) {
  await appended(log, batch(stream, head))
  await appended(log, batch(stream, head + 1, 2, { prunable: true }))
  await appended(log, batch(stream, head + 3))
  await appended(log, batch(stream, head + 4, 2, { prunable: true }))
  await appended(log, { ...batch(stream, head + 6), supersedes: [{ from: head + 2, to: head + 6 }] })
}
