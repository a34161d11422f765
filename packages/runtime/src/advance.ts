import { type SessionState, turnEnded } from "@factum/facts"
import type { Cell } from "./cells.ts"
import { expiries } from "./control/actions.ts"
import { compactionFailed } from "./control/compaction.ts"
import { type Ending, endTurn, scopeOf } from "./control/loop.ts"
import { inDoubt, recovered } from "./control/recovery.ts"
import type { Draft } from "./decision.ts"
import { createDriver } from "./driver.ts"
import { performTurn, type TurnPorts } from "./execution/turn.ts"
import { historyFacts } from "./history.ts"
import { orphaned } from "./orphans.ts"
import { owed, type Work } from "./owed.ts"

export type Advancing = {
  wake(session_id: string): void
  /** Begins nothing more and stops what runs; the log tells the next start what was under way. */
  stop(): Promise<void>
}

/** How long a session waits after a refused write before it is tried again. */
const retryMs = 1000
/** How long a stop waits for a model that does not heed it. */
const graceMs = 2000

type Live = { session_id: string; abort: AbortController; done: Promise<void>; ring: () => void }

/** Does what the sessions owe. */
export function createAdvancing(ports: TurnPorts, onDefect: (error: unknown) => void): Advancing {
  const { cells, clock, processes, compacting } = ports
  const live = new Map<string, Live>()
  /** Why a turn of this process came to nothing. */
  const endings = new Map<string, Ending>()
  /** Where a turn came to rest that waits for somebody: without a new fact it would only rest again. */
  const resting = new Map<string, number | "stuck">()
  const driver = createDriver(
    (session_id) => cells.inLine(session_id, (cell) => advance(cell)).catch(onDefect),
    () => clock.now(),
  )

  async function advance(cell: Cell): Promise<void> {
    await perform(cell)
    endBound(cell)
  }

  /** Brings the session to where nothing is owed that is not being done. */
  async function perform(cell: Cell): Promise<void> {
    for (const [turn_id, work] of live) {
      const turn = cell.state.entities.turns[turn_id]
      if (work.session_id === cell.session_id && (turn === undefined || turnEnded(turn))) work.abort.abort()
    }
    for (const turn_id of resting.keys()) if (isOver(cell, turn_id)) resting.delete(turn_id)
    if (!(await expire(cell))) return
    for (const work of live.values()) if (work.session_id === cell.session_id) work.ring()
    for (let rest = owed(cell.state); rest.length > 0; ) {
      const next = rest.find(isIdle(cell))
      if (next === undefined) return
      if (next.kind !== "turn") {
        const found =
          next.kind === "process"
            ? await orphaned(cell.state, next.process_id)
            : next.kind === "subagent"
              ? await ports.delegation.end(cell, next.subagent_id)
              : compactionFailed(cell.state, next.thread_id, next.key, "The runtime stopped during it.")
        const done = await cells.commit(cell, found)
        if (!done.ok) return driver.at(cell.session_id, clock.now() + retryMs)
        rest = owed(cell.state)
        continue
      }
      const { turn_id } = next
      const ending = endings.get(turn_id)
      const doubts = ending === undefined ? inDoubt(cell.state, turn_id) : []
      if (ending === undefined && doubts.length === 0) {
        const goesOn = cell.state.entities.turns[turn_id]?.status === "running"
        const rebuilt = goesOn ? historyFacts(cell, "to go on with work that was open") : []
        const told = await cells.commit(cell, rebuilt)
        if (!told.ok) return driver.at(cell.session_id, clock.now() + retryMs)
        start(cell, turn_id)
        continue
      }
      const facts = ending === undefined ? recovered(cell.state, turn_id) : ended(cell, turn_id, ending)
      const done = await cells.commit(cell, facts)
      if (!done.ok) return driver.at(cell.session_id, clock.now() + retryMs)
      endings.delete(turn_id)
      rest = owed(cell.state)
    }
  }

  /** Whichever way a turn came to its end, its processes end with it. Not waited for: their ends are told in this line. */
  function endBound(cell: Cell): void {
    const { session_id } = cell
    const bound = processes.list({ session_id }).filter(({ long_lived }) => !long_lived)
    for (const turn_id of new Set(bound.map((process) => process.turn_id)))
      if (turn_id !== undefined && isOver(cell, turn_id))
        processes.endTurn({ session_id, turn_id }).catch(onDefect)
  }

  const isIdle =
    ({ state }: Cell) =>
    (work: Work): boolean => {
      if (work.kind === "subagent") return true
      if (work.kind === "process")
        return !processes.list().some(({ process_id }) => process_id === work.process_id)
      if (work.kind === "compaction") return !compacting.has(work.key)
      const rests = resting.get(work.key)
      if (rests === "stuck" && !isBlocked(state, work.turn_id)) return !live.has(work.key)
      return !live.has(work.key) && !isResting(rests, state.sequence)
    }

  /** Actions that nobody answered in time are settled; the next one is waited for. */
  async function expire(cell: Cell): Promise<boolean> {
    const { facts, next } = expiries(cell.state, clock.now())
    if (next !== undefined) driver.at(cell.session_id, next)
    if (facts.length === 0) return true
    const done = await cells.commit(cell, facts)
    if (!done.ok) driver.at(cell.session_id, clock.now() + retryMs)
    return done.ok
  }

  function start(cell: Cell, turn_id: string): void {
    const { session_id } = cell
    const abort = new AbortController()
    let ring = () => {}
    const changed = () =>
      new Promise<void>((resolve) => {
        ring = resolve
      })
    const release = cells.hold(cell)
    const over = (delay: number) => {
      live.delete(turn_id)
      release()
      if (delay === 0) driver.wake(session_id)
      else driver.at(session_id, clock.now() + delay)
    }
    const done = performTurn(ports, session_id, turn_id, abort.signal, changed).then(
      (performed) => {
        resting.delete(turn_id)
        if (performed === "stuck") resting.set(turn_id, "stuck")
        if (typeof performed === "string") return over(0)
        if ("rests" in performed) {
          // What came since it looked is looked at: the wake below must not find it resting.
          resting.set(turn_id, performed.rests)
          return over(0)
        }
        if ("until" in performed) return over(Math.max(1, performed.until - clock.now()))
        // Tried again at once, a store that refuses would keep the process busy with nothing else.
        const begun = cell.state.entities.turns[turn_id]?.status !== "accepted"
        const reason = `The store refused to write: ${performed.unwritten}.`
        if (begun) endings.set(turn_id, { status: "failed", category: "write_failed", reason })
        over(retryMs)
      },
      (error: unknown) => {
        onDefect(error)
        abort.abort()
        resting.delete(turn_id)
        const reason = `The runtime met an error of its own: ${messageOf(error)}`
        endings.set(turn_id, { status: "failed", category: "internal_error", reason })
        over(0)
      },
    )
    live.set(turn_id, { session_id, abort, done, ring: () => ring() })
  }

  return {
    wake: driver.wake,
    async stop() {
      await driver.stop()
      for (const work of live.values()) work.abort.abort()
      const all = Promise.all([...live.values()].map((work) => work.done))
      const grace = new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref())
      await Promise.race([all, grace])
    },
  }
}

/** Only of a turn that this session knows. */
function isOver({ state }: Cell, turn_id: string): boolean {
  const turn = state.entities.turns[turn_id]
  return turn !== undefined && turnEnded(turn)
}

/** A thread that was resumed is no longer blocked, and its turn is tried again. */
const isBlocked = ({ entities }: SessionState, turn_id: string): boolean =>
  entities.threads[entities.turns[turn_id]?.thread_id ?? ""]?.status === "blocked"

const isResting = (at: number | "stuck" | undefined, sequence: number): boolean =>
  at === "stuck" || at === sequence

/** What ends work and is no outcome of it is a fact of its own beside the end of the turn. */
function ended({ state }: Cell, turn_id: string, ending: Ending): Draft[] {
  const facts = endTurn(state, turn_id, ending)
  if (ending.status === "completed" || !fatal.has(ending.category)) return facts
  const payload = {
    code: ending.category,
    message: ending.reason,
    affected: [{ kind: "turn", id: turn_id }],
  }
  return [{ type: "runtime.error", ...scopeOf(state, turn_id), payload }, ...facts]
}

/** A defect of our own, and a store that does not take what has to be written. */
const fatal: ReadonlySet<string> = new Set(["internal_error", "write_failed"])

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
