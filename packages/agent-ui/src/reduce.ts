import { push } from "./chain.ts"
import { addFinding, bounded, type Draft, report } from "./draft.ts"
import type { AgentUiEnvelope, AgentUiEvent, StreamKind, UiFrame } from "./envelope.ts"
import type { EventClass, Payloads } from "./events/index.ts"
import { fingerprint } from "./fingerprint.ts"
import { limits, type Normalized, normalize } from "./normalize.ts"
import { admit, declare, drain, isSkipped, noteGap, ownStream, releaseAll, streamOf } from "./order.ts"
import { isRecord } from "./record.ts"
import { isEventClass, reducers } from "./reducers/index.ts"
import type { AgentUiState, HeldFrame, Prepared, StreamState } from "./state.ts"

export type ReduceOptions = {
  /** The client's time in milliseconds, to notice events from the future. */
  now?: number
}
export type Input = UiFrame | AgentUiEvent

/** How much is kept to begin again from; what comes later takes its effect out of its place. */
const mostKept = 4096

/** Frames and events in, a new state out. Whatever comes is validated here; what is wrong becomes a finding. */
export function reduce(
  state: AgentUiState,
  inputs: readonly unknown[],
  options: ReduceOptions = {},
): AgentUiState {
  if (inputs.length === 0) return state
  const read = inputs.map((input) => prepare(input, options.now))
  const { next, marks } = play(state, read)
  const { before } = state
  if (!before && !marks.overtook) return next
  const from = before?.state ?? state
  const since = before ? [...before.since, ...read] : read
  if (marks.late) return { ...again(from, since), local: next.local, revision: next.revision }
  return Object.assign(next, { before: since.length > mostKept ? undefined : { state: from, since } })
}

type Marks = Pick<Draft, "overtook" | "late" | "strict">

function play(state: AgentUiState, inputs: readonly Prepared[], strict?: true) {
  const marks: Marks = strict ? { strict } : {}
  const next = draftOf(state, (draft) => {
    Object.assign(draft, marks)
    for (const input of arrange(state, inputs)) take(draft, input)
    // What is missing and not waited for is stood for, as far as it can be.
    if (inputs.length === 0)
      for (const stream of [...state.streams.values()])
        if (stream.waiting > 0) mend(draft, ownStream(draft, stream))
    const { overtook, late } = draft
    Object.assign(marks, { overtook, late })
  })
  return { next, marks }
}

/** Something came that another frame had stood for: each takes its place, and what is still missing is stood for. */
function again(from: AgentUiState, since: readonly Prepared[]): AgentUiState {
  return stoodFor(play(from, since, true).next)
}

function stoodFor(state: AgentUiState): AgentUiState {
  const { next, marks } = play(state, [])
  return marks.overtook ? Object.assign(next, { before: { state, since: [] } }) : next
}

function mend(draft: Draft, stream: StreamState): void {
  drain(draft, stream, (frame) => applyFrame(draft, frame))
  noteGap(draft, stream)
}

/** Says how a stream counts and up to where it is known, as a snapshot or a cursor tells it. */
export function declareStream(
  state: AgentUiState,
  stream: string,
  { kind, applied }: { kind?: StreamKind; applied?: number },
): AgentUiState {
  return stoodFor(
    draftOf(state, (draft) => {
      draft.strict = true
      const declared = declare(draft, stream, kind, applied)
      if (declared.kind === "sparse") releaseAll(draft, declared, (frame) => applyFrame(draft, frame))
      mend(draft, declared)
    }),
  )
}

/** One batch: a shallow copy of the state, in which each touched thing is copied at most once. */
export function draftOf(state: AgentUiState, change: (draft: Draft) => void): AgentUiState {
  const next = { ...state, revision: state.revision + 1, before: undefined }
  change({
    state: next,
    edit: new Set(),
    event: none,
    sequence: undefined,
    stream: undefined,
    unlisted: undefined,
  })
  return next
}
const none: AgentUiEnvelope = { type: "none" }

function take(draft: Draft, input: Prepared): void {
  if (!("sequence" in input)) applyOne(draft, input, undefined, undefined)
  else if (input.sequence >= 0) admit(draft, input, (frame) => applyFrame(draft, frame))
  else for (const normal of input.events) applyOne(draft, normal, undefined, undefined)
}

/** Nothing that comes may keep the rest from its effect. */
function prepare(input: unknown, now: number | undefined): Prepared {
  try {
    return isFrame(input) ? framed(input, now) : implied(normalize(input, now))
  } catch {
    return { findings: [{ code: "rejected_event", message: "It cannot be read." }] }
  }
}

function framed({ stream, sequence, events, supersedes }: UiFrame, now: number | undefined): HeldFrame {
  const normals = events.map((event) => normalize(event, now))
  const frame = { stream, sequence, print: printOf(normals), events: normals }
  return isRange(supersedes) ? { ...frame, supersedes } : frame
}

/** Of what is kept, which is of bounded depth. */
const printOf = (normals: readonly Normalized[]): number => fingerprint(normals.map(({ event }) => event))

/** An event with a sequence is a frame of the stream that its ids imply. */
function implied(normal: Normalized): Prepared {
  const { event } = normal
  if (event?.sequence === undefined) return normal
  const { sequence, sessionId, threadId } = event
  const session = sessionId ?? threadId ?? ""
  return { stream: streamOf(event), sequence, print: printOf([normal]), events: [normal], session }
}

function applyFrame(draft: Draft, { stream, sequence, supersedes, events }: HeldFrame): void {
  const known = draft.state.streams.get(stream)
  draft.partial = known !== undefined && supersedes !== undefined && isSkipped(known, supersedes)
  for (const normal of events) applyOne(draft, normal, stream, sequence)
  draft.partial = false
}

/** Applies one validated event at its position. */
export function applyOne(
  draft: Draft,
  normal: Normalized,
  stream: string | undefined,
  sequence: number | undefined,
): void {
  draft.stream = stream
  draft.sequence = sequence
  draft.unlisted = normal.unlisted
  for (const finding of normal.findings) addFinding(draft, finding)
  if (!normal.event) return
  try {
    applyEvent(draft, normal.event)
  } catch {
    report(draft, "rejected_event", "It cannot be applied.")
  }
}

function applyEvent(draft: Draft, said: AgentUiEnvelope): void {
  const { runId, turnId = "" } = said
  // A turn stands for the run where the source has no runs.
  const isRun =
    runId === undefined && turnId && (said.type.startsWith("run.") || draft.state.runs.has(turnId))
  const event = isRun ? { ...said, runId: turnId } : said
  draft.event = event
  const { type } = event
  const missing = isEventClass(type) ? missingId(type, event) : undefined
  // What only this client may know is no fact, wherever it comes from.
  if (event.persistence === "ui_local") report(draft, "owner_refused", "This owner may not say so.")
  else if (!isEventClass(type)) keepUnlisted(draft, event)
  else if (missing) report(draft, "missing_id", `It needs ${missing}.`)
  else dispatch(draft, type, event.payload ?? {})
}

function keepUnlisted(draft: Draft, event: AgentUiEnvelope): void {
  draft.state.unlisted = bounded(draft.state, push(draft.state.unlisted, event, draft.edit), 200)
  report(draft, "unlisted_class", "It is not listed.")
}

function dispatch<T extends EventClass>(draft: Draft, type: T, payload: Payloads[T]): void {
  reducers[type](draft, payload)
}

const needed: Readonly<Record<string, keyof AgentUiEnvelope>> = {
  text: "messageId",
  reasoning: "messageId",
  tool: "toolCallId",
  action: "actionId",
  artifact: "artifactId",
  evidence: "evidenceId",
  agent: "agentId",
}

/** The id without which an event of the class is attached to nothing; undefined when it is there. */
export function missingId(type: EventClass, event: AgentUiEnvelope): string | undefined {
  if (type === "task.changed")
    return event.taskId === undefined && event.payload?.workItemId === undefined ? "taskId" : undefined
  const name = needed[type.slice(0, type.indexOf("."))]
  return name !== undefined && event[name] === undefined ? name : undefined
}

/** Events of an implied stream take their places by sequence where a batch has them out of order. */
function arrange(state: AgentUiState, inputs: readonly Prepared[]): readonly Prepared[] {
  const streams = new Map<string, { places: number[]; frames: HeldFrame[] }>()
  for (const [at, input] of inputs.entries()) {
    if (!("session" in input) || state.streams.get(input.stream)?.kind === "contiguous") continue
    const known = streams.get(input.stream)
    known?.places.push(at)
    known?.frames.push(input)
    if (!known) streams.set(input.stream, { places: [at], frames: [input] })
  }
  const arranged = inputs.slice()
  for (const { places, frames } of streams.values()) {
    frames.sort((a, b) => a.sequence - b.sequence)
    for (const [rank, frame] of frames.entries()) arranged[places[rank] ?? 0] = frame
  }
  return arranged
}

function isFrame(input: unknown): input is UiFrame {
  if (!isRecord(input) || typeof input.stream !== "string" || !Array.isArray(input.events)) return false
  return input.stream.length <= limits.id && Number.isSafeInteger(input.sequence)
}
const isRange = (value: unknown): value is { from: number; to: number } =>
  isRecord(value) && Number.isSafeInteger(value.from) && Number.isSafeInteger(value.to)
