import { fdatasyncSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { DatabaseSync } from "node:sqlite"
import { type Figure, figure, inTemporaryFolder, sideBySide } from "./measure.ts"
import { openBench } from "./store.ts"

const rounds = 7

export function append(): Promise<Figure[]> {
  return inTemporaryFolder(async (folder) => {
    const bench = await openBench(folder)
    await bench.startSession("one")
    await bench.step("one")
    const text = bench.log.readBefore("one", Number.MAX_SAFE_INTEGER, 1)[0]?.text ?? ""
    const figures = [await oneAtATime(folder, bench, text), ...(await concurrent(folder, bench, text))]
    await bench.log.close()
    return figures
  })
}

type Bench = Awaited<ReturnType<typeof openBench>>

async function oneAtATime(folder: string, bench: Bench, text: string): Promise<Figure> {
  const count = 500
  const file = openSync(join(folder, "plain"), "a")
  const bytes = Buffer.from(`${text}\n`)
  const { peer, ours } = await sideBySide(
    rounds,
    count,
    () => {
      for (let i = 0; i < count; i++) {
        writeSync(file, bytes)
        fdatasyncSync(file)
      }
    },
    async () => {
      for (let i = 0; i < count; i++) await bench.step("one")
    },
  )
  const name = `durable facts of ${bytes.length} bytes, one at a time`
  return figure(name, "facts/s", ours, "write + fdatasync of the same bytes", peer, { at_least: 0.8 })
}

async function concurrent(folder: string, bench: Bench, text: string): Promise<Figure[]> {
  const writers = 256
  const each = 40
  const sessions = Array.from({ length: writers }, (_, index) => `many${index}`)
  await Promise.all(sessions.map((session) => bench.startSession(session)))
  const bare = bareTable(join(folder, "bare.db"))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const { peer, ours } = await sideBySide(
    rounds,
    writers * each,
    () => {
      for (let group = 0; group < each; group++) bare(text, writers)
    },
    async () => {
      delay.enable()
      await Promise.all(
        sessions.map(async (session) => {
          for (let i = 0; i < each; i++) await bench.step(session)
        }),
      )
      delay.disable()
    },
  )
  const peerName = "a bare node:sqlite loop inserting the same rows in groups of 256"
  // The monitor's own timer has a resolution of 1 ms, which is part of what it reports.
  const blocked = delay.percentile(99) / 1e6 - 1
  return [
    figure("durable facts, 256 writers at once", "facts/s", ours, peerName, peer, { at_least: 0.6 }),
    figure("event loop delay meanwhile, p99", "ms", blocked, "limit", 5, { at_most: 1 }),
  ]
}

/** The tables of the store without anything around them. */
function bareTable(path: string) {
  const db = new DatabaseSync(path)
  db.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table facts (id integer primary key, position integer not null, prunable integer not null,
      text text not null);
    create table event_ids (event_id text primary key, stream integer not null, sequence integer not null)
      without rowid`)
  const fact = db.prepare("insert into facts values (?, ?, 0, ?)")
  const id = db.prepare("insert into event_ids values (?, ?, ?)")
  let made = 0
  let sequence = 0
  return (text: string, streams: number) => {
    sequence++
    db.exec("begin immediate")
    for (let stream = 0; stream < streams; stream++) {
      fact.run(stream * 2 ** 27 + sequence, ++made, text)
      id.run(`evt_${String(made).padStart(26, "0")}`, stream, sequence)
    }
    db.exec("commit")
  }
}
