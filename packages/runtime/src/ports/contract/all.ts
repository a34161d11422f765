import { expect, it } from "vitest"
import type { PlacedFact } from "../log.ts"
import { appended, batch, given, type OpenStore, range } from "./given.ts"

const names = ["a", "b", "c", "d", "e"]

export function allContract(open: OpenStore) {
  it("[RT-ENV-4] facts of all streams are read by position, each with its stream", async () => {
    const { log } = await given(open)
    const written = await fill(log, 60)
    expect(log.readAll(0, 1000).map(place)).toEqual(written)
    for (const [after, limit] of [
      [0, 7],
      [13, 1],
      [59, 40],
      [written.length - 1, 10],
      [written.length, 10],
    ] as const) {
      expect(log.readAll(after, limit).map(place)).toEqual(written.slice(after, after + limit))
    }
  })

  it("[RT-ENV-4] what retention removed leaves holes that are passed over", async () => {
    const { log } = await given(open)
    await appended(log, batch("a", 0, 1))
    await appended(log, batch("a", 1, 300, { prunable: true }))
    await appended(log, batch("b", 0, 1))
    await appended(log, { ...batch("a", 301, 1), supersedes: [{ from: 2, to: 301 }] })
    await log.prune(1000)
    expect(log.readAll(0, 2).map(place)).toEqual(["a 1", "b 1"])
    expect(log.readAll(1, 50).map(place)).toEqual(["b 1", "a 302"])
  })

  it("[RT-ENV-4] readers page by page miss and repeat nothing while the log grows and is pruned", async () => {
    const { log } = await given(open)
    const lasting: string[] = []
    const readers = [3, 5, 64].map((limit) => ({ limit, after: 0, seen: [] as string[] }))
    const step = () => {
      for (const reader of readers) {
        const page = log.readAll(reader.after, reader.limit)
        reader.after = page.at(-1)?.position ?? reader.after
        reader.seen.push(...page.map(place))
      }
      return readers.every(({ after }) => log.readAll(after, 1).length === 0)
    }
    for (let round = 0; round < 12; round++) {
      lasting.push(...(await fill(log, 8)))
      const head = log.head("d")
      await appended(log, batch("d", head, 6, { prunable: true }))
      step()
      await appended(log, { ...batch("d", head + 6, 1), supersedes: [{ from: head + 1, to: head + 6 }] })
      lasting.push(`d ${head + 7}`)
      if (round % 3 === 0) await log.prune(Number.MAX_SAFE_INTEGER)
    }
    while (!step());
    for (const { seen } of readers) {
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.filter((one) => lasting.includes(one))).toEqual(lasting)
    }
  })

  it("[RT-ENV-4] history and live facts of all streams meet without gap or repeat", async () => {
    const { log } = await given(open)
    const before = await fill(log, 40)
    const stop = new AbortController()
    const tails = [0, 17, before.length].map(async (after) => {
      const seen: PlacedFact[] = []
      for await (const page of log.tailAll(after, stop.signal)) seen.push(...page)
      return { after, seen: seen.map(place) }
    })
    const all = [...before, ...(await fill(log, 400))]
    for (;;) {
      await new Promise(setImmediate)
      if (log.readAll(all.length - 1, 1).length === 1) break
    }
    for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate)
    stop.abort()
    for (const { after, seen } of await Promise.all(tails)) expect(seen).toEqual(all.slice(after))
  })
}

const place = ({ stream, sequence }: PlacedFact) => `${stream} ${sequence}`

/** Appends to several streams by turns; gives the places in the order of the log. */
async function fill(log: Parameters<typeof appended>[0], count: number): Promise<string[]> {
  const written: string[] = []
  for (let i = 0; i < count; i++) {
    const stream = names[(i * i + 1) % names.length] ?? "a"
    const [head, size] = [log.head(stream), (i % 4) + 1]
    await appended(log, batch(stream, head, size))
    written.push(...range(head + 1, head + size).map((sequence) => `${stream} ${sequence}`))
  }
  return written
}
