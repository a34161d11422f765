import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { openSqliteStore } from "../src/adapters/sqlite/index.ts"

const directory = mkdtempSync(join(tmpdir(), "factum-bench-"))
const text = JSON.stringify({ type: "model.delta", payload: "x".repeat(980) })
let made = 0
const eventId = () => `evt_${String(++made).padStart(26, "0")}`
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const store = await openSqliteStore(join(directory, "store"))
if (!store.ok) throw new Error(store.message)
const { log } = store
const bare = new DatabaseSync(join(directory, "bare.db"))
bare.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table facts (stream integer not null, sequence integer not null, position integer not null,
    prunable integer not null, text text not null, primary key (stream, sequence)) without rowid;
  create table event_ids (event_id text primary key, stream integer not null, sequence integer not null) without rowid`)
const insertFact = bare.prepare("insert into facts values (?, ?, ?, 0, ?)")
const insertId = bare.prepare("insert into event_ids values (?, ?, ?)")
const file = openSync(join(directory, "plain"), "a")

function plain(count: number) {
  const bytes = Buffer.from(text)
  for (let i = 0; i < count; i++) {
    writeSync(file, bytes)
    fdatasyncSync(file)
  }
}

async function oneByOne(count: number) {
  let expected = log.head("one")
  for (let i = 0; i < count; i++) {
    await log.append({ stream: "one", expected: expected++, facts: [{ event_id: eventId(), text }] })
  }
}

const heads = new Map<string, number>()
function bareGroups(streams: number, count: number) {
  for (let i = 0; i < count; i += 256) {
    bare.exec("begin immediate")
    for (let j = 0; j < 256; j++) {
      const stream = j % streams
      const sequence = (heads.get(`bare${streams}${stream}`) ?? 0) + 1
      heads.set(`bare${streams}${stream}`, sequence)
      insertFact.run(streams * 1000 + stream, sequence, ++made, text)
      insertId.run(eventId(), stream, sequence)
    }
    bare.exec("commit")
  }
}

async function concurrent(streams: number, count: number) {
  const expected = new Map<string, number>()
  let left = count
  const producer = async (_: unknown, index: number) => {
    const stream = `many${streams}/${index % streams}`
    while (left-- > 0) {
      const head = expected.get(stream) ?? log.head(stream)
      expected.set(stream, head + 1)
      const done = await log.append({ stream, expected: head, facts: [{ event_id: eventId(), text }] })
      if (!done.ok) throw new Error(JSON.stringify(done))
    }
  }
  await Promise.all(Array.from({ length: 256 }, producer))
}

async function ratio(name: string, reference: () => void, measured: () => Promise<void>) {
  const ratios: number[] = []
  for (let round = 0; round < 7; round++) {
    const start = performance.now()
    reference()
    const between = performance.now()
    await measured()
    ratios.push((between - start) / (performance.now() - between))
  }
  console.log(name, median(ratios).toFixed(2), ratios.map((r) => r.toFixed(2)).join(" "))
}

await ratio(
  "one at a time / write+fdatasync",
  () => plain(1000),
  () => oneByOne(1000),
)
await ratio(
  "256 concurrent on 1 stream / bare",
  () => bareGroups(1, 25_600),
  () => concurrent(1, 25_600),
)
await ratio(
  "256 concurrent on 256 streams / bare",
  () => bareGroups(256, 25_600),
  () => concurrent(256, 25_600),
)
await log.close()
bare.close()
rmSync(directory, { recursive: true })
