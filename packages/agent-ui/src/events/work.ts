import type { QueueFacts } from "./conversation.ts"

/** Payloads of tools, actions, queue, context, permission, artifacts and evidence. */
export type OutputPreview = { text: string; truncated?: boolean; mediaType?: string; bytes?: number }

export type ToolStartedPayload = {
  toolName?: string
  title?: string
  source?: string
  sideEffect?: string
  input?: OutputPreview
  inputRef?: string
  stepId?: string
}
export type ToolArgsPayload = {
  toolName?: string
  /** A piece of the input while it streams. */
  delta?: string
  /** The whole input, which replaces all pieces. */
  input?: OutputPreview
  inputRef?: string
  complete?: boolean
  /** Says that a person must not see it; no partial input is then shown. */
  sensitive?: boolean
}
export type ToolProgressPayload = {
  note?: string
  done?: number
  total?: number
  unit?: string
  attempt?: number
  preview?: OutputPreview
  outputRef?: string
  preliminary?: boolean
}
export type ToolOutputDeltaPayload = { channel?: string; delta: string; outputRef?: string }
export type ToolResultPayload = {
  preview?: OutputPreview
  outputRef?: string
  outputRefs?: readonly string[]
  durationMs?: number
  success?: boolean | "unknown"
  files?: readonly FileChange[]
}
export type FileChange = {
  path: string
  change?: string
  diffRef?: string
  added?: number
  removed?: number
}
export type ToolFailedPayload = {
  category?: string
  message?: string
  next?: string
  retryable?: boolean
  cancelled?: boolean
  denied?: boolean
  preview?: OutputPreview
  outputRef?: string
  durationMs?: number
  status?: string
}

export type ActionOption = { id: string; label?: string; description?: string }
export type ActionRequiredPayload = {
  actionType?: string
  title?: string
  summary?: string
  toolName?: string
  toolCallId?: string
  input?: OutputPreview
  inputRef?: string
  scope?: string
  risk?: string
  /** Who asked, when it is not the agent that the person talks to. */
  requestedBy?: { agentId?: string; agentName?: string; sessionId?: string; threadId?: string }
  /** Where the answer is sent. */
  respondTo?: { sessionId?: string; threadId?: string; agentId?: string }
  policyScope?: string
  options?: readonly ActionOption[]
  schema?: Readonly<Record<string, unknown>>
  plan?: { text?: string; steps?: readonly { id?: string; title: string }[] }
  artifactId?: string
  versionId?: string
  diffRef?: string
  expiresAt?: string
  /** The owner cannot take an answer now, with the reason. */
  blockedReason?: string
}
export type ActionResolvedPayload = {
  decision?: string
  reason?: string
  decidedBy?: string
  /** Of a permission: how long and for what it holds. */
  grant?: { scope?: string; expiresAt?: string }
}

export type QueuedTurn = {
  queuedTurnId: string
  turnId?: string
  position?: number
  status?: string
  source?: string
  preview?: string
  inputs?: readonly unknown[]
}
export type QueueChangedPayload = {
  threadId?: string
  turns?: readonly QueuedTurn[]
  /** Input that was given to the active run. */
  steer?: { state: string; runId?: string; text?: string; clientId?: string }
  policy?: string
  reason?: string
} & QueueFacts

export type ContextRef = {
  id: string
  kind?: string
  label?: string
  ref?: string
  missing?: boolean
  tokens?: number
}
export type ContextChangedPayload = {
  selection?: readonly ContextRef[]
  budget?: { used?: number; limit?: number; reserved?: number; unit?: string; low?: boolean }
  retrieval?: readonly { sourceId: string; citation?: string; ref?: string; score?: number }[]
  missing?: readonly { id: string; reason?: string; blocking?: boolean }[]
  memory?: { op?: string; ref?: string; visible?: boolean; summary?: string }
  teamMemory?: readonly { ref: string; scope?: string; precedence?: number; summary?: string }[]
  warnings?: readonly string[]
}
export type CompactionPayload = {
  boundaryId?: string
  range?: { from: number; to: number }
  summary?: string
  summaryRef?: string
  keptRefs?: readonly string[]
  resume?: Readonly<Record<string, unknown>>
  failed?: boolean
  reason?: string
}

export type PermissionChangedPayload = {
  subject?: { kind?: string; id?: string }
  mode?: string
  policyVersion?: string
  sandbox?: {
    profile?: string
    network?: string
    enforced?: boolean
    reason?: string
    roots?: readonly string[]
  }
  violation?: { operation?: string; target?: string; ref?: string }
  escalation?: { actionId?: string; reason?: string }
  risk?: string
  verdict?: string
  explanation?: readonly { source: string; verdict: string; rule?: string }[]
  approval?: string
  waiver?: { ref?: string; until?: string; reason?: string }
  retention?: { ref?: string; until?: string }
  budget?: { used?: number; limit?: number; unit?: string; state?: string }
  planMode?: boolean
  locked?: string
}

export type ArtifactPayload = {
  kind?: string
  title?: string
  mediaType?: string
  versionId?: string
  version?: number | string
  versions?: readonly ArtifactVersion[]
  previewRef?: string
  preview?: OutputPreview
  bodyRef?: string
  diffRef?: string
  fromVersionId?: string
  toVersionId?: string
  exportId?: string
  exportRef?: string
  exportFormat?: string
  status?: string
  message?: string
  validationIssues?: number | "unknown"
  owner?: string
  failed?: boolean
  deleted?: boolean
  handoff?: string
}
export type ArtifactVersion = {
  versionId: string
  label?: string
  ref?: string
  createdAt?: string
  author?: string
}

export type EvidencePayload = {
  kind?: "citation" | "trace" | "verification" | "replay" | "review" | "audit" | "source_map" | (string & {})
  title?: string
  verdict?: string
  target?: { kind: string; id: string; version?: string }
  ref?: string
  sourceRef?: string
  digest?: string
  sequence?: number
  notes?: readonly string[]
  missing?: readonly string[]
}
