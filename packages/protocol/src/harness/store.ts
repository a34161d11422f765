import type { ActionGraph } from "../action.ts"
import type { Declaration } from "../declaration/normalized.ts"
import type { Authority } from "../executor.ts"
import type { RunEvent } from "../run.ts"

export type StoredRun = {
  run_id: string
  authority: Authority
  declaration: Declaration
  graph: ActionGraph
  events: readonly RunEvent[]
  goal?: string
}

/** Where runs outlive the process. Each call may fail; then nothing was stored. */
export type RunStore = {
  create(run: StoredRun): Promise<void>
  append(run_id: string, events: readonly RunEvent[]): Promise<void>
  load(): Promise<readonly StoredRun[]>
}

export type MemoryStore = RunStore & { failing: boolean; readonly runs: ReadonlyMap<string, StoredRun> }

/** Keeps runs as text, so that nothing live is shared across a crash. Fails while it is told to. */
export function memoryStore(): MemoryStore {
  const texts = new Map<string, string>()
  const read = (text: string): StoredRun => JSON.parse(text)
  const store: MemoryStore = {
    failing: false,
    get runs() {
      return new Map([...texts].map(([id, text]) => [id, read(text)]))
    },
    async create(run) {
      if (store.failing) throw new Error("The store is not there.")
      texts.set(run.run_id, JSON.stringify(run))
    },
    async append(run_id, events) {
      const text = texts.get(run_id)
      if (store.failing || text === undefined) throw new Error("The store is not there.")
      const run = read(text)
      texts.set(run_id, JSON.stringify({ ...run, events: [...run.events, ...events] }))
    },
    async load() {
      return [...texts.values()].map(read)
    },
  }
  return store
}
