import { setImmediate as turn } from "node:timers/promises"
import fc from "fast-check"
import { expect, it } from "vitest"
import type { FactLog } from "../log.ts"
import { appended, batch, fact, follow, given, type OpenStore, range, sequences } from "./given.ts"

export function tailContract(open: OpenStore) {
  it("[RT-ENV-4] history and live facts meet without gap or repeat, wherever a tail begins", async () => {
    const { log } = await given(open)
    let runs = 0
    const size = fc.integer({ min: 1, max: 40 })
    const start = fc.record({ at: fc.nat(24), after: fc.nat(400), turns: fc.nat(2) })
    const plans = fc.record({
      batches: fc.array(size, { minLength: 5, maxLength: 25 }),
      tails: fc.array(start, { minLength: 1, maxLength: 8 }),
      paced: fc.boolean(),
    })
    const plan = fc.asyncProperty(plans, async ({ batches, tails, paced }) => {
      const stream = `run${++runs}`
      const last = batches.reduce((sum, count) => sum + count, 0)
      const followers: Promise<void>[] = []
      const waiting: Promise<unknown>[] = []
      let head = 0
      for (const [i, count] of batches.entries()) {
        for (const tail of tails.filter(({ at }) => Math.min(at, batches.length - 1) === i)) {
          followers.push(expectWhole(log, stream, Math.min(tail.after, last), last, tail.turns))
        }
        waiting.push(appended(log, batch(stream, head, count)))
        head += count
        if (paced) await turn()
      }
      await Promise.all([...waiting, ...followers])
    })
    await fc.assert(plan, { numRuns: 60 })
  })

  it("[RT-ENV-4] a slow tail loses nothing while thousands of facts pass by", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 700))
    const slow = follow(log, "s", 0, 6000, async () => {
      for (let i = 0; i < 20; i++) await turn()
    })
    const quick = follow(log, "s", 650, 6000)
    for (let head = 700; head < 6000; head += 100) await appended(log, batch("s", head, 100))
    const late = follow(log, "s", 5990, 6000)
    expect(sequences(await slow)).toEqual(range(1, 6000))
    expect(sequences(await quick)).toEqual(range(651, 6000))
    expect(sequences(await late)).toEqual(range(5991, 6000))
  })

  it("[RT-ENV-4] a tail that joins others may begin anywhere", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 5))
    const first = follow(log, "s", 5, 10)
    await turn()
    await appended(log, batch("s", 5, 3))
    const joined = range(0, 9).map((after) => follow(log, "s", after, 10))
    await turn()
    await appended(log, batch("s", 8, 2))
    expect(sequences(await first)).toEqual(range(6, 10))
    expect((await Promise.all(joined)).map(sequences)).toEqual(
      range(0, 9).map((after) => range(after + 1, 10)),
    )
  })

  it("[RT-ENV-4] what comes while a reader is busy is there when it asks again", async () => {
    const { log } = await given(open)
    const tail = log.tail("s", 0, new AbortController().signal)[Symbol.asyncIterator]()
    for (let head = 0; head < 4; head += 2) {
      const next = tail.next()
      await appended(log, batch("s", head))
      expect(sequences((await next).value ?? [])).toEqual([head + 1])
      await appended(log, batch("s", head + 1))
      expect(sequences((await tail.next()).value ?? [])).toEqual([head + 2])
    }
  })

  it("[RT-ENV-4] large facts pass as small ones do", async () => {
    const { log } = await given(open)
    const seen = follow(log, "s", 0, 20)
    for (let i = 0; i < 20; i++) {
      const text = `${i}`.padEnd(i === 7 ? 2_500_000 : 150_000, ".")
      await appended(log, { stream: "s", expected: i, facts: [fact(`s-${i}`, { text })] })
    }
    expect((await seen).map(({ text }) => Number.parseInt(text, 10))).toEqual(range(0, 19))
  })

  it("a tail follows its own stream only, and sees nothing of a refused append", async () => {
    const { log } = await given(open)
    await appended(log, batch("other", 0, 3))
    const seen = follow(log, "s", 0, 4)
    await appended(log, batch("s", 0, 2))
    await log.append({ stream: "s", expected: 2, facts: [fact("no"), fact("s-1")] })
    await log.append({ stream: "s", expected: 1, facts: [fact("no")] })
    await appended(log, batch("other", 3, 3))
    await appended(log, batch("s", 2, 2))
    expect((await seen).map(({ text }) => text)).toEqual(range(1, 4).map((i) => fact(`s-${i}`).text))
    expect(await seen).toMatchObject(log.read("s", 0, 10))
  })

  it("a cursor ahead of the stream waits for what comes after it", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 2))
    const seen = follow(log, "s", 5, 7)
    for (let head = 2; head < 7; head++) await appended(log, batch("s", head))
    expect(sequences(await seen)).toEqual([6, 7])
  })

  it("a tail ends when its signal fires: before it began, in history, and while it waits", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 1000))
    const over = AbortSignal.abort()
    for await (const page of log.tail("s", 0, over)) expect(page).toEqual([])

    const early = new AbortController()
    let pages = 0
    for await (const _ of log.tail("s", 0, early.signal)) {
      pages++
      early.abort()
    }
    expect(pages).toBe(1)

    const idle = new AbortController()
    const other = follow(log, "s", 1000, 1001)
    const tail = log.tail("s", 1000, idle.signal)[Symbol.asyncIterator]()
    const next = tail.next()
    await turn()
    idle.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    // The tail beside it goes on.
    await appended(log, batch("s", 1000))
    expect(sequences(await other)).toEqual([1001])
  })

  it("a tail ends when the log closes", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 3))
    const signal = new AbortController().signal
    const tails = range(1, 3).map(() => log.tail("s", 0, signal)[Symbol.asyncIterator]())
    for (const tail of tails) expect(sequences((await tail.next()).value ?? [])).toEqual([1, 2, 3])
    const ends = tails.map((tail) => tail.next())
    await turn()
    await log.close()
    expect(await Promise.all(ends)).toEqual(Array(3).fill({ done: true, value: undefined }))
  })
}

async function expectWhole(log: FactLog, stream: string, after: number, last: number, turns: number) {
  const seen = await follow(log, stream, after, last, async () => {
    for (let i = 0; i < turns; i++) await turn()
  })
  expect(sequences(seen)).toEqual(range(after + 1, last))
  expect(seen.map(({ text }) => text)).toEqual(range(after + 1, last).map((i) => fact(`${stream}-${i}`).text))
}
