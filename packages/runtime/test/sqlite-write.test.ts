import { once } from "node:events"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { SqliteLog } from "../src/adapters/sqlite/log.ts"
import { startWriter } from "../src/adapters/sqlite/thread.ts"
import { readWal } from "../src/adapters/sqlite/wal.ts"
import type { FactLog } from "../src/ports/log.ts"
import { openStore, scratch } from "./sqlite-given.ts"

const one = (stream: string, expected: number, size = 10) => ({
  stream,
  expected,
  facts: [{ event_id: `${stream}-${expected + 1}`, text: "x".repeat(size) }],
  claims: [{ key: `${stream}-${expected + 1}`, value: "v" }],
})

describe("a full disk", () => {
  it("[RT-REC-8] refuses the write, leaves nothing of it, and goes on when there is room again", async () => {
    const directory = scratch()
    const store = await openStore(directory)
    const { log } = store
    await store.limitPages(60)
    let head = 0
    let refusal: unknown
    while (refusal === undefined && head < 1000) {
      const done = await log.append({ ...one("s", head, 3000), owing: head % 2 === 0 })
      if (done.ok) head = done.sequence
      else refusal = done
    }
    expect(refusal).toEqual({ ok: false, code: "write_failed", reason: "database or disk is full" })
    expect(head).toBeGreaterThan(5)
    expect(log.head("s")).toBe(head)
    expect(log.read("s", 0, 1000)).toHaveLength(head)
    expect(log.claimed(`s-${head}`)).toBe("v")
    expect(log.claimed(`s-${head + 1}`)).toBeUndefined()
    expect(log.owing()).toEqual(head % 2 === 1 ? ["s"] : [])
    expect(await log.append(one("s", head, 3000))).toEqual(refusal)

    await store.limitPages(100_000)
    const next = await log.append(one("s", head, 3000))
    expect(next).toEqual({ ok: true, sequence: head + 1, position: head + 1 })
    await log.close()
    const again = await openStore(directory)
    expect(again.log.read("s", 0, 1000).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: head + 1 }, (_, i) => i + 1),
    )
    await again.log.close()
  })

  it("[RT-REC-8] keeps out what is too large, not what still fits beside it", async () => {
    const store = await openStore(scratch())
    const { log } = store
    await log.append(one("a", 0))
    await store.limitPages(40)
    const outcomes = await Promise.all([
      log.append(one("a", 1)),
      log.append(one("b", 0, 1_000_000)),
      log.append(one("c", 0)),
      log.append(one("a", 2)),
    ])
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.sequence : outcome.code))).toEqual([
      2,
      "write_failed",
      1,
      3,
    ])
    expect(["a", "b", "c"].map((stream) => log.head(stream))).toEqual([3, 0, 1])
    await store.limitPages(100_000)
    expect(await log.append(one("b", 0, 1_000_000))).toEqual({ ok: true, sequence: 1, position: 5 })
    await log.close()
  })

  it("[RT-REC-8] never fails the log for the sake of a saved state", async () => {
    const store = await openStore(scratch())
    const { log } = store
    await log.append(one("s", 0))
    await store.limitPages(30)
    await log.saveState({ stream: "s", sequence: 1, text: "y".repeat(1_000_000) })
    expect(log.loadState("s")).toBeUndefined()
    expect(await log.append(one("s", 1))).toMatchObject({ ok: true, sequence: 2 })
    await log.close()
  })
})

describe("a writer that dies", () => {
  it("is no death when the log is closed", async () => {
    const { log, worker } = await logWithWorker()
    const ended = once(worker, "exit")
    await log.close()
    await ended
    expect(await Promise.race([log.died, "alive"])).toBe("alive")
  })

  it("[RT-REC-8] refuses what waits and what comes, and the store can still be closed", async () => {
    const { log, worker, released } = await logWithWorker()
    expect(await log.append(one("s", 0))).toMatchObject({ ok: true })
    const waiting = [log.append(one("s", 1)), log.append(one("t", 0))]
    const state = log.saveState({ stream: "s", sequence: 1, text: "{}" })
    const pruned = log.prune(Number.MAX_SAFE_INTEGER)
    await worker.terminate()
    for (const outcome of await Promise.all(waiting)) {
      // It was on its way: the writer may have written it before it died.
      expect(outcome).toEqual({ ok: false, code: "unknown", reason: "the writer has ended" })
    }
    expect(await log.died).toBe("the writer has ended")
    await state
    expect(await pruned).toBe(0)
    expect(await log.append(one("s", 1))).toEqual({
      ok: false,
      code: "write_failed",
      reason: "the writer has ended",
    })
    expect(log.head("s")).toBe(1)
    await log.close()
    expect(released()).toBe(true)
  })

  async function logWithWorker() {
    const path = join(scratch(), "factum.db")
    const { writer, ready } = await startWriter({ path, runtimeId: "rt" })
    expect(ready).toEqual({ ready: true, runtimeId: "rt" })
    let released = false
    const clock = { now: () => 0 }
    const release = () => {
      released = true
    }
    const log = new SqliteLog({ path, writer, clock, incidents: [], release })
    return { log, worker: writer.worker, released: () => released }
  }
})

describe("group commit", () => {
  it("carries what waits in one commit, over all streams", async () => {
    const directory = scratch()
    const { log } = await openStore(directory)
    const commits = () => readWal(readFileSync(join(directory, "factum.db-wal"))).commits
    const before = commits()
    for (let i = 0; i < 3; i++) await log.append(one("alone", i))
    expect(commits() - before).toBe(3)
    await Promise.all(Array.from({ length: 256 }, (_, i) => fourInARow(log, `s${i}`)))
    expect(commits() - before - 3).toBeLessThanOrEqual(40)
    expect(log.streams({ limit: 1000 }).reduce((sum, { sequence }) => sum + sequence, 0)).toBe(1027)
    await log.close()
  })

  async function fourInARow(log: FactLog, stream: string) {
    for (let i = 0; i < 4; i++)
      expect(await log.append(one(stream, i))).toMatchObject({ ok: true, sequence: i + 1 })
  }
})

describe("closing", () => {
  it("leaves the log readable until what waited is written", async () => {
    const { log } = await openStore(scratch())
    const waiting = log.append(one("s", 0))
    const closed = log.close()
    await waiting
    expect(log.head("s")).toBe(1)
    await closed
  })
})

describe("the clock", () => {
  it("[RT-ENV-3] may step back: facts and lists of streams keep the order of appending", async () => {
    const times = [5000, 3000, 4000, 1000]
    const clock = { now: () => times.shift() ?? 0 }
    const { log } = await openStore(scratch(), { clock, ids: { next: () => "rt_1" } })
    for (const [stream, head] of [
      ["a", 0],
      ["b", 0],
      ["a", 1],
      ["c", 0],
    ] as const)
      await log.append(one(stream, head))
    const listed = log.streams({ limit: 9 }).map(({ stream, updated_at }) => [stream, updated_at])
    expect(listed).toEqual([
      ["c", 1000],
      ["a", 4000],
      ["b", 3000],
    ])
    await log.close()
  })
})

describe("unfinished blobs of a process that died", () => {
  it("are swept away at the next start", async () => {
    const directory = scratch()
    const store = await openStore(directory)
    await store.blobs.put(new Uint8Array([1, 2, 3]))
    await store.log.close()
    writeFileSync(join(directory, "blobs", "left.new"), "half")
    const again = await openStore(directory)
    expect(readdirSync(join(directory, "blobs"))).toEqual(["03"])
    await again.log.close()
  })
})
