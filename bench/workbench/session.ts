import { join } from "node:path"
import { emptySession, formatId } from "@factum/facts"
import { type Clock, createRuntime, type Ids, type Runtime } from "@factum/runtime"
import { openSqliteStore, type SqliteStore } from "@factum/runtime/sqlite"
import { folded, saved } from "../../packages/runtime/src/journal.ts"
import { agent, model, said } from "./agent.ts"

export type Fact = Parameters<typeof folded>[1][number]
/** A session in the log: what it is called there, and how many facts and turns it has. */
export type Recorded = { session_id: string; facts: number; turns: number }

/** So many turns are really run; what follows repeats them under ids and at times of their own. */
const really = 9
/** So many of them are written at once. */
const together = 50
const begins = Date.parse("2025-01-01T09:00:00.000Z")
const minute = 60_000

/** A data folder with one session for each number of turns, the same at every time. */
export async function record(folder: string, turns: readonly number[]): Promise<Recorded[]> {
  const sessions = await perform(folder, turns.length)
  const store = await open(folder)
  const recorded: Recorded[] = []
  for (const [at, session_id] of sessions.entries()) {
    recorded.push(await repeat(store, session_id, turns[at] ?? 0))
  }
  await store.log.close()
  return recorded
}

/** All facts of a session, as the log holds them. */
export async function factsOf(folder: string, session_id: string): Promise<Fact[]> {
  const { log } = await open(folder)
  const facts = read(log, session_id)
  await log.close()
  return facts
}

async function open(folder: string): Promise<Extract<SqliteStore, { ok: true }>> {
  const store = await openSqliteStore(join(folder, "data"))
  if (!store.ok) throw new Error(store.message)
  return store
}

const read = (log: SqliteStore["log"], session_id: string): Fact[] =>
  log.read(session_id, 0, Number.MAX_SAFE_INTEGER).map(({ text }): Fact => JSON.parse(text))

async function perform(folder: string, count: number): Promise<string[]> {
  let now = begins
  let made = 0
  const clock: Clock = { now: () => ++now }
  const ids: Ids = {
    next: (kind) => {
      const place = new DataView(new ArrayBuffer(16))
      for (let rest = ++made, at = 15; rest > 0; rest = Math.floor(rest / 32), at--)
        place.setUint8(at, rest % 32)
      return formatId(kind, now, new Uint8Array(place.buffer))
    },
  }
  const runtime = await createRuntime({ store: await open(folder), model, agent, clock, ids })
  const sessions: string[] = []
  for (let session = 0; session < count; session++) {
    let to: object = { create: "session" }
    for (let turn = 0; turn < really; turn++) to = { session_id: await answered(runtime, to, turn) }
    sessions.push("session_id" in to ? String(to.session_id) : "")
  }
  await runtime.close()
  return sessions
}

async function answered(runtime: Runtime, to: object, turn: number): Promise<string> {
  const input = { ...to, input: [{ kind: "text", text: said.turn(turn) }] }
  const outcome = await runtime.execute("submit_turn", { input })
  if (!outcome.ok) throw new Error(outcome.refusal.message)
  const { session_id } = outcome.result as { session_id: string }
  for (;;) {
    const [last] = runtime.log.readBefore(session_id, Number.MAX_SAFE_INTEGER, 1)
    const fact: Fact | undefined = last && JSON.parse(last.text)
    if (fact?.type === "thread.updated" && fact.payload.status === "idle") return session_id
    await new Promise(setImmediate)
  }
}

/** Goes on with what was run, until the session has so many turns. */
async function repeat({ log }: SqliteStore, session_id: string, turns: number): Promise<Recorded> {
  const known = read(log, session_id)
  const starts = known.flatMap(({ type }, at) => (type === "turn.submitted" ? [at] : []))
  // The first turn also begins the session.
  const patterns = starts.slice(1).map((from, at) => known.slice(from, starts[at + 2]))
  let state = folded(emptySession, known)
  for (let turn = really; turn < turns; turn += together) {
    const facts: Fact[] = []
    for (let one = turn; one < Math.min(turns, turn + together); one++) {
      for (const fact of patterns[one % patterns.length] ?? [])
        facts.push(again(fact, one, state.sequence + 1 + facts.length))
    }
    const done = await log.append({
      stream: session_id,
      expected: state.sequence,
      facts: facts.map((fact) => ({ event_id: fact.event_id, text: JSON.stringify(fact) })),
      owing: false,
    })
    if (!done.ok) throw new Error(`not appended: ${done.code}`)
    state = folded(state, facts)
  }
  await log.saveState({ stream: session_id, sequence: state.sequence, text: saved(state) })
  return { session_id, facts: state.sequence, turns }
}

/** The same fact of a later turn: its ids, places and time are its own, those of session and thread stay. */
function again(fact: Fact, turn: number, sequence: number): Fact {
  const shift = sequence - fact.sequence
  const time = formatId("event", begins + turn * minute, new Uint8Array(16)).slice(4, 14)
  const text = JSON.stringify(fact)
    .replace(/\b(?!ses_|thr_)([a-z]{3})_[0-9A-Z]{10}([0-9A-Z]{16})\b/g, `$1_${time}$2`)
    .replace(/"turn \d+:/, `"turn ${turn}:`)
  const moved = (key: string, value: unknown): unknown => {
    if (key === "through_sequence") return Number(value) + shift
    if (key !== "supersedes" || typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([end, at]) => [end, Number(at) + shift]))
  }
  const timestamp = new Date(Date.parse(fact.timestamp) + turn * minute).toISOString()
  return { ...JSON.parse(text, moved), sequence, timestamp }
}
