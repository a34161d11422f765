import { readFileSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readWal } from "../src/adapters/sqlite/wal.ts"
import type { FactLog } from "../src/ports/log.ts"
import { killed, openStore, scratch, startChild } from "./sqlite-given.ts"

const acknowledged = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith("ack ")).map((line) => line.split(" "))

function expectWhole(log: FactLog, stream: string) {
  const facts = log.read(stream, 0, 100_000)
  expect(facts.map(({ sequence }) => sequence)).toEqual(facts.map((_, i) => i + 1))
  expect(facts.map(({ text }) => Number(text.split(" ")[1]))).toEqual(facts.map((_, i) => i + 1))
  expect(log.head(stream)).toBe(facts.length)
  // Batches of three: none is there in part, and each has its claim.
  expect(facts.length % 3).toBe(0)
  for (const { sequence } of facts) {
    expect(log.claimed(`${stream}/${sequence}`) !== undefined).toBe(sequence % 3 === 0)
  }
}

describe("a process that dies", () => {
  it("[RT-REC-7] loses nothing that it had acknowledged, whenever it is killed", {
    timeout: 120_000,
  }, async () => {
    const directory = scratch()
    for (let round = 0; round < 10; round++) {
      const child = startChild(directory, `${round}`)
      // Where in its work the child is by then is up to chance; how much it does differs from round to round.
      const goal = 1 + ((round * 37) % 60)
      await child.until((lines) => acknowledged(lines).length >= goal)
      const acks = acknowledged(await killed(child))

      const { log } = await openStore(directory)
      expect(log.incidents.map(({ code }) => code)).toContain("owner_died")
      expect(acks.length).toBeGreaterThanOrEqual(1)
      for (const [, stream = "", sequence] of acks) {
        expect(log.head(stream)).toBeGreaterThanOrEqual(Number(sequence))
        expect(log.claimed(`${stream}/${sequence}`)).toBe(`${round}`)
        expect(log.owing()).toContain(stream)
      }
      for (const { stream } of log.streams({ limit: 100 })) expectWhole(log, stream)
      await log.close()
    }
  })

  it("[RT-REC-8] frees the store and leaves its name behind", async () => {
    const directory = scratch()
    const child = startChild(directory, "0", 1)
    await child.until((lines) => lines.includes("idle"))
    await killed(child)
    const store = await openStore(directory)
    expect(store.log.incidents).toEqual([
      { code: "owner_died", detail: `process ${child.process.pid} ended without closing the store` },
    ])
    await store.log.close()
    const again = await openStore(directory)
    expect(again.log.incidents).toEqual([])
    await again.log.close()
  })

  it("[RT-REC-7] and whose last record is torn loses that one only, and says so", async () => {
    const directory = scratch()
    const child = startChild(directory, "0", 12)
    await child.until((lines) => lines.includes("idle"))
    const acks = acknowledged(await killed(child))
    const wal = join(directory, "factum.db-wal")
    const { committed } = readWal(readFileSync(wal))
    truncateSync(wal, committed - 1000)

    const { log } = await openStore(directory)
    expect(log.incidents.map(({ code }) => code)).toEqual(["owner_died", "torn_tail"])
    for (const { stream } of log.streams({ limit: 100 })) expectWhole(log, stream)
    const kept = acks.map(([, stream = "", sequence]) => log.head(stream) >= Number(sequence))
    // A record holds at most one batch of each stream.
    const lost = kept.filter((there) => !there).length
    expect(lost).toBeGreaterThanOrEqual(1)
    expect(lost).toBeLessThanOrEqual(8)
    expect(kept).toEqual([...Array(acks.length - lost).fill(true), ...Array(lost).fill(false)])
    await log.close()
  })
})
