import type { QueueFacts } from "./conversation.ts"

/** Payloads of tasks, teammates, teams, handoffs, reviews and notifications. */
export type TaskChangedPayload = {
  runtimeEntity?: string
  title?: string
  objective?: string
  status?: string
  runtimeStatus?: string
  kind?: string
  progress?: { done?: number; total?: number; note?: string; percent?: number }
  blocker?: string
  waitingFor?: string
  parentTaskId?: string
  dependencies?: readonly string[]
  /** Dependencies that were added to those known, or taken away from them. */
  linked?: readonly string[]
  unlinked?: readonly string[]
  /** What they are, when they are no dependencies. */
  links?: "artifactRefs" | "evidenceRefs"
  /** What it waits for, which may differ from what it depends on. */
  waitsFor?: readonly string[]
  assignee?: Assignee
  priority?: string | number
  attempts?: number
  attemptId?: string
  artifactRefs?: readonly string[]
  evidenceRefs?: readonly string[]
  comments?: readonly { author?: string; text: string; at?: string }[]
  delivery?: string
  /** Of background work. */
  schedule?: string
  wakeReason?: string
  nextWakeAt?: string
  lastRunRef?: string
  currentRunId?: string
  /** Of remote work. */
  remoteTaskId?: string
  remoteStatus?: string
  cardRef?: string
  needs?: "input" | "auth" | (string & {})
  /** Of a board. */
  workItemId?: string
  failure?: { category?: string; message?: string; next?: string; retryable?: boolean }
  removed?: boolean
} & QueueFacts
export type Assignee = { kind?: "human" | "agent" | (string & {}); id: string; name?: string }

export type AgentPayload = {
  agentName?: string
  teamName?: string
  role?: string
  source?: string
  color?: string
  avatar?: string
  model?: string
  policy?: string
  capabilities?: readonly string[]
  isolation?: string
  status?: string
  runtimeStatus?: string
  latestTurnStatus?: string
  runtimeEntity?: string
  queueCounts?: { queued?: number; active?: number }
  spawnReason?: string
  childSessionId?: string
  childThreadId?: string
  transcriptRef?: string
  outcome?: string
  summary?: string
  resultRef?: string
  failure?: { category?: string; message?: string; retryable?: boolean }
  recoverable?: boolean
  /** Of remote agents. */
  cardRef?: string
  remoteTaskId?: string
  remoteStatus?: string
  connection?: "connected" | "disconnected" | (string & {})
  needs?: string
  /** Of background agents. */
  schedule?: string
  wakeReason?: string
  nextWakeAt?: string
  lastRunRef?: string
  currentRunId?: string
  paused?: boolean
  idleTick?: boolean
  human?: boolean
  blockedReason?: string
} & QueueFacts

export type TeamChangedPayload = {
  teamId?: string
  teamName?: string
  status?: string
  teamPhase?: string
  selected?: boolean
  roster?: readonly { agentId: string; agentName?: string; role?: string; human?: boolean }[]
  coordinatorId?: string
  board?: readonly ({ workItemId: string } & TaskChangedPayload)[]
  memory?: readonly { ref: string; scope?: string; precedence?: number; summary?: string }[]
  policy?: Readonly<Record<string, unknown>>
  synthesis?: { messageId?: string; taskIds?: readonly string[] }
} & QueueFacts

export type HandoffPayload = {
  handoffId?: string
  from?: string
  to?: string
  reason?: string
  resumeTarget?: string
  memoryBoundary?: string
  acceptedAt?: string
  status?: string
}

export type NotificationPayload = {
  notificationId?: string
  kind?: "result" | "failure" | "kill" | "usage" | "summary" | (string & {})
  status?: string
  summary?: string
  resultRef?: string
  usage?: { inputTokens?: number; outputTokens?: number; cost?: number; currency?: string }
  durationMs?: number
  toolCount?: number
}

export type ReviewPayload = {
  reviewId?: string
  reviewer?: string
  target?: { kind: string; id: string; version?: string }
  status?: string
  verdict?: string
  evidenceRefs?: readonly string[]
  requestedFixes?: readonly string[]
  blockedReason?: string
}
