import { turnEnded } from "@factum/facts"
import { type Cell, createCells } from "./cells.ts"
import { type Command, parseCommand } from "./commands.ts"
import { type Ending, endTurn } from "./control/loop.ts"
import { decide, isDecided, sessionOf, unavailable } from "./control/table.ts"
import {
  commandKey,
  type Decision,
  type Draft,
  type Given,
  type Place,
  placeKey,
  reject,
} from "./decision.ts"
import { createDriver } from "./driver.ts"
import { performTurn } from "./execution/turn.ts"
import { owed } from "./owed.ts"
import { type Clock, type Ids, systemClock, systemIds } from "./ports/clock.ts"
import type { BlobStore, FactLog, NotAppended } from "./ports/log.ts"
import type { Model } from "./ports/model.ts"
import { getSession, getThreadRead, noSession } from "./reads.ts"
import { createRedactor } from "./redact.ts"
import { keepRetention } from "./retention.ts"
import type { Outcome, Runtime } from "./runtime.ts"
import { sessionList } from "./session-list.ts"

export type RuntimeParts = {
  store: { log: FactLog; blobs: BlobStore; runtime_id: string }
  model: Model
  clock?: Clock
  ids?: Ids
  /** Values that never reach a fact, by the name that stands in their place. */
  secrets?: Readonly<Record<string, string>>
  /** Told of defects of the runtime itself. */
  onDefect?: (error: unknown) => void
}

type Live = { session_id: string; abort: AbortController; done: Promise<void> }

const restarted: Ending = {
  status: "failed",
  category: "runtime_restart",
  reason: "The runtime stopped while this turn was running.",
  next: "What was streamed is kept; send the message again to go on.",
}
/** How long a session waits after a refused write before it is tried again. */
const writeRetryMs = 1000

/** decide → append → owed → perform. */
export async function createRuntime(parts: RuntimeParts): Promise<Runtime> {
  const { store, model, clock = systemClock, onDefect = console.error } = parts
  const { log, blobs, runtime_id } = store
  const ids = parts.ids ?? systemIds(clock)
  const redactor = createRedactor(parts.secrets)
  const cells = createCells({ log, clock, ids, redactor, runtime_id })
  const live = new Map<string, Live>()
  const endings = new Map<string, Ending>()
  const given: Given = { id: (kind) => ids.next(kind), place }
  const driver = createDriver(
    (session_id) => cells.inLine(session_id, (cell) => advance(cell)).catch(onDefect),
    () => clock.now(),
  )

  function place(id: string): Place | undefined {
    const text = log.claimed(placeKey(id))
    return text === undefined ? undefined : (JSON.parse(text) as Place)
  }

  async function execute(name: string, body: unknown): Promise<Outcome> {
    const parsed = parseCommand(name, body)
    if (!parsed.ok) return parsed
    const { command } = parsed
    if (command.name === "get_session") {
      return answer(getSession(command.input, cells.peek(command.input.session_id), log))
    }
    if (command.name === "get_thread_read") {
      return answer(getThreadRead(command.input, cells.peek(command.input.session_id), given))
    }
    if (!isDecided(command.name)) return unavailable(command.name)
    const earlier = answered(command)
    if (earlier !== undefined) return earlier
    const session_id = sessionOf(command, given)
    if (session_id === undefined) {
      const fix = 'Name a session, or say create: "session".'
      return reject("invalid_input", "No session is named.", { field: "input.session_id", fix })
    }
    if (session_id === runtime_id) return answer(noSession(session_id))
    const outcome = await cells.inLine(session_id, (cell) => carryOut(command, cell))
    if (outcome.ok) driver.wake(session_id)
    return outcome
  }

  /** The answer to a command that was carried out before under the same id. */
  function answered({ command_id, digest }: Command): Outcome | undefined {
    const text = command_id === undefined ? undefined : log.claimed(commandKey(command_id))
    return text === undefined ? undefined : firstAnswer(text, digest)
  }

  async function carryOut(command: Command, cell: Cell): Promise<Outcome> {
    const earlier = answered(command)
    if (earlier !== undefined) return earlier
    const decision = decide(command, cell.session_id, cell.state, given)
    if (!decision.ok) return answer(decision)
    const { command_id, digest } = command
    const { result } = decision
    const key = command_id === undefined ? undefined : commandKey(command_id)
    const own = key === undefined ? [] : [{ key, value: JSON.stringify({ digest, result }) }]
    const done = await cells.commit(cell, decision.facts, [...decision.claims, ...own])
    if (done.ok) return { ok: true, result }
    if (done.code === "claimed" && done.key === key) return firstAnswer(done.value, digest)
    return notWritten(done)
  }

  /** Brings the session to where nothing is owed that is not being done. */
  async function advance(cell: Cell): Promise<void> {
    for (const [turn_id, work] of live) {
      const turn = cell.state.entities.turns[turn_id]
      if (work.session_id === cell.session_id && (turn === undefined || turnEnded(turn))) work.abort.abort()
    }
    for (let rest = owed(cell.state); rest.length > 0; ) {
      const next = rest.find((work) => !live.has(work.key))
      if (next === undefined) return
      if (!next.begun) {
        start(cell, next.turn_id)
        continue
      }
      const ending = endings.get(next.turn_id) ?? restarted
      const done = await cells.commit(cell, endTurn(cell.state, next.turn_id, ending))
      if (!done.ok) return driver.at(cell.session_id, clock.now() + writeRetryMs)
      endings.delete(next.turn_id)
      rest = owed(cell.state)
    }
  }

  function start(cell: Cell, turn_id: string): void {
    const { session_id } = cell
    const abort = new AbortController()
    const release = cells.hold(cell)
    const done = performTurn({ cells, model, ids, redactor }, session_id, turn_id, abort.signal)
      .then((performed) => {
        if (typeof performed === "string") return
        const reason = `The store refused to write: ${performed.unwritten}.`
        endings.set(turn_id, { status: "failed", category: "write_failed", reason })
      })
      .catch(onDefect)
      .then(() => {
        live.delete(turn_id)
        release()
        driver.wake(session_id)
      })
    live.set(turn_id, { session_id, abort, done })
  }

  await cells.inLine(runtime_id, (cell) => cells.commit(cell, incidents(log, runtime_id)))
  const retention = keepRetention(log)
  for (const session_id of log.owing()) driver.wake(session_id)

  return {
    runtime_id,
    log,
    blobs,
    execute,
    sessions: sessionList(log, cells.peek, runtime_id),
    async close() {
      retention.stop()
      await driver.stop()
      for (const work of live.values()) work.abort.abort()
      await Promise.all([...live.values()].map((work) => work.done))
      await cells.settle()
      await log.close()
    },
  }
}

/** What a decision says to the outside, where a field is named by its path in the body. */
function answer(decision: Decision): Outcome {
  if (decision.ok) return { ok: true, result: decision.result }
  const { field, ...refusal } = decision.refusal
  return { ok: false, refusal: field === undefined ? refusal : { ...refusal, field: `input.${field}` } }
}

function firstAnswer(text: string, digest: string): Outcome {
  const first = JSON.parse(text) as { digest: string; result: unknown }
  if (first.digest === digest) return { ok: true, result: first.result }
  const fix = "Use a new command_id for a new command."
  return reject("conflict", "This command_id was used for another input.", { field: "command_id", fix })
}

function notWritten(done: NotAppended): Outcome {
  const reason = done.code === "write_failed" ? done.reason : `the store answered ${done.code}`
  return reject("write_failed", `Nothing was written: ${reason}.`, {
    fix: "Free space in the data directory if it is full, then send the command again.",
  })
}

/** What the store met on opening, as facts in the runtime's own stream. */
function incidents(log: FactLog, runtime_id: string): Draft[] {
  return log.incidents.map(({ code, detail }) => ({
    type: "runtime.warning",
    runtime_id,
    payload: { code, message: detail, affected: [{ kind: "runtime", id: runtime_id }] },
  }))
}
