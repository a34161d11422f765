import { push } from "./chain.ts"
import { addFinding, bounded, type Draft, report } from "./draft.ts"
import type { AgentUiEnvelope, AgentUiEvent, StreamKind, UiFrame } from "./envelope.ts"
import { type EventClass, isEventClass, type Payloads } from "./events/index.ts"
import { fingerprint } from "./fingerprint.ts"
import { isRecord, type Normalized, normalize } from "./normalize.ts"
import { admit, declare, drain, noteGap, releaseAll, streamOf } from "./order.ts"
import { reducers } from "./reducers/index.ts"
import type { AgentUiState, HeldFrame } from "./state.ts"

export type ReduceOptions = {
  /** The client's time in milliseconds, to notice events from the future. */
  now?: number
}
export type Input = UiFrame | AgentUiEvent

/** Frames and events in, a new state out. Whatever comes is validated here; what is wrong becomes a finding. */
export function reduce(
  state: AgentUiState,
  inputs: readonly unknown[],
  options: ReduceOptions = {},
): AgentUiState {
  if (inputs.length === 0) return state
  return draftOf(state, (draft) => {
    for (const input of arrange(state, inputs)) take(draft, input, options.now)
  })
}

/** Says how a stream counts and up to where it is known, as a snapshot or a cursor tells it. */
export function declareStream(
  state: AgentUiState,
  stream: string,
  { kind, applied }: { kind?: StreamKind; applied?: number },
): AgentUiState {
  return draftOf(state, (draft) => {
    const declared = declare(draft, stream, kind, applied)
    const apply = (frame: HeldFrame) => applyFrame(draft, frame)
    if (declared.kind === "sparse") releaseAll(draft, declared, apply)
    drain(draft, declared, apply)
    noteGap(draft, declared)
  })
}

/** One batch: a shallow copy of the state, in which each touched thing is copied at most once. */
export function draftOf(state: AgentUiState, change: (draft: Draft) => void): AgentUiState {
  const next = { ...state, revision: state.revision + 1 }
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

function take(draft: Draft, input: unknown, now: number | undefined): void {
  const normal = isFrame(input) ? undefined : normalize(input, now)
  const frame = isFrame(input) ? framed(input, now) : normal && impliedFrame(input, normal)
  if (frame) admit(draft, frame, (one) => applyFrame(draft, one))
  else if (normal) applyOne(draft, normal, undefined, undefined)
}

function framed({ stream, sequence, events, supersedes }: UiFrame, now: number | undefined): HeldFrame {
  const normals = events.map((event) => normalize(event, now))
  const frame = { stream, sequence, print: fingerprint(events), events: normals }
  return isRange(supersedes) ? { ...frame, supersedes } : frame
}

/** An event with a sequence is a frame of the stream that its ids imply. */
function impliedFrame(input: unknown, normal: Normalized): HeldFrame | undefined {
  const { event } = normal
  if (event?.sequence === undefined) return undefined
  const { sequence, sessionId, threadId } = event
  const session = sessionId ?? threadId ?? ""
  return { stream: streamOf(event), sequence, print: fingerprint(input), events: [normal], session }
}

function applyFrame(draft: Draft, frame: HeldFrame): void {
  for (const normal of frame.events) applyOne(draft, normal, frame.stream, frame.sequence)
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
  if (normal.event) applyEvent(draft, normal.event)
}

function applyEvent(draft: Draft, event: AgentUiEnvelope): void {
  draft.event = event
  const { type } = event
  const missing = isEventClass(type) ? missingId(type, event) : undefined
  // What only this client may know is no fact, wherever it comes from.
  if (event.persistence === "ui_local") report(draft, "owner_refused", "A local fact came from outside.")
  else if (!isEventClass(type)) keepUnlisted(draft, event)
  else if (missing)
    report(draft, "missing_id", `An event of this class needs ${missing}; it was attached to nothing.`)
  else dispatch(draft, type, event.payload ?? {})
}

function keepUnlisted(draft: Draft, event: AgentUiEnvelope): void {
  draft.state.unlisted = bounded(draft.state, push(draft.state.unlisted, event, draft.edit), 200)
  report(draft, "unlisted_class", "This class is not in the baseline; it is kept and changes nothing.")
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

function missingId(type: EventClass, event: AgentUiEnvelope): string | undefined {
  if (type === "task.changed")
    return event.taskId === undefined && event.payload?.workItemId === undefined ? "taskId" : undefined
  const name = needed[type.slice(0, type.indexOf("."))]
  return name !== undefined && event[name] === undefined ? name : undefined
}

/** Events of an implied stream take their places by sequence where a batch has them out of order. */
function arrange(state: AgentUiState, inputs: readonly unknown[]): readonly unknown[] {
  const last = new Map<string, number>()
  const mixed = new Set<string>()
  for (const input of inputs) {
    if (!isSequenced(input)) continue
    const stream = streamOf(input)
    if (state.streams.get(stream)?.kind === "contiguous") continue
    if (input.sequence < (last.get(stream) ?? 0)) mixed.add(stream)
    last.set(stream, input.sequence)
  }
  if (mixed.size === 0) return inputs
  const arranged = inputs.slice()
  for (const stream of mixed) {
    const places = [...inputs.keys()].filter((at) => isOf(inputs[at], stream))
    const sorted = places
      .map((at) => inputs[at])
      .filter(isSequenced)
      .sort((a, b) => a.sequence - b.sequence)
    for (const [rank, at] of places.entries()) arranged[at] = sorted[rank]
  }
  return arranged
}
const isOf = (input: unknown, stream: string) => isSequenced(input) && streamOf(input) === stream
const isSequenced = (input: unknown): input is AgentUiEnvelope & { sequence: number } =>
  isRecord(input) && !("events" in input) && typeof input.sequence === "number"

function isFrame(input: unknown): input is UiFrame {
  if (!isRecord(input) || typeof input.stream !== "string" || !Array.isArray(input.events)) return false
  return Number.isSafeInteger(input.sequence)
}
const isRange = (value: unknown): value is { from: number; to: number } =>
  isRecord(value) && Number.isSafeInteger(value.from) && Number.isSafeInteger(value.to)
