import type { AgentUiEnvelope, UiFrame } from "../envelope.ts"

/** What a translation could not say in the other vocabulary, and what it had to fill in. Empty when it was exact. */
export type Loss = { readonly lost: readonly string[]; readonly guessed: readonly string[] }
/** What one event became, in order; possibly nothing yet. */
export type Translation<E> = {
  readonly events: readonly E[]
  readonly loss: Loss
  /** The events are our own ones, which travelled whole. */
  readonly own?: true
}

/** The name under which our own events travel inside another protocol. */
export const CARRIER = "factum.agent-ui"
/** `all`: every event travels whole. `unmapped`: only those that the protocol has no word for. */
export type Carry = "all" | "unmapped" | "none"
export type Carried = { readonly events: readonly AgentUiEnvelope[] }

export const exact: Loss = { lost: [], guessed: [] }

/** What a class became: the events, the fields that they keep, and those that were filled in. */
export type Draft<E> = {
  events: E[]
  kept?: readonly string[]
  guessed?: readonly string[]
  /** The events hold the whole original themselves. */
  whole?: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** The fields that an event has and a draft does not keep; those of the payload by their path. */
export function unkept(event: AgentUiEnvelope, kept: readonly string[] = []): string[] {
  const names = Object.entries(event).flatMap(([name, value]) => {
    if (value === undefined || name === "type") return []
    return name === "payload" && isFields(value) ? Object.keys(value).map((key) => `payload.${key}`) : [name]
  })
  return names.filter((name) => !kept.includes(name))
}

/** The fields of a foreign event that nothing was made of. */
export function unread(event: Fields, read: readonly string[]): string[] {
  return Object.keys(event).filter(
    (name) => event[name] !== undefined && name !== "type" && !read.includes(name),
  )
}

/** Our own events out of a carrier, or nothing where it is none of ours. */
export function carriedIn(value: unknown): readonly AgentUiEnvelope[] | undefined {
  if (!isFields(value) || !Array.isArray(value.events)) return undefined
  const events: unknown[] = value.events
  return events.every(isEnvelope) ? events : undefined
}

export const isEnvelope = (value: unknown): value is AgentUiEnvelope =>
  isFields(value) && typeof value.type === "string"
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A text under a name, where it is one. */
export function textOf(fields: unknown, name: string): string | undefined {
  const value = isFields(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === "string" ? value : undefined
}
export function fieldsOf(fields: unknown, name: string): Fields | undefined {
  const value = isFields(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined
  return isFields(value) ? value : undefined
}
export function listOf(fields: unknown, name: string): readonly unknown[] {
  const value = isFields(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined
  return Array.isArray(value) ? value : []
}

/** Leaves out what is not known, so that absence stays absence. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

const kinds: Readonly<
  Record<string, readonly [kind: string, id: "taskId" | "agentId" | "artifactId" | "evidenceId" | string]>
> = {
  "plan.final": ["plan", "planId"],
  "task.changed": ["task", "taskId"],
  "agent.changed": ["agent", "agentId"],
  "agent.spawned": ["agent", "agentId"],
  "agent.completed": ["agent", "agentId"],
  "agent.handoff": ["handoff", "handoffId"],
  "team.changed": ["team", "teamId"],
  "worker.notification": ["notification", "notificationId"],
  "review.requested": ["review", "reviewId"],
  "review.completed": ["review", "reviewId"],
  "evidence.changed": ["evidence", "evidenceId"],
}

/** Things with an id that a peer's page can draw although its protocol has no word for them. */
export function activityOf(event: AgentUiEnvelope): { kind: string; id: string } | undefined {
  const [kind, field] = event.type.startsWith("artifact.")
    ? ["artifact", "artifactId"]
    : (kinds[event.type] ?? [])
  if (kind === undefined || field === undefined) return undefined
  const id = textOf(event, field) ?? textOf(event.payload, field)
  return { kind, id: `${kind}/${id ?? event.runId ?? event.sessionId ?? "unknown"}` }
}

/** What a reasoning event adds to what was sent of its part. A summary stands in only where no detail was shown. */
export function thoughtOf(event: AgentUiEnvelope, sent: string | undefined) {
  const { payload, type } = event
  const isSummary = type === "reasoning.summary"
  const summary = textOf(payload, "summary")
  if (isSummary && sent !== undefined) return { delta: "", isEnd: true, kept: "" }
  if (isSummary)
    return summary === undefined ? undefined : { delta: summary, isEnd: true, kept: "payload.summary" }
  if (payload?.visible !== true) return undefined
  const delta = textOf(payload, "delta")
  if (delta !== undefined) return { delta, isEnd: false, kept: "payload.delta" }
  const whole = textOf(payload, "text")
  if (whole === undefined) return undefined
  const goesOn = whole.startsWith(sent ?? "")
  return {
    delta: goesOn ? whole.slice(sent?.length ?? 0) : "",
    isEnd: true,
    kept: goesOn ? "payload.text" : "",
  }
}

/** Frames for a source that does not count: by arrival, which is a guess, so the stream is sparse. */
export function counting(stream: string): (events: readonly AgentUiEnvelope[]) => UiFrame {
  let sequence = 0
  return (events) => ({ stream, sequence: ++sequence, events })
}

export function diagnostic(code: string, message: string, about: Fields): AgentUiEnvelope {
  return {
    type: "diagnostic.changed",
    owner: "diagnostics",
    surface: "diagnostics",
    persistence: "diagnostics_log",
    payload: { code, severity: "info", message, ...about },
  }
}
