import { turnEnded } from "@factum/facts"
import type { Cell, Cells } from "./cells.ts"
import { type Ending, endTurn, scopeOf } from "./control/loop.ts"
import type { Draft } from "./decision.ts"
import { createDriver } from "./driver.ts"
import { performTurn, type TurnPorts } from "./execution/turn.ts"
import { owed } from "./owed.ts"
import type { Clock } from "./ports/clock.ts"

export type Advancing = {
  wake(session_id: string): void
  /** Begins nothing more and stops what runs; the log tells the next start what was under way. */
  stop(): Promise<void>
}

const restarted: Ending = {
  status: "failed",
  category: "runtime_restart",
  reason: "The runtime stopped while this turn was running.",
  next: "What was streamed is kept; send the message again to go on.",
}
/** How long a session waits after a refused write before it is tried again. */
const retryMs = 1000
/** How long a stop waits for a model that does not heed it. */
const graceMs = 2000

type Live = { session_id: string; abort: AbortController; done: Promise<void> }

/** Does what the sessions owe. */
export function createAdvancing(
  ports: TurnPorts & { cells: Cells },
  clock: Clock,
  onDefect: (error: unknown) => void,
): Advancing {
  const { cells } = ports
  const live = new Map<string, Live>()
  /** Why a turn of this process came to nothing; without an entry its process is gone. */
  const endings = new Map<string, Ending>()
  const driver = createDriver(
    (session_id) => cells.inLine(session_id, (cell) => advance(cell)).catch(onDefect),
    () => clock.now(),
  )

  /** Brings the session to where nothing is owed that is not being done. */
  async function advance(cell: Cell): Promise<void> {
    for (const [turn_id, work] of live) {
      const turn = cell.state.entities.turns[turn_id]
      if (work.session_id === cell.session_id && (turn === undefined || turnEnded(turn))) work.abort.abort()
    }
    for (let rest = owed(cell.state); rest.length > 0; ) {
      const next = rest.find((work) => !live.has(work.key))
      if (next === undefined) return
      const ending = endings.get(next.turn_id)
      if (!next.begun && ending?.status !== "failed") {
        start(cell, next.turn_id)
        continue
      }
      const done = await cells.commit(cell, ended(cell, next.turn_id, ending ?? restarted))
      if (!done.ok) return driver.at(cell.session_id, clock.now() + retryMs)
      endings.delete(next.turn_id)
      rest = owed(cell.state)
    }
  }

  function start(cell: Cell, turn_id: string): void {
    const { session_id } = cell
    const abort = new AbortController()
    const release = cells.hold(cell)
    const over = (delay: number) => {
      live.delete(turn_id)
      release()
      if (delay === 0) driver.wake(session_id)
      else driver.at(session_id, clock.now() + delay)
    }
    const done = performTurn(ports, session_id, turn_id, abort.signal).then(
      (performed) => {
        if (typeof performed === "string") return over(0)
        // Tried again at once, a store that refuses would keep the process busy with nothing else.
        const begun = cell.state.entities.turns[turn_id]?.status !== "accepted"
        const reason = `The store refused to write: ${performed.unwritten}.`
        if (begun) endings.set(turn_id, { status: "failed", category: "write_failed", reason })
        over(retryMs)
      },
      (error: unknown) => {
        onDefect(error)
        const reason = `The runtime met an error of its own: ${messageOf(error)}`
        endings.set(turn_id, { status: "failed", category: "internal_error", reason })
        over(0)
      },
    )
    live.set(turn_id, { session_id, abort, done })
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

/** A defect of our own is a fact of its own beside the end of the turn. */
function ended({ state }: Cell, turn_id: string, ending: Ending): Draft[] {
  const facts = endTurn(state, turn_id, ending)
  if (ending.status === "completed" || ending.category !== "internal_error") return facts
  const payload = {
    code: ending.category,
    message: ending.reason,
    affected: [{ kind: "turn", id: turn_id }],
  }
  return [{ type: "runtime.error", ...scopeOf(state, turn_id), payload }, ...facts]
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
