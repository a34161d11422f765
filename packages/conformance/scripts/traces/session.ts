import type { Envelope, InputPart } from "@factum/facts"
import { type Ids, type Recording, shown } from "./recording.ts"

/** One session of a trace with one thread, and what can be told of it. */
export type Session = {
  rec: Recording
  /** The short name from which its ids come. */
  name: string
  on: { session_id: string; thread_id: string; subagent_id?: string }
}

export function openSession(
  rec: Recording,
  name: string,
  title: string,
  parent?: { session: Session; subagent_id: string },
): Session {
  const on = {
    session_id: `ses_${name}`,
    thread_id: `thr_${name}`,
    ...(parent && { subagent_id: parent.subagent_id }),
  }
  const metadata = parent && {
    parent_session_id: parent.session.on.session_id,
    parent_thread_id: parent.session.on.thread_id,
    subagent_id: parent.subagent_id,
  }
  const { thread_id: _, ...alone } = on
  rec.add("session.created", alone, { title, ...(metadata && { metadata }) })
  rec.add("thread.started", on, {})
  return { rec, name, on }
}

export type Turn = {
  session: Session
  turn_id: string
  on: Ids & { turn_id: string }
  requests: number
  calls: number
}

/** Submits and starts a turn; the runtime tells what it does before the first word comes. */
export function beginTurn(
  session: Session,
  id: string,
  text: string,
  more: {
    source?: string
    inputs?: readonly InputPart[]
    metadata?: Record<string, unknown>
    tools?: readonly string[]
  } = {},
): Turn {
  submitTurn(session, id, text, more)
  return startTurn(session, id, more.tools)
}

export function submitTurn(
  { rec, on, name }: Session,
  id: string,
  text: string,
  {
    source = "user",
    inputs = [],
    metadata,
  }: { source?: string; inputs?: readonly InputPart[]; metadata?: Record<string, unknown> } = {},
): void {
  const input: InputPart[] = [{ kind: "text", text }, ...inputs]
  const payload = { input, source, metadata: { client_id: `cli_${name}_${id}`, ...metadata } }
  rec.add("turn.submitted", { ...on, turn_id: turnId(name, id) }, payload)
}

const turnId = (name: string, id: string) => `trn_${name}_${id}`
const toolbox = ["read_file", "write_file", "edit_file", "search", "shell", "fetch"]

export function startTurn(session: Session, id: string, tools: readonly string[] = toolbox): Turn {
  const { rec, on, name } = session
  const turn_id = turnId(name, id)
  const at = { ...on, turn_id }
  rec.wait(8)
  rec.add("turn.started", at, {})
  rec.add("thread.updated", on, {
    status: "active",
    previous: "idle",
    active_turn_id: turn_id,
    reason: "turn started",
  })
  status({ session, turn_id, on: at, requests: 0, calls: 0 }, "preparing", "Preparing", "Gathering context")
  const listed = tools.map((tool) => ({ name: tool, owner: "builtin", available: true }))
  rec.add("tool.catalog.resolved", at, { caller: "agent", policy_version: "v7", mode: "ask", tools: listed })
  return { session, turn_id, on: at, requests: 0, calls: 0 }
}

type Phase =
  | "preparing"
  | "running"
  | "streaming"
  | "waiting_permission"
  | "waiting_input"
  | "waiting_resource"
  | "blocked"
  | "retrying"
  | "completed"
  | "failed"
  | "cancelled"

export function status(
  turn: Turn,
  phase: Phase,
  title: string,
  detail: string,
  metadata: Record<string, unknown> = {},
): void {
  turn.session.rec.add("run.status", turn.on, { phase, title, detail, checkpoints: [], metadata })
}

export function endTurn(turn: Turn, outcome: "answered" | "stopped" = "answered"): void {
  const { rec, on } = turn.session
  rec.add("turn.completed", turn.on, { outcome })
  rec.add("thread.updated", on, { status: "idle", previous: "active", reason: "turn completed" })
}

export function failTurn(
  turn: Turn,
  failure: {
    status: "failed" | "cancelled" | "timed_out"
    category: string
    reason: string
    by?: "user" | "policy" | "runtime"
    next?: string
  },
): void {
  const { rec, on } = turn.session
  rec.add("turn.failed", turn.on, failure)
  rec.add("thread.updated", on, { status: "idle", previous: "active", reason: `turn ${failure.status}` })
}

/** What only Agent UI has a class for, carried under a vendor's type. */
export function tell(
  { session, on }: { session: Session; on: Ids } | Turn,
  type: string,
  envelope: Record<string, unknown>,
  payload: Record<string, unknown>,
): Envelope {
  return session.rec.addOther(`x-agent-ui.${type}`, on, { envelope, payload })
}
export const inSession = (session: Session) => ({ session, on: session.on as Ids })

export { shown }
