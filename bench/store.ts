import { join } from "node:path"
import { systemClock, systemIds } from "@factum/runtime"
import { openSqliteStore, type SqliteStore } from "@factum/runtime/sqlite"
import { type Cell, createCells } from "../packages/runtime/src/cells.ts"
import { moveTo, startTurn } from "../packages/runtime/src/control/loop.ts"
import type { Draft } from "../packages/runtime/src/decision.ts"
import { createRedactor } from "../packages/runtime/src/redact.ts"

export type Bench = Awaited<ReturnType<typeof openBench>>

/** The runtime's own path to the log: decided, masked, validated, stamped, committed, folded, acknowledged. */
export async function openBench(folder: string) {
  const store = await open(folder)
  const ids = systemIds(systemClock)
  const { log, runtime_id } = store
  const cells = createCells({ log, clock: systemClock, ids, redactor: createRedactor(), runtime_id })

  /** A session with one turn that is running. */
  async function startSession(session_id: string): Promise<void> {
    await cells.inLine(session_id, async (cell) => {
      const thread = { session_id, thread_id: `thr_${session_id}` }
      const opening: Draft[] = [
        { type: "session.created", session_id, payload: { title: "Bench" } },
        { type: "thread.started", ...thread, payload: {} },
        {
          type: "turn.submitted",
          ...thread,
          turn_id: turnOf(session_id),
          payload: { input: [{ kind: "text", text: "go" }], source: "bench" },
        },
      ]
      await commit(cell, opening)
      await commit(cell, startTurn(cell.state, turnOf(session_id)))
    })
  }

  async function commit(cell: Cell, drafts: readonly Draft[]): Promise<void> {
    const done = await cells.commit(cell, drafts)
    if (!done.ok) throw new Error(`not committed: ${done.code}`)
  }

  /** One fact of about 1 kB, decided from the state: the turn moves between running and waiting. */
  function step(session_id: string): Promise<void> {
    return cells.inLine(session_id, (cell) => {
      const phase = cell.state.entities.runs[turnOf(session_id)]?.phase
      const next = phase === "running" ? "waiting_resource" : "running"
      return commit(cell, moveTo(cell.state, turnOf(session_id), next, "Working", detail))
    })
  }

  return { store, log, cells, startSession, step, commit }
}

export const turnOf = (session_id: string): string => `trn_${session_id}`
const detail = "The bench fills this status with plain words until the fact is one kilobyte long. ".repeat(7)

async function open(folder: string): Promise<SqliteStore> {
  const store = await openSqliteStore(join(folder, "store"))
  if (!store.ok) throw new Error(store.message)
  return store
}
