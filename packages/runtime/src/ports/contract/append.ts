import { expect, it } from "vitest"
import type { Append } from "../log.ts"
import { appended, batch, fact, given, type OpenStore, range, readAll, sequences } from "./given.ts"

export function appendContract(open: OpenStore) {
  it("[RT-ENV-4] each stream counts 1, 2, 3 … for itself, and positions rise over all of them", async () => {
    const { log } = await given(open)
    const positions: number[] = []
    for (const [stream, expected, count] of [
      ["a", 0, 2],
      ["b", 0, 1],
      ["a", 2, 3],
      ["b", 1, 2],
    ] as const) {
      const done = await log.append(batch(stream, expected, count))
      expect(done).toMatchObject({ ok: true, sequence: expected + count })
      if (done.ok) positions.push(done.position)
    }
    expect(sequences(readAll(log, "a"))).toEqual([1, 2, 3, 4, 5])
    expect(sequences(readAll(log, "b"))).toEqual([1, 2, 3])
    expect(positions).toEqual(positions.toSorted((x, y) => x - y))
    const all = [...readAll(log, "a"), ...readAll(log, "b")].map(({ position }) => position)
    expect(new Set(all).size).toBe(8)
    expect(positions.at(-1)).toBe(Math.max(...all))
  })

  it("[RT-ENV-4] concurrent producers on one stream leave no hole and no repeat", async () => {
    const { log } = await given(open)
    const produce = async (producer: number) => {
      for (let i = 0, expected = 0; i < 20; ) {
        const done = await log.append({ stream: "s", expected, facts: [fact(`p${producer}-${i}`)] })
        if (done.ok) i++
        expected = done.ok ? done.sequence : done.code === "conflict" ? done.head : Number.NaN
      }
    }
    await Promise.all(range(1, 12).map(produce))
    const facts = readAll(log, "s")
    expect(sequences(facts)).toEqual(range(1, 240))
    for (const producer of range(1, 12)) {
      const own = facts
        .map(({ text }) => JSON.parse(text).event_id)
        .filter((id) => id.startsWith(`p${producer}-`))
      expect(own).toEqual(range(0, 19).map((i) => `p${producer}-${i}`))
    }
  })

  it.each([
    ["behind", 2],
    ["ahead", 4],
    ["meant for a new stream", 0],
  ])("[RT-ENV-4] an append that is %s is refused with the head and writes nothing", async (_, expected) => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 3))
    expect(await log.append({ stream: "s", expected, facts: [fact("late")] })).toEqual({
      ok: false,
      code: "conflict",
      head: 3,
    })
    expect(sequences(readAll(log, "s"))).toEqual([1, 2, 3])
    expect(await log.append({ stream: "other", expected: 1, facts: [fact("late")] })).toEqual({
      ok: false,
      code: "conflict",
      head: 0,
    })
    expect(await log.append({ stream: "s", expected: 3, facts: [fact("late")] })).toMatchObject({ ok: true })
  })

  const repeats: [string, Append][] = [
    ["in the same stream", { stream: "s", expected: 2, facts: [fact("s-1")] }],
    ["in another stream", { stream: "other", expected: 0, facts: [fact("s-1")] }],
    ["with other content", { stream: "s", expected: 2, facts: [fact("s-1", { text: "{}" })] }],
    ["behind a new one", { stream: "s", expected: 2, facts: [fact("new"), fact("s-1")] }],
  ]
  it.each(repeats)("[RT-ENV-2] an event id is taken once for all: %s", async (_, repeat) => {
    const store = await given(open)
    await appended(store.log, batch("s", 0, 2))
    const refusal = { ok: false, code: "duplicate_event", event_id: "s-1" }
    expect(await store.log.append(repeat)).toEqual(refusal)
    const { log } = await store.reopen()
    expect(await log.append(repeat)).toEqual(refusal)
    expect(readAll(log, "s").map(({ text }) => text)).toEqual(["s-1", "s-2"].map((id) => fact(id).text))
    expect(log.head("other")).toBe(0)
  })

  it("[RT-ENV-2] an event id twice in one batch is refused", async () => {
    const { log } = await given(open)
    expect(await log.append({ stream: "s", expected: 0, facts: [fact("x"), fact("y"), fact("x")] })).toEqual({
      ok: false,
      code: "duplicate_event",
      event_id: "x",
    })
    expect(log.head("s")).toBe(0)
  })

  it("[RT-ENV-2] 100 000 facts over a restart carry 100 000 ids, and each stays taken", async () => {
    const store = await given(open)
    let { log } = store
    for (let i = 0; i < 100; i++) {
      if (i === 50) log = (await store.reopen()).log
      await appended(log, batch("s", i * 1000, 1000))
    }
    const ids = new Set(readAll(log, "s", 5000).map(({ text }) => JSON.parse(text).event_id))
    expect(ids.size).toBe(100_000)
    for (const taken of [1, 49_999, 50_001, 100_000]) {
      const refusal = { ok: false, code: "duplicate_event", event_id: `s-${taken}` }
      expect(await log.append({ stream: "t", expected: 0, facts: [fact(`s-${taken}`)] })).toEqual(refusal)
    }
  })

  it("[RT-ENV-12] one bad fact in ten leaves nothing: no fact, no claim, no mark, no owed work", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 3, { prunable: true }))
    const facts = range(4, 13).map((i) => fact(i === 11 ? "s-2" : `s-${i}`))
    const claims = [{ key: "k", value: "v" }]
    const supersedes = [{ from: 1, to: 3 }]
    expect(await log.append({ stream: "s", expected: 3, facts, claims, supersedes, owing: true })).toEqual({
      ok: false,
      code: "duplicate_event",
      event_id: "s-2",
    })
    expect(log.head("s")).toBe(3)
    expect(log.claimed("k")).toBeUndefined()
    expect(log.owing()).toEqual([])
    expect(await log.prune(Number.MAX_SAFE_INTEGER)).toBe(0)
    expect(sequences(readAll(log, "s"))).toEqual([1, 2, 3])
    // The ids beside the bad one were not taken either.
    expect(await log.append(batch("s", 3, 10))).toMatchObject({ ok: true, sequence: 13 })
  })

  it("[RT-ENV-12] a stored fact cannot be overwritten", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 2))
    const other = fact("s-2", { text: "changed" })
    expect(await log.append({ stream: "s", expected: 1, facts: [other] })).toMatchObject({ ok: false })
    expect(await log.append({ stream: "s", expected: 2, facts: [other] })).toMatchObject({ ok: false })
    expect(readAll(log, "s").map(({ text }) => text)).toEqual([fact("s-1").text, fact("s-2").text])
  })

  it("[RT-ENV-12] a refused append takes none of its neighbours with it", async () => {
    const { log } = await given(open)
    await appended(log, {
      stream: "old",
      expected: 0,
      facts: [fact("old")],
      claims: [{ key: "k", value: "1" }],
    })
    const outcomes = await Promise.all([
      log.append(batch("a", 0)),
      log.append({ stream: "b", expected: 0, facts: [fact("old")] }),
      log.append({ stream: "c", expected: 7, facts: [fact("c")] }),
      log.append({ stream: "d", expected: 0, facts: [fact("d")], claims: [{ key: "k", value: "2" }] }),
      log.append({ stream: "e", expected: 0, facts: [fact("a-1")] }),
      log.append(batch("a", 1)),
      log.append(batch("b", 0)),
    ])
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.sequence : outcome.code))).toEqual([
      1,
      "duplicate_event",
      "conflict",
      "claimed",
      "duplicate_event",
      2,
      1,
    ])
    expect(["a", "b", "c", "d", "e"].map((stream) => log.head(stream))).toEqual([2, 1, 0, 0, 0])
    const positions = ["old", "a", "b"].flatMap((stream) => readAll(log, stream)).map((f) => f.position)
    expect(new Set(positions).size).toBe(4)
  })

  it("[RT-ENV-3] facts keep their text and their order, whatever their timestamps say", async () => {
    const { log, reopen } = await given(open)
    const times = ["2030-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "2025-01-01T00:00:00Z"]
    const texts = times.map((timestamp) => JSON.stringify({ timestamp, note: "“ü”\n\u0000 \u{1F600}" }))
    for (const [i, text] of texts.entries()) {
      await appended(log, { stream: "s", expected: i, facts: [fact(`f${i}`, { text })] })
    }
    expect(readAll(log, "s").map(({ text }) => text)).toEqual(texts)
    expect(readAll((await reopen()).log, "s").map(({ text }) => text)).toEqual(texts)
  })

  it("a fact of several megabytes is kept whole", async () => {
    const { log } = await given(open)
    const text = JSON.stringify({ long: "0123456789abcdef".repeat(300_000) })
    await appended(log, { stream: "s", expected: 0, facts: [fact("long", { text })] })
    expect(log.read("s", 0, 1)[0]?.text === text).toBe(true)
  })
}
