import { emptySession, type SessionState } from "@factum/facts"
import type { Draft } from "./decision.ts"
import { historyFacts, snapshotFacts } from "./history.ts"
import { type JournalParts, type Recorded, type Restored, record, restore, saved } from "./journal.ts"
import type { Claim } from "./ports/log.ts"

/** How many facts may follow a saved state before it is saved again; bounds the cost of opening a session. */
const saveEvery = 512
/** How many sessions without work may stay in memory, and how many of them for longer than a moment. */
const mostIdle = 512
const keepIdle = 32
const momentMs = 5000

/** One session in memory: its folded state, and the line in which its writers stand. */
export type Cell = {
  readonly session_id: string
  state: SessionState
  /** How the state was come by, until something has been written since. */
  restored?: Restored | undefined
  savedAt: number
  /** What the saved state that is surely kept reflects. */
  kept: number
  line: Promise<unknown>
  /** Writers in line and work in progress; a cell with none may leave memory. */
  users: number
  usedAt: number
}

export type Cells = {
  /** Runs `job` when everything before it in this session is done. */
  inLine<T>(session_id: string, job: (cell: Cell) => Promise<T> | T): Promise<T>
  commit(cell: Cell, drafts: readonly Draft[], claims?: readonly Claim[]): Promise<Recorded>
  /** Keeps a cell in memory while work of it is in progress. */
  hold(cell: Cell): () => void
  /** The state as of now, without waiting in line. */
  peek(session_id: string): SessionState
  count(): number
  settle(): Promise<void>
}

const unknown = { state: emptySession, savedAt: 0, restored: undefined }

export function createCells(parts: JournalParts): Cells {
  const cells = new Map<string, Cell>()
  let sweep: NodeJS.Timeout | undefined

  function open(session_id: string): Cell {
    const known = cells.get(session_id)
    if (known !== undefined) {
      // Moved to the end: the map's order is the order of last use.
      cells.delete(session_id)
      cells.set(session_id, known)
      known.usedAt = performance.now()
      return known
    }
    const exists = parts.log.head(session_id) > 0
    const { state, savedAt, restored } = exists ? restore(parts.log, session_id) : unknown
    const cell: Cell = {
      session_id,
      state,
      savedAt,
      kept: savedAt,
      restored,
      line: Promise.resolve(),
      users: 0,
      usedAt: performance.now(),
    }
    cells.set(session_id, cell)
    return cell
  }

  function inLine<T>(session_id: string, job: (cell: Cell) => Promise<T> | T): Promise<T> {
    const cell = open(session_id)
    cell.users++
    const turn = cell.line.then(() => job(cell))
    const release = () => {
      cell.users--
      evict()
    }
    cell.line = turn.then(release, release)
    return turn
  }

  async function commit(
    cell: Cell,
    drafts: readonly Draft[],
    claims: readonly Claim[] = [],
  ): Promise<Recorded> {
    if (drafts.length === 0 && claims.length === 0) return { ok: true, state: cell.state }
    // A read model that had to be rebuilt is told of with the first thing that is written on it.
    const repaired = drafts.length > 0 && cell.restored?.unusable !== undefined ? historyFacts(cell) : []
    const told = drafts.length > 0 ? [...repaired, ...snapshotFacts(cell)] : []
    const done = await record(parts, cell.session_id, cell.state, [...told, ...drafts], claims)
    if (!done.ok) return done
    if (drafts.length > 0) cell.restored = undefined
    cell.state = done.state
    if (cell.state.sequence - cell.savedAt >= saveEvery) void save(cell)
    return done
  }

  async function save(cell: Cell): Promise<void> {
    const { sequence } = cell.state
    if (sequence === cell.savedAt) return
    cell.savedAt = sequence
    const kept = await parts.log.saveState({ stream: cell.session_id, sequence, text: saved(cell.state) })
    if (kept) cell.kept = Math.max(cell.kept, sequence)
  }

  /** The ones not used for longest go first; those used a moment ago are likely to be used again. */
  function evict(): void {
    if (cells.size <= keepIdle) return
    const now = performance.now()
    for (const cell of cells.values()) {
      if (cells.size <= mostIdle && now - cell.usedAt < momentMs) break
      if (cell.users > 0) continue
      cells.delete(cell.session_id)
      void save(cell)
      if (cells.size <= keepIdle) return
    }
    sweep ??= setTimeout(sweepNow, momentMs).unref()
  }

  function sweepNow(): void {
    sweep = undefined
    evict()
  }

  return {
    inLine,
    commit,
    hold(cell) {
      cell.users++
      let held = true
      return () => {
        if (held) cell.users--
        held = false
        evict()
      }
    },
    peek: (session_id) => cells.get(session_id)?.state ?? restore(parts.log, session_id).state,
    count: () => cells.size,
    async settle() {
      clearTimeout(sweep)
      await Promise.all([...cells.values()].map((cell) => cell.line))
      await Promise.all([...cells.values()].map(save))
    },
  }
}
