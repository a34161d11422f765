/** A fact as the log keeps it: the exact text that was appended, so that streams need not encode it again. */
export type StoredFact = { sequence: number; position: number; text: string }

/** A fact among those of all streams. */
export type PlacedFact = StoredFact & { stream: string }

/** What the log needs to know of a fact beside its text. */
export type NewFact = {
  event_id: string
  text: string
  /** Deltas may be pruned once a final fact supersedes them. */
  prunable?: boolean
}

/** A key that may be claimed once in the life of the store, with what it stands for: a command's result, a turn's place. */
export type Claim = { key: string; value: string }

export type Append = {
  stream: string
  /** The sequence of the last fact that the writer has seen; 0 for a new stream. */
  expected: number
  facts: readonly NewFact[]
  claims?: readonly Claim[]
  /** Ranges of deltas that a final fact of this append replaces; inclusive. */
  supersedes?: readonly { from: number; to: number }[]
  /** Whether the stream owes work after this append; left as it is when not said. */
  owing?: boolean
}

export type Appended = { ok: true; sequence: number; position: number }
export type NotAppended =
  | { ok: false; code: "conflict"; head: number }
  | { ok: false; code: "duplicate_event"; event_id: string }
  | { ok: false; code: "claimed"; key: string; value: string }
  | { ok: false; code: "write_failed"; reason: string }
  /** It was handed over and no answer came: it may be in the log. */
  | { ok: false; code: "unknown"; reason: string }
  | { ok: false; code: "closed" }

export type StreamHead = { stream: string; sequence: number; position: number; updated_at: number }
export type SavedState = { stream: string; sequence: number; text: string }

/** The only journal. No method throws for a reason that a caller could act on. */
export interface FactLog {
  /** Facts, claims and marks of superseded deltas are committed together or not at all. */
  append(batch: Append): Promise<Appended | NotAppended>
  head(stream: string): number
  /** Facts after `after`, in order, at most `limit` of them. */
  read(stream: string, after: number, limit: number): StoredFact[]
  /** Facts before `before`, oldest first, at most `limit` of them: a window of older history. */
  readBefore(stream: string, before: number, limit: number): StoredFact[]
  /** History, then live, without gap or repeat. Ends when the signal fires or the log closes. */
  tail(stream: string, after: number, signal: AbortSignal): AsyncIterable<StoredFact[]>
  /** Facts of all streams after a position, in the order of positions, at most `limit` of them. */
  readAll(after: number, limit: number): PlacedFact[]
  /** The same for all streams together, by position. */
  tailAll(after: number, signal: AbortSignal): AsyncIterable<PlacedFact[]>
  claimed(key: string): string | undefined
  /** The streams that owe work, for the scan at start. */
  owing(): string[]
  /** Keeps the folded state of a stream as of a sequence; a later one replaces it. */
  saveState(state: SavedState): Promise<boolean>
  /** The saved state, or nothing when there is none or it is damaged. */
  loadState(stream: string): SavedState | undefined
  /** Streams by recency. */
  streams(options: { limit: number; before?: number }): StreamHead[]
  /** Removes superseded deltas older than `position`; gives how many facts left. */
  prune(beforePosition: number): Promise<number>
  /** What happened to the store on opening, to be recorded as facts by the runtime. */
  readonly incidents: readonly { code: string; detail: string }[]
  /** What waits is written first. Then appends answer `closed`, tails end, and a read is a bug of the caller. */
  close(): Promise<void>
}

export type BlobRef = { digest: string; bytes: number }

export type NotReceived =
  | { ok: false; code: "too_large" }
  /** The chunks ended before their end. */
  | { ok: false; code: "cut_off" }
  | { ok: false; code: "write_failed"; reason: string }

/** Bytes by content hash (`sha256:…`). */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<BlobRef | { ok: false; reason: string }>
  /** The same for bytes that are still coming, at most `limit` of them, without holding them in memory. */
  receive(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<BlobRef | NotReceived>
  get(digest: string, range?: { from: number; to: number }): Uint8Array | undefined
  /** The same without holding up the process, for what may be large. */
  read(digest: string, range?: { from: number; to: number }): Promise<Uint8Array | undefined>
}
