import type { InputPartView } from "./events/index.ts"
import type { Reason } from "./words.ts"

/** The parent by which a teammate is addressed. */
export type Parent = { sessionId: string; threadId?: string; turnId?: string }
/** What a control is about: its kind, its id, and where it lives. */
export type Target = { kind: TargetKind; id: string; sessionId?: string; threadId?: string; version?: string }
export type TargetKind =
  | "session"
  | "run"
  | "message"
  | "tool"
  | "process"
  | "task"
  | "job"
  | "agent"
  | "artifact"
  | "evidence"
  | "transcript"
  | "diagnostic"
  | "queued_turn"

type Given = { inputs: readonly InputPartView[]; clientId: string }
type InSession = { sessionId: string; threadId?: string }

/** One call each: the only ways by which a person's wish leaves the client. */
export type PortCalls = {
  "runtime.submit": Partial<InSession> & Given & { mode?: string; model?: string }
  "runtime.queue": InSession & Given & { mode?: string; model?: string }
  "runtime.steer": InSession & Given & { runId: string; turnId?: string }
  "runtime.interrupt": InSession & { runId?: string; turnId?: string; reason: string }
  "runtime.respond": ActionAnswer
  /** A turn, what waits for one, or a process. */
  "runtime.stop": { target: Target; reason: string }
  /** `inputs`: what was asked, where the owner can only be asked again. */
  "runtime.retry": { target: Target; reason: string; inputs?: readonly InputPartView[]; clientId?: string }
  "tool.retry": { target: Target; reason: string }
  "tool.stop": { target: Target; reason: string }
  "task.retry": { target: Target; reason: string }
  "task.stop": { target: Target; reason: string }
  "job.retry": { target: Target; reason: string }
  "job.stop": { target: Target; reason: string }
  "policy.respond": ActionAnswer
  "artifact.edit": { artifactId: string; versionId?: string; body: string; sessionId?: string }
  "artifact.rollback": { artifactId: string; versionId: string; sessionId?: string }
  "artifact.export": { artifactId: string; versionId?: string; format?: string; sessionId?: string }
  "artifact.retry": { artifactId: string; sessionId?: string }
  "artifact.read": { target: Target }
  "evidence.export": { sessionId: string; kind: "evidence" | "replay" | "review"; threadId?: string }
  "evidence.review": { target: Target; reviewer?: string; note?: string }
  "evidence.read": { target: Target }
  "session.rollback": { sessionId: string; messageId: string }
  "session.read": { target: Target; before?: string }
  "team.delegate": { parent: Parent; agent: string; objective: string; inputs?: readonly InputPartView[] }
  "team.assign": { workItemId: string; assignee: string; sessionId?: string }
  "team.continue": { agentId: string; parent: Parent; inputs: readonly InputPartView[] }
  "team.wait": { agentIds: readonly string[]; parent: Parent; timeLimitMs?: number }
  "team.stop": { agentId: string; parent: Parent; reason: string }
  "team.close": { agentId: string; parent: Parent; reason: string }
  "team.retry": { agentId: string; parent: Parent; reason: string }
}
export type ActionAnswer = {
  actionId: string
  decision: string
  /** Where the answer goes: the session of whoever asked. */
  sessionId?: string
  threadId?: string
  agentId?: string
  payload?: Readonly<Record<string, unknown>>
  /** A secret: it is handed over and kept nowhere else. */
  secret?: string
  note?: string
}

export type PortName = keyof PortCalls
export type PortAnswer = { ok: true; value?: unknown } | { ok: false; code: string; message?: string }
/** Whoever embeds the projection gives the ports that its owners have; a port promises not to throw. */
export type OwnerPorts = { [P in PortName]?: (call: PortCalls[P]) => Promise<PortAnswer> }
/** Which ports exist: all that a view needs to know of them. */
export type AvailablePorts = ReadonlySet<PortName> & {
  /** Why none of them may write now. */
  readonly held?: Reason
}

export function availablePorts(ports: OwnerPorts): AvailablePorts {
  return new Set((Object.keys(ports) as PortName[]).filter((name) => ports[name] !== undefined))
}
