import { type AgentUiEnvelope, isEventClass, type UiFrame } from "@factum/agent-ui"
import { readRuntime, readSpelling } from "@factum/agent-ui/adapters/runtime"
import { type Envelope, type Issue, readFact } from "@factum/facts"
import { type Dialect, type Foreign, ForeignReaders } from "./dialects.ts"

export type FactLine = { line: number; fact: Envelope; issues: readonly Issue[] }
export type EventLine = { line: number; event: AgentUiEnvelope }
/** A line of another protocol; our own events may travel whole in it. */
export type ForeignLine = {
  line: number
  dialect: Foreign
  own: boolean
  lost: readonly string[]
  guessed: readonly string[]
}
/** What a trace may hold beside events: commands, read models, windows, exports and restarts. */
export type RecordLine = { line: number; record: string; body: Record<string, unknown> }
export type Trace = {
  facts: readonly FactLine[]
  events: readonly EventLine[]
  records: readonly RecordLine[]
  foreign: readonly ForeignLine[]
  /** In whose words the events are: those that were carried are ours. */
  words: ReadonlySet<Dialect>
  unread: readonly { line: number; reason: string }[]
  mixed: readonly { line: number; reason: string }[]
  respelled: readonly number[]
  lines: number
}

/** Reads any lines: facts in either spelling, events of Agent UI, of AG-UI or of the AI SDK. Nothing that is in them can make it throw. */
export function readLines(lines: readonly string[]): Trace {
  const facts: FactLine[] = []
  const events: EventLine[] = []
  const records: RecordLine[] = []
  const unread: { line: number; reason: string }[] = []
  const mixed: { line: number; reason: string }[] = []
  const respelled: number[] = []
  const foreign: ForeignLine[] = []
  const words = new Set<Dialect>()
  const readers = new ForeignReaders()
  for (const [index, text] of lines.entries()) {
    if (text.trim() !== "") take(index + 1, text)
  }
  return { facts, events, records, foreign, words, unread, mixed, respelled, lines: lines.length }

  function take(line: number, text: string): void {
    const value = parsed(text)
    if (value === undefined) unread.push({ line, reason: "The line is no JSON object." })
    else if (typeof value.record === "string") records.push({ line, record: value.record, body: value })
    else if (isAgentUi(value)) takeEvents(line, "agent_ui", [value])
    else if (!takeForeign(line, value)) takeFact(line, value)
  }
  function takeEvents(line: number, dialect: Dialect, made: readonly AgentUiEnvelope[]): void {
    if (made.length > 0) words.add(dialect)
    events.push(...made.map((event) => ({ line, event })))
  }
  function takeForeign(line: number, value: Record<string, unknown>): boolean {
    const dialect = readers.dialectOf(value)
    if (dialect === undefined) return false
    const { events, loss, own = false } = readers.read(dialect, value)
    foreign.push({ line, dialect, own, ...loss })
    takeEvents(line, own ? "agent_ui" : dialect, events)
    return true
  }
  function takeFact(line: number, value: Record<string, unknown>): void {
    const spelled = readSpelling(value)
    if (!spelled.ok) return void mixed.push({ line, reason: spelled.reason })
    if (spelled.respelled.length > 0) respelled.push(line)
    const checked = readFact(spelled.fact)
    if (checked.ok || isEnvelope(spelled.fact)) words.add("runtime")
    if (checked.ok) facts.push({ line, fact: checked.fact, issues: [] })
    else if (isEnvelope(spelled.fact)) facts.push({ line, fact: spelled.fact, issues: checked.issues })
    else unread.push({ line, reason: checked.issues.map(({ message }) => message).join(" ") })
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** An event of Agent UI has a class of it and none of the marks of a runtime's fact. */
function isAgentUi(value: Record<string, unknown>): value is AgentUiEnvelope & Record<string, unknown> {
  const { type } = value
  if (typeof type !== "string") return false
  const isFact = ["event_id", "eventId", "schema_version", "schemaVersion"].some((name) => name in value)
  return !isFact && (isEventClass(type) || "owner" in value || "surface" in value)
}

/** Enough of an envelope to be looked at, though something else in it is wrong. */
function isEnvelope(
  value: Readonly<Record<string, unknown>>,
): value is Envelope & Readonly<Record<string, unknown>> {
  const { type, sequence, payload, event_id } = value
  return (
    typeof type === "string" &&
    typeof sequence === "number" &&
    typeof event_id === "string" &&
    isObject(payload)
  )
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Everything as Agent UI sees it, each with the line that it comes from. */
export function shown(trace: Trace): { inputs: (UiFrame | AgentUiEnvelope)[]; events: EventLine[] } {
  const frames = trace.facts.map(({ line, fact }) => ({ line, frame: readRuntime(fact) }))
  return {
    inputs: [...frames.map(({ frame }) => frame), ...trace.events.map(({ event }) => event)],
    events: [
      ...frames.flatMap(({ line, frame }) => frame.events.map((event) => ({ line, event }))),
      ...trace.events,
    ],
  }
}
