import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readWal } from "../src/adapters/sqlite/wal.ts"
import { openStore, scratch } from "./sqlite-given.ts"

const home = mkdtempSync(join(tmpdir(), "factum-torn-"))
afterAll(() => rmSync(home, { recursive: true }))

describe("a torn last record", () => {
  /** The files of a store that was stopped hard after its fifth fact. */
  const left = join(home, "left")
  /** Where the record of the fifth fact begins and ends in the write-ahead log. */
  let [start, end] = [0, 0]

  beforeAll(async () => {
    const running = join(home, "running")
    const { log } = await openStore(running)
    const append = (i: number) =>
      log.append({ stream: "s", expected: i - 1, facts: [{ event_id: `e${i}`, text: `fact ${i}` }] })
    for (let i = 1; i <= 4; i++) await append(i)
    start = readWal(readFileSync(join(running, "factum.db-wal"))).committed
    await append(5)
    // What a hard stop leaves is what is on the disk while the store runs.
    cpSync(running, left, { recursive: true, filter: (path) => !path.endsWith("-shm") })
    await log.close()
    end = readWal(readFileSync(join(left, "factum.db-wal"))).committed
  })

  const cuts = [1, 15, 16, 23, 24, 100, 4119, 4120, 4121, 8000]
  it.each(cuts)(
    "[RT-REC-7] cut after %i bytes, it is dropped and said, and all before it is there",
    async (cut) => {
      expect(start + cut).toBeLessThan(end)
      const directory = copy()
      truncateSync(join(directory, "factum.db-wal"), start + cut)
      await expectFourthIsLast(directory, `${cut} bytes of an unfinished write were dropped`)
    },
  )

  it("[RT-REC-7] cut by its last byte, it is dropped and said", async () => {
    const directory = copy()
    truncateSync(join(directory, "factum.db-wal"), end - 1)
    await expectFourthIsLast(directory, `${end - 1 - start} bytes of an unfinished write were dropped`)
  })

  it("[RT-REC-7] with a bit flipped, it is dropped and said", async () => {
    const directory = copy()
    const path = join(directory, "factum.db-wal")
    const bytes = readFileSync(path)
    bytes[start + 2000] = (bytes[start + 2000] ?? 0) ^ 4
    writeFileSync(path, bytes)
    await expectFourthIsLast(directory, "4120 bytes of an unfinished write were dropped")
  })

  it("[RT-REC-7] whole or gone altogether, nothing is said", async () => {
    for (const [length, head] of [
      [end, 5],
      [start, 4],
    ] as const) {
      const directory = copy()
      truncateSync(join(directory, "factum.db-wal"), length)
      const { log } = await openStore(directory)
      expect(log.incidents.filter(({ code }) => code === "torn_tail")).toEqual([])
      expect(log.head("s")).toBe(head)
      await log.close()
    }
  })

  function copy() {
    const directory = scratch()
    cpSync(left, directory, { recursive: true })
    return directory
  }

  async function expectFourthIsLast(directory: string, detail: string) {
    const { log } = await openStore(directory)
    expect(log.incidents.filter(({ code }) => code === "torn_tail")).toEqual([{ code: "torn_tail", detail }])
    expect(log.read("s", 0, 10).map(({ text }) => text)).toEqual([1, 2, 3, 4].map((i) => `fact ${i}`))
    // It is said once: the short record that is written next leaves nothing of the torn one behind it.
    await log.append({ stream: "s", expected: 4, facts: [], claims: [{ key: "k", value: "v" }] })
    expect(readWal(readFileSync(join(directory, "factum.db-wal")))).toMatchObject({ commits: 1, torn: 0 })
    const again = { stream: "s", expected: 4, facts: [{ event_id: "e5", text: "fact 5" }] }
    expect(await log.append(again)).toMatchObject({ ok: true, sequence: 5 })
    await log.close()
  }
})

describe("the reading of a write-ahead log", () => {
  it("[RT-REC-7] agrees with SQLite at every byte of the last record", () => {
    const { database, wal } = smallLog(5)
    const { committed, commits } = readWal(wal)
    expect({ committed, commits }).toEqual({ committed: wal.length, commits: 5 })
    const start = lastStart(wal)
    for (let cut = start; cut <= wal.length; cut++) {
      const reading = readWal(wal.subarray(0, cut))
      const whole = cut === wal.length
      expect(reading).toMatchObject({ commits: whole ? 5 : 4, torn: whole ? 0 : cut - start })
      if (cut % 16 < 2 || cut > wal.length - 3) {
        expect(recovered(database, wal.subarray(0, cut))).toBe(reading.commits)
      }
    }
  })

  it("finds the header as of the last commit", () => {
    const { wal } = smallLog(3)
    const version = ({ header }: { header?: Uint8Array }) => header && Buffer.from(header).readUInt32BE(60)
    expect(version(readWal(wal))).toBe(103)
    expect(version(readWal(wal.subarray(0, wal.length - 1)))).toBe(102)
  })

  it("takes what is left of an earlier round for no tear", () => {
    const path = join(scratch(), "x.db")
    const db = new DatabaseSync(path)
    db.exec("pragma journal_mode = wal; create table t (v)")
    for (let i = 0; i < 20; i++) db.exec(`insert into t values (${i})`)
    db.exec("pragma wal_checkpoint(restart); insert into t values (20); insert into t values (21)")
    const wal = readFileSync(`${path}-wal`)
    const reading = readWal(wal)
    expect(reading).toMatchObject({ commits: 2, torn: 0 })
    expect(reading.committed).toBeLessThan(wal.length)
    db.close()
  })

  it.each([
    ["an empty file", 0, 0],
    ["half a header", 20, 20],
  ])("reads %s", (_, length, torn) => {
    const { wal } = smallLog(1)
    expect(readWal(wal.subarray(0, length))).toEqual({ committed: 0, commits: 0, torn })
  })

  it.each([
    ["a damaged", (wal: Uint8Array) => wal.fill(1, 9, 10)],
    ["an empty", (wal: Uint8Array) => wal.fill(0)],
  ])("believes nothing behind %s header", (_, spoil) => {
    const { wal } = smallLog(2)
    spoil(wal)
    expect(readWal(wal)).toEqual({ committed: 0, commits: 0, torn: wal.length })
  })
})

/** One row and one version a commit, in pages of 512 bytes. */
function smallLog(commits: number) {
  const path = join(scratch(), "x.db")
  const db = new DatabaseSync(path)
  db.exec(
    "pragma page_size = 512; pragma journal_mode = wal; create table t (v); pragma wal_checkpoint(truncate)",
  )
  for (let i = 1; i <= commits; i++) {
    db.exec(`begin; insert into t values (${i}); pragma user_version = ${100 + i}; commit`)
  }
  const files = { database: readFileSync(path), wal: readFileSync(`${path}-wal`) }
  db.close()
  return files
}

function lastStart(wal: Uint8Array) {
  return readWal(wal.subarray(0, wal.length - 1)).committed
}

let recoveries = 0
function recovered(database: Uint8Array, wal: Uint8Array): unknown {
  const path = join(home, `r${++recoveries}.db`)
  writeFileSync(path, database)
  writeFileSync(`${path}-wal`, wal)
  const db = new DatabaseSync(path)
  db.exec("pragma synchronous = off")
  const count = db.prepare("select count(*) as n from t").get()?.n
  db.close()
  return count
}
