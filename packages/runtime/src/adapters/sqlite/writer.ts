import { DatabaseSync } from "node:sqlite"
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import { integer, text } from "./columns.ts"
import type { Flight, Landing, WriterReady, WriterSetup } from "./flight.ts"
import { Journal, type Planned } from "./journal.ts"
import { APPLICATION_ID, FORMAT_VERSION, SCHEMA } from "./schema.ts"

const port = parentPort
if (!port) throw new Error("the writer runs as a worker thread")

/** To wake a thread takes both sides about as long as a commit, and who was just told often writes again at once. */
const LINGER_MS = 0.2

const setup: WriterSetup = workerData
const journal = opened(setup)
// What goes wrong from here on ends the thread, and whoever waits for it is told so.
if (journal !== undefined) serve(journal, port, setup.bell)

function opened(setup: WriterSetup): Journal | undefined {
  try {
    const { db, runtimeId } = openFile(setup)
    const journal = new Journal(db)
    answer({ ready: true, runtimeId })
    return journal
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    answer({ ready: false, code: isDamage(error) ? "damaged" : "not_writable", reason })
    return undefined
  }
}

function answer(ready: WriterReady) {
  port?.postMessage(ready)
}

/** Nothing else happens in this thread, so it may sleep where an event loop would wait. */
function serve(journal: Journal, port: MessagePort, bell: Int32Array) {
  let lingers = false
  for (;;) {
    const rung = Atomics.load(bell, 0)
    const received: { message: Flight } | undefined = receiveMessageOnPort(port)
    if (!received) {
      const since = performance.now()
      if (!lingers || !ringsSoon(bell, rung, since)) Atomics.wait(bell, 0, rung)
      // Only while it pays: a flight that came late would have been waited for in vain.
      lingers = performance.now() - since < 2 * LINGER_MS
      continue
    }
    port.postMessage(perform(journal, received.message))
    if (received.message.close) return
  }
}

function ringsSoon(bell: Int32Array, rung: number, since: number): boolean {
  while (performance.now() - since < LINGER_MS) if (Atomics.load(bell, 0) !== rung) return true
  return false
}

function perform(journal: Journal, flight: Flight): Landing {
  const landing: Landing = { sequences: [], positions: [] }
  const refusals: NonNullable<Landing["refusals"]> = []
  if (flight.pages !== undefined) journal.limitPages(flight.pages)
  const outcomes = flight.streams.length > 0 ? journal.land(plan(flight), flight) : []
  for (const [index, outcome] of outcomes.entries()) {
    landing.sequences.push(outcome.ok ? outcome.sequence : -1)
    landing.positions.push(outcome.ok ? outcome.position : -1)
    if (!outcome.ok) refusals.push({ index, refusal: outcome })
  }
  if (refusals.length > 0) landing.refusals = refusals
  try {
    if (flight.states.length > 0) journal.saveStates(flight.states)
  } catch {
    landing.unsaved = true
  }
  try {
    if (flight.prune) landing.pruned = journal.prune(flight.prune)
  } catch {
    // Pruning only saves room: the log is whole without it.
  }
  if (flight.close) journal.close()
  return landing
}

function plan(flight: Flight): Planned[] {
  let end = 0
  const planned = flight.streams.map((stream, index): Planned => {
    const first = end
    end += flight.counts[index] ?? 0
    const [expected, at] = [flight.expected[index] ?? 0, flight.at[index] ?? 0]
    const owing = flight.owing[index] ?? -1
    return { stream, expected, at, first, end, owing, claims: [], supersedes: [] }
  })
  for (const { index, claims, supersedes } of flight.extras) {
    const append = planned[index]
    if (append) Object.assign(append, { claims, supersedes })
  }
  return planned
}

function openFile({ path, runtimeId }: WriterSetup) {
  const db = new DatabaseSync(path, { timeout: 5000 })
  refuseForeign(db)
  // Truncated, so that what was torn is found only once.
  db.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_checkpoint(truncate)")
  // A transaction that is undone should leave no trace in the write-ahead log.
  db.exec("pragma cache_spill = off; begin immediate")
  if (pragma(db, "user_version") === 0) {
    db.exec(SCHEMA)
    db.prepare("insert into meta (key, value) values ('runtime_id', ?)").run(runtimeId)
  }
  db.exec("commit")
  const row = db.prepare("select value from meta where key = 'runtime_id'").get()
  if (!row) throw new Error("the store has no runtime id")
  return { db, runtimeId: text(row, "value") }
}

/** Once more after the look at the bytes: an old journal may have brought back what was not to be seen there. */
function refuseForeign(db: DatabaseSync) {
  const tables = integer(db.prepare("select count(*) as count from sqlite_schema").get(), "count")
  if (tables > 0 && pragma(db, "application_id") !== APPLICATION_ID) {
    throw new Error("it belongs to another program")
  }
  const version = pragma(db, "user_version")
  if (version > FORMAT_VERSION) throw new Error(`it has format ${version}, which is not known`)
}

function pragma(db: DatabaseSync, name: "application_id" | "user_version") {
  return integer(db.prepare(`pragma ${name}`).get(), name)
}

/** SQLITE_CORRUPT, SQLITE_NOTADB, or a missing table. */
function isDamage(error: unknown) {
  if (!(error instanceof Error) || !("errcode" in error)) return true
  return [1, 11, 26].includes(Number(error.errcode) % 256)
}
