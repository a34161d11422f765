import { addFinding, type Draft } from "./draft.ts"
import type { AgentUiEnvelope, StreamKind } from "./envelope.ts"
import type { HeldFrame, StreamState } from "./state.ts"
import { emptyTable, removeFrom, setIn } from "./table.ts"
import { own, put, Vector } from "./vector.ts"

/** How many of the last sequences are remembered to tell a repeat from a conflict. */
const ring = 4096
/** How many frames of one stream may wait; what comes on top is asked for again by the repair. */
export const mostHeld = 10_000

/** The sequence space of an event that names none: that of its narrowest id. */
export function streamOf(event: AgentUiEnvelope): string {
  const { agentId, taskId, runId, threadId, sessionId } = event
  if (agentId !== undefined) return `agent:${agentId}`
  if (taskId !== undefined) return `task:${taskId}`
  if (runId !== undefined) return `run:${runId}`
  if (threadId !== undefined) return `thread:${threadId}`
  return `session:${sessionId ?? "unknown"}`
}

export function firstStream(stream: string, kind: StreamState["kind"], applied: number): StreamState {
  return { stream, kind, applied, waiting: 0, held: emptyTable(), skipped: [], prints: new Vector() }
}

/** The stream, ready to be changed. A named one counts from 1; one that an event implies from where it begins. */
function openStream(draft: Draft, frame: HeldFrame): StreamState {
  const known = draft.state.streams.get(frame.stream)
  if (known && draft.edit.has(known)) return known
  const bare = frame.bare === true && frame.sequence > 1
  const first = () =>
    firstStream(
      frame.stream,
      bare ? "seen" : "contiguous",
      bare || frame.sequence < 1 ? frame.sequence - 1 : 0,
    )
  const mine = own(known ?? first(), draft.edit)
  draft.state.streams = setIn(draft.state.streams, frame.stream, mine, draft.edit)
  return mine
}

/** Takes one frame: applies it and what waited for it, or lets it wait, or knows it already. */
export function admit(draft: Draft, frame: HeldFrame, apply: (frame: HeldFrame) => void): void {
  const stream = openStream(draft, frame)
  const { sequence } = frame
  if (sequence <= stream.applied) return repeat(draft, stream, frame, apply)
  if (stream.kind !== "contiguous" && sequence > stream.applied + 1) {
    stream.kind = stream.kind === "seen" && stream.prints.size === 0 ? "seen" : "sparse"
    return pass(draft, stream, frame, apply)
  }
  if (stream.kind === "seen" && stream.prints.size > 0) stream.kind = "contiguous"
  if (sequence === stream.applied + 1) {
    pass(draft, stream, frame, apply)
    if (stream.waiting > 0) drain(draft, stream, apply)
    return
  }
  hold(draft, stream, frame)
  if (frame.supersedes) drain(draft, stream, apply)
  noteGap(draft, stream)
}

function pass(draft: Draft, stream: StreamState, frame: HeldFrame, apply: (frame: HeldFrame) => void): void {
  for (let missed = Math.max(stream.applied + 1, frame.sequence - ring); missed < frame.sequence; missed++) {
    stream.prints = setPrint(stream, missed, 0, draft)
  }
  stream.applied = frame.sequence
  stream.prints = setPrint(stream, frame.sequence, frame.print, draft)
  apply(frame)
}

function setPrint(stream: StreamState, sequence: number, print: number, { edit }: Draft): Vector<number> {
  let { prints } = stream
  const place = sequence % ring
  for (let at = prints.size; at < place; at++) prints = put(prints, at, 0, edit)
  return put(prints, place, print, edit)
}

function hold(draft: Draft, stream: StreamState, frame: HeldFrame): void {
  const id = String(frame.sequence)
  const waiting = stream.held.get(id)
  if (waiting) {
    if (waiting.print !== frame.print) conflict(draft, frame)
    return
  }
  if (stream.waiting >= mostHeld) return
  stream.held = setIn(stream.held, id, frame, draft.edit)
  stream.waiting++
}

/** Applies what waited, as far as nothing is missing, or a frame that waits stands for what is. */
export function drain(draft: Draft, stream: StreamState, apply: (frame: HeldFrame) => void): void {
  let last = 0
  const ranges: { from: number; to: number }[] = []
  for (const frame of stream.held.values()) {
    last = Math.max(last, frame.sequence)
    if (frame.supersedes) ranges.push(frame.supersedes)
  }
  for (let next = stream.applied + 1; next <= last; next++) {
    const frame = stream.held.get(String(next))
    if (frame) {
      stream.held = removeFrom(stream.held, String(next), draft.edit)
      stream.waiting--
      pass(draft, stream, frame, apply)
      continue
    }
    const range = ranges.find(({ from, to }) => from <= next && next <= to)
    if (!range) break
    skip(draft, stream, next)
  }
  if (stream.waiting > 0) return
  stream.held = emptyTable()
  delete stream.gap
}

function skip(draft: Draft, stream: StreamState, sequence: number): void {
  const last = stream.skipped.at(-1)
  stream.skipped =
    last && last.to === sequence - 1
      ? stream.skipped.with(-1, { from: last.from, to: sequence })
      : [...stream.skipped, { from: sequence, to: sequence }].slice(-100)
  stream.applied = sequence
  stream.prints = setPrint(stream, sequence, 0, draft)
}

/** A repeat takes no effect; one with other content is said; one that was only passed over still counts. */
function repeat(
  draft: Draft,
  stream: StreamState,
  frame: HeldFrame,
  apply: (frame: HeldFrame) => void,
): void {
  const { sequence, print } = frame
  if (sequence <= stream.applied - ring) return
  const known = stream.prints.get(sequence % ring)
  if (known === print) return
  const late =
    stream.kind !== "contiguous" || stream.skipped.some(({ from, to }) => from <= sequence && sequence <= to)
  if (known) return conflict(draft, frame)
  if (!late) return
  stream.prints = setPrint(stream, sequence, print, draft)
  apply(frame)
}

function conflict(draft: Draft, { stream, sequence }: HeldFrame): void {
  addFinding(
    { ...draft, stream, sequence },
    { code: "conflict", message: "The same position came again with other content; the first one holds." },
  )
}

export function noteGap(draft: Draft, stream: StreamState): void {
  if (stream.waiting === 0) return
  let to = Number.POSITIVE_INFINITY
  for (const frame of stream.held.values()) to = Math.min(to, frame.sequence - 1)
  const from = stream.applied + 1
  if (!stream.gap) {
    addFinding(
      { ...draft, stream: stream.stream, sequence: from },
      { code: "gap", message: `Sequences ${from} to ${to} are missing; what follows waits for them.` },
    )
  }
  if (stream.gap?.from !== from || stream.gap.to !== to) stream.gap = { from, to }
}

/** Says how a stream counts and how far it is known, before or between its frames. */
export function declare(
  draft: Draft,
  name: string,
  kind: StreamKind | undefined,
  applied: number | undefined,
): StreamState {
  const known = draft.state.streams.get(name)
  const stream = own(known ?? firstStream(name, kind ?? "contiguous", applied ?? 0), draft.edit)
  draft.state.streams = setIn(draft.state.streams, name, stream, draft.edit)
  if (kind !== undefined) stream.kind = kind
  if (applied !== undefined && applied > stream.applied) {
    stream.applied = applied
    stream.prints = new Vector()
    for (const id of [...stream.held.keys()]) {
      if (Number(id) > applied) continue
      stream.held = removeFrom(stream.held, id, draft.edit)
      stream.waiting--
    }
  }
  return stream
}
