import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { openSqliteStore, ownerOf } from "../src/adapters/sqlite/index.ts"
import { killed, openStore, scratch, startChild } from "./sqlite-given.ts"

const append = { stream: "s", expected: 0, facts: [{ event_id: "e1", text: "one" }] }

/** A directory with a store in it that was closed in order. */
async function closedStore() {
  const directory = scratch()
  const { log } = await openStore(directory)
  expect(await log.append(append)).toMatchObject({ ok: true })
  await log.close()
  return { directory, path: join(directory, "factum.db") }
}

/** The content of the database files, as one hash for each. */
function hashes(directory: string) {
  const files = readdirSync(directory).filter((name) => name.startsWith("factum.db"))
  const hash = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(directory, name)))
      .digest("hex")
  return Object.fromEntries(files.map((name) => [name, hash(name)]))
}

function change(path: string, sql: string) {
  const db = new DatabaseSync(path)
  db.exec(sql)
  db.close()
}

describe("a store of a newer version", () => {
  const refusal = {
    ok: false,
    code: "newer_version",
    version: 7,
    message: "The store has format 7, this program knows 1. Use a newer program.",
  }

  it("is refused, and its file stays as it was", async () => {
    const { directory, path } = await closedStore()
    change(path, "pragma user_version = 7")
    const before = hashes(directory)
    expect(Object.keys(before)).toEqual(["factum.db"])
    expect(await openSqliteStore(directory)).toEqual(refusal)
    expect(hashes(directory)).toEqual(before)
  })

  it("is refused also when only its write-ahead log says so, and both stay as they were", async () => {
    const { path } = await closedStore()
    const db = new DatabaseSync(path)
    db.exec("pragma user_version = 7")
    const directory = scratch()
    for (const name of ["factum.db", "factum.db-wal"]) cpSync(join(path, "..", name), join(directory, name))
    db.close()
    const before = hashes(directory)
    expect(Object.keys(before)).toEqual(["factum.db", "factum.db-wal"])
    expect(await openSqliteStore(directory)).toEqual(refusal)
    expect(hashes(directory)).toEqual(before)
  })

  it("a refused start does not forget who died before it", async () => {
    const { directory, path } = await closedStore()
    change(path, "pragma user_version = 7")
    writeFileSync(join(directory, "owner.json"), '{"pid":999999}')
    expect(await openSqliteStore(directory)).toMatchObject({ code: "newer_version" })
    change(path, "pragma user_version = 1")
    const { log } = await openStore(directory)
    expect(log.incidents.map(({ code }) => code)).toEqual(["owner_died"])
    await log.close()
  })
})

describe("a disk that is full", () => {
  it("is told with what to do, also after a kill; with space again everything is there", async () => {
    const { directory } = await closedStore()
    writeFileSync(join(directory, "owner.json"), '{"pid":999999}')
    // The kernel says of every write to this file that there is no space left.
    symlinkSync("/dev/full", join(directory, "owner.json.new"))
    const full = {
      ok: false,
      code: "not_writable",
      message: `There is no space left for ${directory}. Free some space there, then start again: what was acknowledged is kept.`,
    }
    expect(await openSqliteStore(directory)).toEqual(full)
    // Asked again in the same process it is no other's.
    expect(await openSqliteStore(directory)).toEqual(full)
    rmSync(join(directory, "owner.json.new"))
    const { log } = await openStore(directory)
    expect(log.incidents.map(({ code }) => code)).toEqual(["owner_died"])
    expect(log.streams({ limit: 10 }).length).toBeGreaterThan(0)
    await log.close()
  })
})

describe("a file that is not a whole store", () => {
  const cases: [string, (path: string) => void, RegExp][] = [
    [
      "no database",
      (path) => writeFileSync(path, "not a database ".repeat(500)),
      /is damaged: it is not a SQLite file/,
    ],
    [
      "a few bytes",
      (path) => writeFileSync(path, "SQLite format 3\0"),
      /is damaged: it is not a SQLite file/,
    ],
    ["cut short", (path) => truncateSync(path, 8192), /is damaged: \d+ bytes are missing at its end/],
    [
      "of another program",
      (path) => foreign(path, "pragma application_id = 77"),
      /belongs to another program/,
    ],
    ["of an unnamed program", (path) => foreign(path, ""), /factum\.db belongs to another program/],
    [
      "newer, of another program",
      (path) => foreign(path, "pragma user_version = 9"),
      /belongs to another program/,
    ],
  ]
  it.each(cases)("%s: refused in clear words and left alone", async (_, spoil, message) => {
    const { directory, path } = await closedStore()
    spoil(path)
    const before = hashes(directory)
    const refused = await openSqliteStore(directory)
    expect(refused).toMatchObject({ ok: false, code: "damaged", message: expect.stringMatching(message) })
    expect(refused).toMatchObject({ message: expect.stringContaining(path) })
    expect(hashes(directory)).toEqual(before)
    // The refusal does not hold on to the directory.
    rmSync(path)
    await (await openStore(directory)).log.close()
  })

  it("with a broken schema page: refused in clear words", async () => {
    const { directory, path } = await closedStore()
    const bytes = readFileSync(path)
    bytes.fill(0xee, 100, 4096)
    writeFileSync(path, bytes)
    expect(await openSqliteStore(directory)).toMatchObject({
      ok: false,
      code: "damaged",
      message: expect.stringMatching(/factum\.db is damaged: .*malformed.*Restore it from a backup/),
    })
  })

  it("without a table of ours: refused", async () => {
    const { directory, path } = await closedStore()
    change(path, "drop table claims")
    expect(await openSqliteStore(directory)).toMatchObject({ ok: false, code: "damaged" })
  })

  it("of another program beside an old journal: its rows are still there", async () => {
    const directory = scratch()
    const path = join(directory, "factum.db")
    foreign(path, "")
    writeFileSync(`${path}-journal`, "")
    expect(await openSqliteStore(directory)).toMatchObject({
      ok: false,
      code: "damaged",
      message: expect.stringMatching(/belongs to another program/),
    })
    const db = new DatabaseSync(path)
    expect(db.prepare("select name, (select v from theirs) as v from sqlite_schema").all()).toEqual([
      { name: "theirs", v: "kept" },
    ])
    db.close()
  })

  it.each([
    ["an empty file", (path: string) => writeFileSync(path, "")],
    ["a first start that was cut short", (path: string) => change(path, "pragma journal_mode = wal")],
  ])("%s becomes a store", async (_, make) => {
    const directory = scratch()
    make(join(directory, "factum.db"))
    const { log } = await openStore(directory)
    expect(await log.append(append)).toMatchObject({ ok: true, sequence: 1 })
    await log.close()
  })

  function foreign(path: string, sql: string) {
    rmSync(path, { force: true })
    change(path, `create table theirs (v); insert into theirs values ('kept'); ${sql}`)
  }
})

describe("a place that cannot be written", () => {
  it("[RT-REC-8] a file where the directory should be", async () => {
    const directory = join(scratch(), "data")
    writeFileSync(directory, "mine")
    expect(await openSqliteStore(directory)).toEqual({
      ok: false,
      code: "not_writable",
      message: expect.stringContaining(`${directory} cannot be written: EEXIST`),
    })
    expect(await openSqliteStore(join(directory, "below"))).toMatchObject({ ok: false, code: "not_writable" })
    expect(readFileSync(directory, "utf8")).toBe("mine")
  })

  it("[RT-REC-8] a directory where the file should be; it is free again once that is mended", async () => {
    const directory = scratch()
    mkdirSync(join(directory, "factum.db"))
    expect(await openSqliteStore(directory)).toMatchObject({ ok: false, code: "not_writable" })
    rmSync(join(directory, "factum.db"), { recursive: true })
    await (await openStore(directory)).log.close()
  })
})

describe("a second owner", () => {
  it("[RT-REC-8] is refused and learns who and where the first is", async () => {
    const directory = scratch()
    const child = startChild(directory, "0", 1)
    await child.until((lines) => lines.includes("idle"))
    const owner = { pid: child.process.pid, url: "http://127.0.0.1:4242/" }
    expect(await openSqliteStore(directory)).toEqual({
      ok: false,
      code: "owned",
      owner,
      message: `${directory} is in use by process ${owner.pid} at ${owner.url}.`,
    })
    expect(ownerOf(directory)).toEqual(owner)
    await killed(child)
    // Its name is still written there.
    expect(existsSync(join(directory, "owner.json"))).toBe(true)
    expect(ownerOf(directory)).toBeUndefined()
    await (await openStore(directory)).log.close()
  })

  it("[RT-REC-8] is refused within one process too, until the first has closed", async () => {
    const directory = scratch()
    const first = await openStore(directory)
    expect(await openSqliteStore(directory)).toMatchObject({ code: "owned", owner: { pid: process.pid } })
    // The attempt has not cost the first one its hold on the directory.
    const child = startChild(directory, "0", 1)
    const began = child.until((lines) => lines.includes("idle"))
    await expect(began).rejects.toThrow("the child ended")
    expect(child.lines).toEqual([])
    expect(await first.log.append(append)).toMatchObject({ ok: true })
    await first.log.close()
    const second = await openStore(directory)
    expect(second.log.head("s")).toBe(1)
    expect(second.runtime_id).toBe(first.runtime_id)
    await second.log.close()
    expect(existsSync(join(directory, "owner.json"))).toBe(false)
  })

  it("[RT-REC-8] of ten that start at once, one gets the store", async () => {
    const directory = scratch()
    const all = await Promise.all(Array.from({ length: 10 }, () => openSqliteStore(directory)))
    const winners = all.filter((store) => store.ok)
    expect(winners).toHaveLength(1)
    expect(all.filter((store) => !store.ok).map((store) => store.code)).toEqual(Array(9).fill("owned"))
    for (const store of winners) await store.log.close()
  })
})
