import { createAdvancing } from "./advance.ts"
import { type Cells, createCells } from "./cells.ts"
import { type Given, type Place, placeKey } from "./decision.ts"
import { createExecute } from "./execute.ts"
import { type Clock, type Ids, systemClock, systemIds } from "./ports/clock.ts"
import type { BlobStore, FactLog } from "./ports/log.ts"
import type { Model } from "./ports/model.ts"
import { createRedactor } from "./redact.ts"
import { keepRetention } from "./retention.ts"
import type { Runtime } from "./runtime.ts"
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

/** decide → append → owed → perform. */
export async function createRuntime(parts: RuntimeParts): Promise<Runtime> {
  const { store, model, clock = systemClock, onDefect = console.error } = parts
  const { log, blobs, runtime_id } = store
  const ids = parts.ids ?? systemIds(clock)
  const redactor = createRedactor(parts.secrets)
  const cells = createCells({ log, clock, ids, redactor, runtime_id })
  const given: Given = {
    id: (kind) => ids.next(kind),
    place: (id) => placeOf(log, id),
    mask: (text) => redactor.text(text).value,
  }
  const incidents = incidentReport(log, cells, runtime_id)
  const advancing = createAdvancing({ cells, model, ids, redactor }, clock, onDefect)
  const wake = (session_id: string) => {
    advancing.wake(session_id)
    incidents().catch(onDefect)
  }

  await incidents()
  const retention = keepRetention(log)
  for (const session_id of log.owing()) advancing.wake(session_id)

  return {
    runtime_id,
    log,
    blobs,
    execute: createExecute({ cells, log, given, runtime_id, wake }),
    sessions: sessionList(log, cells.peek, runtime_id),
    async close() {
      retention.stop()
      await advancing.stop()
      await cells.settle()
      await log.close()
    },
  }
}

function placeOf(log: FactLog, id: string): Place | undefined {
  const text = log.claimed(placeKey(id))
  return text === undefined ? undefined : (JSON.parse(text) as Place)
}

/** What the store met, on opening and later, becomes facts in the runtime's own stream, each once. */
function incidentReport(log: FactLog, cells: Cells, runtime_id: string): () => Promise<void> {
  let reported = 0
  return async () => {
    const fresh = log.incidents.slice(reported)
    if (fresh.length === 0) return
    reported += fresh.length
    const affected = [{ kind: "runtime", id: runtime_id }]
    await cells.inLine(runtime_id, (cell) =>
      cells.commit(
        cell,
        fresh.map(({ code, detail }) => ({
          type: "runtime.warning",
          runtime_id,
          payload: { code, message: detail, affected },
        })),
      ),
    )
  }
}
