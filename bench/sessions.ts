import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type FactLog, systemClock, systemIds } from "@factum/runtime"
import { createCells } from "../packages/runtime/src/cells.ts"
import { moveTo } from "../packages/runtime/src/control/loop.ts"
import { restore } from "../packages/runtime/src/journal.ts"
import { getSession } from "../packages/runtime/src/reads.ts"
import { createRedactor } from "../packages/runtime/src/redact.ts"
import { type Figure, figure, inTemporaryFolder, median, sideBySide, timed } from "./measure.ts"
import { type Bench, openBench, turnOf } from "./store.ts"

export function sessions(): Promise<Figure[]> {
  return inTemporaryFolder(async (folder) => {
    const bench = await openBench(folder)
    const figures = [await replay(folder, bench), ...(await opening(bench))]
    await bench.log.close()
    return figures
  })
}

async function fill(bench: Bench, session_id: string, count: number): Promise<void> {
  await bench.startSession(session_id)
  const progress = Math.ceil(count / 10)
  for (let made = 0; made < count; made += 500) {
    await bench.cells.inLine(session_id, (cell) => {
      const [running] = moveTo(cell.state, turnOf(session_id), "running", "Working", "on it")
      const [waiting] = moveTo(cell.state, turnOf(session_id), "waiting_resource", "Waiting", "for a file")
      const one = running ?? waiting
      if (one === undefined) throw new Error("the turn may not move")
      return bench.commit(
        cell,
        Array.from({ length: 500 }, () => one),
      )
    })
    if (count >= 1_000_000 && made % progress < 500) console.error(`  ${made} of ${count} facts`)
  }
}

/** Reading and folding a whole session, beside reading and parsing its rows with nothing else. */
async function replay(folder: string, { log, ...bench }: Bench): Promise<Figure> {
  const count = 20_000
  await bench.startSession("replayed")
  for (let i = 0; i < count; i += 50)
    await Promise.all(Array.from({ length: 50 }, () => bench.step("replayed")))
  const db = new DatabaseSync(join(folder, "store", "factum.db"), { readOnly: true })
  const rows = db.prepare(
    `select text from facts where id > (select id from streams where name = ?1) << 27
       and id < ((select id from streams where name = ?1) + 1) << 27 order by id`,
  )
  const read: FactLog["read"] = (...args) => log.read(...args)
  const fromTheStart = { read, loadState: () => undefined }
  const { peer, ours } = await sideBySide(
    9,
    count,
    () => {
      for (const row of rows.all("replayed")) JSON.parse(String(row.text))
    },
    () => restore(fromTheStart, "replayed"),
  )
  db.close()
  return figure("replay of a session", "facts/s", ours, "a bare read + JSON.parse", peer, { at_least: 0.7 })
}

/** What a person waits for when a session is opened that is not in memory. */
async function opening(bench: Bench): Promise<Figure[]> {
  await fill(bench, "small", 1000)
  await fill(bench, "large", 1_000_000)
  const { log, store } = bench
  // Facts after the newest saved state, as many as there can be: they are folded on opening.
  for (const session_id of ["small", "large"]) for (let i = 0; i < 500; i++) await bench.step(session_id)
  const open = (session_id: string) => {
    const ids = systemIds(systemClock)
    const cells = createCells({
      log,
      clock: systemClock,
      ids,
      redactor: createRedactor(),
      runtime_id: store.runtime_id,
    })
    const outcome = getSession({ session_id }, cells.peek(session_id), log)
    if (!outcome.ok) throw new Error(outcome.refusal.message)
    JSON.stringify(outcome.result)
  }
  const times = { small: [] as number[], large: [] as number[] }
  for (let round = 0; round < 30; round++) {
    times.small.push(await timed(() => open("small")))
    times.large.push(await timed(() => open("large")))
  }
  const [small, large] = [median(times.small), median(times.large)]
  return [
    figure("opening a session of 1,000,000 facts", "ms", large, "limit", 50, { at_most: 1 }),
    figure("the same", "ms", large, "opening a session of 1,000 facts", small, { at_most: 1.5 }),
  ]
}
