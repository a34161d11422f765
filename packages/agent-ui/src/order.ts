import { addFinding, type Draft } from "./draft.ts"
import type { AgentUiEnvelope, StreamKind } from "./envelope.ts"
import type { HeldFrame, StreamState } from "./state.ts"
import { emptyTable, removeFrom, setIn } from "./table.ts"
import { fresh, own, put, Vector } from "./vector.ts"

/** How many of the last sequences are remembered to tell a repeat from a conflict. */
const ring = 4096
/** How many frames of one stream may wait; what comes on top is asked for again by the repair. */
export const mostHeld = 10_000

export type Apply = (frame: HeldFrame) => void

/** The sequence space of an event that names none: that of its narrowest id. */
export function streamOf(event: AgentUiEnvelope): string {
  const { agentId, taskId, runId, threadId, sessionId } = event
  if (agentId !== undefined) return `agent:${agentId}`
  if (taskId !== undefined) return `task:${taskId}`
  if (runId !== undefined) return `run:${runId}`
  if (threadId !== undefined) return `thread:${threadId}`
  return `session:${sessionId ?? "unknown"}`
}

/** Takes one frame: applies it and what waited for it, or lets it wait, or knows it already. */
export function admit(draft: Draft, frame: HeldFrame, apply: Apply): void {
  const stream = openStream(draft, frame)
  if (frame.sequence <= stream.applied) repeat(draft, stream, frame, apply)
  else if (frame.sequence === stream.applied + 1) {
    if (stream.kind === "seen" && stream.prints.size > 0) stream.kind = "contiguous"
    pass(draft, stream, frame, apply)
    if (stream.waiting > 0) drain(draft, stream, apply)
    noteGap(draft, stream)
  } else if (stream.kind === "contiguous" || isShared(draft, stream, frame.sequence)) {
    hold(draft, stream, frame)
    if (frame.supersedes || isElsewhere(draft, stream, stream.applied + 1)) drain(draft, stream, apply)
    noteGap(draft, stream, frame.sequence)
  } else {
    if (stream.prints.size > 0) stream.kind = "sparse"
    pass(draft, stream, frame, apply)
  }
  if (frame.session !== undefined && draft.state.waiting > 0) drainSiblings(draft, stream, apply)
}

/** The stream, ready to be changed. A named one counts from 1; one that an event implies from where it begins. */
function openStream(draft: Draft, { stream, sequence, session }: HeldFrame): StreamState {
  const known = draft.state.streams.get(stream)
  if (known && draft.edit.has(known)) return known
  return ownStream(draft, known ?? firstOf(stream, sequence, session))
}

function firstOf(stream: string, sequence: number, session: string | undefined): StreamState {
  const isImplied = session !== undefined && sequence > 1
  const applied = isImplied || sequence < 1 ? sequence - 1 : 0
  const first = firstStream(stream, isImplied ? "seen" : "contiguous", applied)
  return session === undefined ? first : { ...first, session }
}

function firstStream(stream: string, kind: StreamState["kind"], applied: number): StreamState {
  return { stream, kind, applied, waiting: 0, held: emptyTable(), skipped: [], prints: new Vector() }
}

export function ownStream(draft: Draft, stream: StreamState): StreamState {
  const mine = own(stream, draft.edit)
  draft.state.streams = setIn(draft.state.streams, stream.stream, mine, draft.edit)
  return mine
}

/** Sources may number a whole session: then what is missing here was seen in another implied stream of it. */
function isShared(draft: Draft, stream: StreamState, before: number): boolean {
  let next = stream.applied + 1
  while (next < before && isElsewhere(draft, stream, next)) next = seenUntil(draft, stream, next) + 1
  return next >= before
}

function isElsewhere(draft: Draft, stream: StreamState, sequence: number): boolean {
  return seenUntil(draft, stream, sequence) >= sequence
}

/** Up to where everything from `sequence` on was seen in the session; what is less than it when it was not itself. */
function seenUntil({ state }: Draft, { session }: StreamState, sequence: number): number {
  const seen = session === undefined ? undefined : state.seen.get(session)
  if (!seen) return 0
  if (seen.from <= sequence && sequence <= seen.to) return seen.to
  return seen.ring.get(sequence % ring) === sequence ? sequence : 0
}

/** Notes what was seen in a session whose streams share their numbers. */
function see({ state, edit }: Draft, session: string, sequence: number): void {
  const known = state.seen.get(session)
  const isFar = known === undefined || sequence > known.to + ring
  const seen = isFar
    ? fresh({ from: sequence, to: sequence, ring: new Vector<number>() }, edit)
    : own(known, edit)
  if (seen !== known) state.seen = setIn(state.seen, session, seen, edit)
  seen.ring = put(seen.ring, sequence % ring, sequence, edit)
  if (sequence === seen.from - 1) seen.from--
  while (seen.ring.get((seen.to + 1) % ring) === seen.to + 1) seen.to++
}

function drainSiblings(draft: Draft, { stream, session }: StreamState, apply: Apply): void {
  for (const other of [...draft.state.streams.values()]) {
    if (other.session !== session || other.stream === stream || other.waiting === 0) continue
    const mine = ownStream(draft, other)
    drain(draft, mine, apply)
    noteGap(draft, mine)
  }
}

function pass(draft: Draft, stream: StreamState, frame: HeldFrame, apply: Apply): void {
  stream.applied = frame.sequence
  setPrint(draft, stream, frame.sequence, frame.print)
  apply(frame)
}

/** Each place of the ring holds a sequence and its print, so that what was passed over leaves nothing to write. */
function setPrint(draft: Draft, stream: StreamState, sequence: number, print: number): void {
  const { edit } = draft
  if (stream.session !== undefined) see(draft, stream.session, sequence)
  const place = (sequence % ring) * 2
  stream.prints = put(put(stream.prints, place, sequence, edit), place + 1, print, edit)
}

function printOf({ prints }: StreamState, sequence: number): number | undefined {
  const place = (sequence % ring) * 2
  return prints.get(place) === sequence ? prints.get(place + 1) : undefined
}

function hold(draft: Draft, stream: StreamState, frame: HeldFrame): void {
  const id = String(frame.sequence)
  const waiting = stream.held.get(id)
  if (waiting && waiting.print !== frame.print) conflict(draft, frame)
  if (waiting || stream.waiting >= mostHeld) return
  stream.held = setIn(stream.held, id, frame, draft.edit)
  stream.waiting++
  draft.state.waiting++
}

function release(draft: Draft, stream: StreamState, id: string): void {
  stream.held = removeFrom(stream.held, id, draft.edit)
  stream.waiting--
  draft.state.waiting--
}

/** Applies what waited, as far as nothing is missing, or a frame that waits stands for what is. */
export function drain(draft: Draft, stream: StreamState, apply: Apply): void {
  let ahead: HeldFrame[] | undefined
  while (stream.waiting > 0) {
    const next = stream.applied + 1
    const frame = stream.held.get(String(next))
    if (frame) {
      release(draft, stream, String(next))
      pass(draft, stream, frame, apply)
    } else if (isElsewhere(draft, stream, next)) {
      const [first, second] = stream.held.values()
      // All at once where it is plain what comes next.
      const to = first && !second ? Math.min(seenUntil(draft, stream, next), first.sequence - 1) : next
      skip(stream, next, to)
    } else {
      ahead ??= draft.strict ? [] : [...stream.held.values()].sort((a, b) => b.sequence - a.sequence)
      while ((ahead.at(-1)?.sequence ?? next) < next) ahead.pop()
      const to = ahead.find(
        ({ supersedes }) => supersedes && supersedes.from <= next && next <= supersedes.to,
      )
      if (!to) break
      // What lies between and is there takes effect.
      skip(stream, next, Math.min(to.supersedes?.to ?? next, (ahead.at(-1)?.sequence ?? next) - 1))
      draft.overtook = true
    }
  }
  if (stream.waiting > 0) return
  stream.held = emptyTable()
  delete stream.gap
}

function skip(stream: StreamState, from: number, to: number): void {
  const last = stream.skipped.at(-1)
  stream.skipped =
    last && last.to === from - 1
      ? stream.skipped.with(-1, { from: last.from, to })
      : [...stream.skipped, { from, to }].slice(-100)
  stream.applied = to
}

/** A repeat takes no effect; one with other content is said; one that was only passed over still counts. */
function repeat(draft: Draft, stream: StreamState, frame: HeldFrame, apply: Apply): void {
  const { sequence, print } = frame
  if (sequence <= stream.applied - ring) return
  const known = printOf(stream, sequence)
  if (known === print) return
  if (known !== undefined) {
    conflict(draft, frame)
    return
  }
  const isLate = isSkipped(stream, { from: sequence, to: sequence })
  if (isLate) draft.late = true
  else if (stream.kind === "contiguous") return
  setPrint(draft, stream, sequence, print)
  apply(frame)
}

export const isSkipped = ({ skipped }: StreamState, range: { from: number; to: number }): boolean =>
  skipped.some(({ from, to }) => from <= range.to && range.from <= to)

function conflict(draft: Draft, { stream, sequence }: HeldFrame): void {
  const message = "It came again with other content."
  addFinding({ ...draft, stream, sequence }, { code: "conflict", message })
}

/** Says once that a stream has a gap; the mark says where until it is filled. */
export function noteGap(draft: Draft, stream: StreamState, added?: number): void {
  if (stream.waiting === 0 || draft.strict) return
  const from = stream.applied + 1
  let to = Number.POSITIVE_INFINITY
  if (added !== undefined && stream.gap?.from === from) to = Math.min(stream.gap.to, added - 1)
  else for (const frame of stream.held.values()) to = Math.min(to, frame.sequence - 1)
  if (!stream.gap) {
    const message = `Sequences ${from} to ${to} are missing.`
    addFinding({ ...draft, stream: stream.stream, sequence: from }, { code: "gap", message })
  }
  stream.gap = { from, to }
}

/** Says how a stream counts and how far it is known, before or between its frames. */
export function declare(
  draft: Draft,
  name: string,
  kind: StreamKind | undefined,
  applied: number | undefined,
): StreamState {
  const known = draft.state.streams.get(name)
  const stream = ownStream(draft, known ?? firstStream(name, kind ?? "contiguous", applied ?? 0))
  if (kind !== undefined) stream.kind = kind
  if (applied === undefined || applied <= stream.applied) return stream
  stream.applied = applied
  stream.prints = new Vector()
  for (const id of [...stream.held.keys()]) if (Number(id) <= applied) release(draft, stream, id)
  return stream
}

/** In a sparse stream nothing waits. */
export function releaseAll(draft: Draft, stream: StreamState, apply: Apply): void {
  const frames = [...stream.held.values()].sort((one, other) => one.sequence - other.sequence)
  for (const frame of frames) {
    release(draft, stream, String(frame.sequence))
    pass(draft, stream, frame, apply)
  }
}
