import fc from "fast-check"
import { expect, it } from "vitest"
import { appended, batch, given, type OpenStore, range, readAll, sequences } from "./given.ts"

export function readContract(open: OpenStore) {
  it("an unknown stream is empty", async () => {
    const { log } = await given(open)
    await appended(log, batch("s", 0, 3))
    expect([log.head("t"), log.read("t", 0, 9), log.readBefore("t", 9, 9), log.loadState("t")]).toEqual([
      0,
      [],
      [],
      undefined,
    ])
  })

  it("pages forwards and windows backwards give each fact once, whatever their size", async () => {
    const { log } = await given(open)
    await appended(log, batch("before", 0, 5))
    await appended(log, batch("s", 0, 57))
    await appended(log, batch("zafter", 0, 5))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 0, max: 60 }), (size, from) => {
        expect(sequences(log.read("s", from, size))).toEqual(range(from + 1, Math.min(57, from + size)))
        expect(sequences(readAll(log, "s", size))).toEqual(range(1, 57))
        const older: number[] = []
        for (let before = 58; ; before = older[0] ?? 0) {
          const window = sequences(log.readBefore("s", before, size))
          if (window.length === 0) break
          older.unshift(...window)
        }
        expect(older).toEqual(range(1, 57))
      }),
      { numRuns: 60 },
    )
    expect(log.read("s", 0, 1)[0]?.text).toBe(log.readBefore("s", 2, 1)[0]?.text)
  })

  it("streams are listed by their last fact, newest first, page by page", async () => {
    const { log } = await given(open)
    for (const i of range(1, 25)) await appended(log, batch(`s${i}`, 0))
    await appended(log, batch("s9", 1, 5000))
    await appended(log, batch("s3", 1))
    await appended(log, batch("s17", 1, 2))
    const rest = range(1, 25)
      .filter((i) => i !== 3 && i !== 9 && i !== 17)
      .toReversed()
    const expected = ["s17", "s3", "s9", ...rest.map((i) => `s${i}`)]
    const listed: string[] = []
    for (let before: number | undefined; ; ) {
      const page = log.streams({ limit: 7, ...(before !== undefined && { before }) })
      if (page.length === 0) break
      expect(page.map(({ stream, sequence }) => [stream, sequence])).toEqual(
        page.map(({ stream }) => [stream, log.head(stream)]),
      )
      listed.push(...page.map(({ stream }) => stream))
      before = page.at(-1)?.position
    }
    expect(listed).toEqual(expected)
    expect(log.streams({ limit: 1 })[0]?.position).toBe(log.read("s17", 2, 1)[0]?.position)
  })

  it("what was appended is there after a restart, and the stream goes on", async () => {
    const store = await given(open)
    await appended(store.log, batch("s", 0, 300))
    const before = [readAll(store.log, "s"), store.log.streams({ limit: 9 })]
    const { log } = await store.reopen()
    expect([readAll(log, "s"), log.streams({ limit: 9 })]).toEqual(before)
    const next = await log.append(batch("s", 300))
    expect(next).toMatchObject({ ok: true, sequence: 301 })
    expect(next.ok && next.position).toBeGreaterThan(before[0]?.at(-1)?.position ?? 0)
  })

  it("a closed log writes what was waiting, then refuses", async () => {
    const store = await given(open)
    const { log } = store
    const waiting = range(0, 199).map((i) => log.append(batch("s", i)))
    const closing = Promise.all([log.close(), log.close()])
    expect(await log.append(batch("s", 200))).toEqual({ ok: false, code: "closed" })
    await closing
    expect((await Promise.all(waiting)).map((outcome) => outcome.ok && outcome.sequence)).toEqual(
      range(1, 200),
    )
    expect(await log.append(batch("s", 200))).toEqual({ ok: false, code: "closed" })
    expect(await log.prune(Number.MAX_SAFE_INTEGER)).toBe(0)
    await log.saveState({ stream: "s", sequence: 1, text: "late" })
    expect(() => log.read("s", 0, 1)).toThrow()

    const again = (await store.reopen()).log
    expect(again.head("s")).toBe(200)
    expect(again.loadState("s")).toBeUndefined()
  })
}
