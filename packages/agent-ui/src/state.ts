import type { Chain } from "./chain.ts"
import type { AgentUiEnvelope } from "./envelope.ts"
import type {
  ActionRequiredPayload,
  ActionResolvedPayload,
  AgentPayload,
  ArtifactPayload,
  ArtifactVersion,
  CompactionPayload,
  ContextChangedPayload,
  DiagnosticPayload,
  EvidencePayload,
  FileChange,
  HandoffPayload,
  InputPartView,
  LeftTurns,
  MessageRole,
  MetricPayload,
  NotificationPayload,
  OutputPreview,
  PermissionChangedPayload,
  PlanStep,
  QueueChangedPayload,
  QueueFacts,
  ReviewPayload,
  TaskChangedPayload,
  TeamChangedPayload,
} from "./events/index.ts"
import type { Finding } from "./finding.ts"
import type { Normalized } from "./normalize.ts"
import type { Origin } from "./origin.ts"
import type { Table } from "./table.ts"
import type { Phase, ToolStatus } from "./taxonomy.ts"
import type { TextBlocks } from "./text.ts"
import type { Vector } from "./vector.ts"

export type * from "./finding.ts"
export type * from "./origin.ts"

/** `opened` orders entities by their first event, across sessions, as this client applied them. */
export type Entity = { origin: Origin; opened: number }

export type SessionEntity = Entity & {
  sessionId: string
  title?: string
  status?: string
  unread: number | boolean
  pinned: boolean
  openActions?: number
  closed: boolean
  /** Said by the owner; a gap in its stream makes it stale too (see `StreamState`). */
  stale: boolean
  blockedReason?: string
  cursor?: string
  earlier?: string
  /** The last step of hydration that was applied; 0 before the first. */
  hydrated: 0 | 1 | 2 | 3 | 4 | 5
  hydrating: boolean
  threadIds: readonly string[]
  runIds: Chain<string>
  parentSessionId?: string
  parentThreadId?: string
  /** Messages in order, oldest known first. */
  messageIds: Chain<string>
  window?: { from?: number; to?: number; count?: number }
  /** What older windows may still tell of, and is not to come back. */
  left?: readonly LeftTurns[]
}

/** What belongs to one turn, whatever else happens between. */
export type TurnEntity = Entity &
  Told & { turnId: string; runIds: readonly string[]; entries: Chain<ProcessEntry> }
/** Which things have a line in a process. */
export type Told = { told: Table<true> }

export type RunOutcome = "success" | "cancelled" | "interrupted" | "failed" | "unknown" | (string & {})
export type RunEntity = Entity &
  Told & {
    runId: string
    /** `submitted` until the runtime says that it accepted. */
    phase: Phase | "unknown"
    runtimeStatus?: string
    status?: string
    title?: string
    detail?: string
    reason?: string
    attempt?: number
    nextTryAt?: string
    ended: boolean
    outcome?: RunOutcome
    bookmark?: string
    failure?: {
      category?: string
      message?: string
      retryable?: boolean
      next?: string
      diagnosticsRef?: string
    }
    startedAt?: string
    endedAt?: string
    /** What happened in it, in the order of the runtime's events. */
    process: Chain<ProcessEntry>
    messageIds: readonly string[]
    /** Input that was given to it while it ran. */
    steered: readonly { clientId?: string; text?: string; state: string; at?: string }[]
    queue: QueueFacts & { queuedTurnCount?: number }
    /** What is worth knowing only while it runs. */
    ephemeral: readonly { table: keyof Entities; id: string }[]
  }

/** One line of a process: what kind of thing, and which one. */
export type ProcessEntry = {
  kind:
    | "status"
    | "reasoning"
    | "plan"
    | "tool"
    | "action"
    | "text"
    | "artifact"
    | "evidence"
    | "context"
    | "compaction"
    | "task"
    | "agent"
    | "handoff"
    | "notification"
    | "review"
    | "steer"
    | "error"
  id: string
  /** Of text and reasoning: `id` is the message. */
  partId?: string
  /** Of a status: the phase or status word at that moment. */
  note?: string
  sequence?: number
  at?: string
  agentId?: string
}

export type TextMarker = "confirmed" | "corrected" | "replaced" | "unfinished" | "superseded"
export type MessagePart =
  | {
      kind: "text"
      partId: string
      text: TextBlocks
      state: "streaming" | "final"
      marker?: TextMarker
      opened: number
    }
  | {
      kind: "reasoning"
      partId: string
      detail: TextBlocks
      summary?: string
      visible?: boolean
      encryptedRef?: string
      state: "streaming" | "final"
      opened: number
    }
  | {
      kind: "tool" | "artifact" | "evidence" | "diagnostic" | "plan" | "input"
      partId: string
      ref: string
      opened: number
    }
export type MessageEntity = Entity & {
  messageId: string
  role: MessageRole | "unknown"
  author?: string
  /** Sent by this client and not yet confirmed by the runtime. */
  optimistic: boolean
  clientId?: string
  parts: readonly MessagePart[]
  inputs: readonly InputPartView[]
  retracted?: boolean
}

export type PlanEntity = Entity & {
  planId: string
  text: TextBlocks
  steps: readonly PlanStep[]
  state: "streaming" | "final"
}

export type ToolEntity = Entity & {
  toolCallId: string
  status: ToolStatus
  toolName?: string
  title?: string
  source?: string
  sideEffect?: string
  /** Joined pieces, until the whole input came. */
  partialInput: TextBlocks
  sensitive: boolean
  input?: OutputPreview
  inputRef?: string
  progress?: { note?: string; done?: number; total?: number; unit?: string; attempt?: number }
  /** Output by typed channel, bounded. */
  channels: Readonly<Record<string, TextBlocks>>
  preview?: OutputPreview
  outputRefs: readonly string[]
  durationMs?: number
  success?: boolean | "unknown"
  files: readonly FileChange[]
  failure?: { category?: string; message?: string; next?: string; retryable?: boolean; denied?: boolean }
  startedAt?: string
  endedAt?: string
}

export type ActionEntity = Entity &
  Omit<ActionRequiredPayload, "actionType"> & {
    actionId: string
    actionType: string | "unknown"
    /** `answering`: this client sent an answer that the owner has not confirmed. `ended`: its run ended without one. */
    state: "pending" | "answering" | "resolved" | "ended"
    resolution?: ActionResolvedPayload & { at?: string }
    /** Of a request that two sessions tell of: whose resolution stands here. */
    resolvedIn?: string
    error?: string
  }

export type QueueEntity = Entity & {
  threadKey: string
  turns: NonNullable<QueueChangedPayload["turns"]>
  steer?: QueueChangedPayload["steer"]
  policy?: string
  facts: QueueFacts
}

export type TaskEntity = Entity &
  Omit<TaskChangedPayload, "dependencies"> & {
    taskId: string
    dependencies: readonly string[]
    /** The last status that is a column: `commented` is not. */
    column?: string
  }
export type AgentEntity = Entity &
  AgentPayload & {
    agentId: string
    ended: boolean
    status?: string
  }
export type TeamEntity = Entity & TeamChangedPayload & { teamId: string }
export type HandoffEntity = Entity &
  HandoffPayload & {
    handoffId: string
    /** Why it came back; `reason` stays why it was given. */
    returnReason?: string
  }
export type ReviewEntity = Entity & ReviewPayload & { reviewId: string; completed: boolean }
export type NotificationEntity = Entity & NotificationPayload & { notificationId: string }

export type ContextEntity = Entity & ContextChangedPayload & { contextKey: string }
export type CompactionEntity = Entity &
  CompactionPayload & { boundaryId: string; state: "open" | "closed" | "failed" }
export type PermissionEntity = Entity & PermissionChangedPayload & { subjectKey: string }

export type ArtifactExport = {
  exportId: string
  state: "running" | "done" | "failed"
  ref?: string
  format?: string
}
export type ArtifactEntity = Entity &
  Omit<ArtifactPayload, "versions" | "kind"> & {
    artifactId: string
    kind: string | "unknown"
    versions: readonly ArtifactVersion[]
    currentVersionId?: string
    diffs: readonly { from?: string; to?: string; ref: string }[]
    exports: readonly ArtifactExport[]
    failure?: { message?: string }
    gone: boolean
  }
/** What a person wrote and has not saved, and the version that it was made from. */
export type ArtifactEdit = { text: string; base?: string }
export type EvidenceEntity = Entity & EvidencePayload & { evidenceId: string }
export type SyncedState = { scopeKey: string; state: unknown; stale: boolean; version?: number }

/** One sequence space: how far it was applied, and what is missing. */
export type StreamState = {
  stream: string
  /** `seen`: not declared, and not yet known to count without holes. */
  kind: "contiguous" | "sparse" | "seen"
  /** The last sequence that took effect. */
  applied: number
  /** Missing ones, while known later frames wait. */
  gap?: { from: number; to: number }
  waiting: number
  /** Of a stream that events imply: its session. */
  session?: string
  /** The frames that wait, by sequence. */
  held: Table<HeldFrame>
  /** Missing ones that a later frame stands for; should one come after all, it still counts. */
  skipped: readonly { from: number; to: number }[]
  /** What the last sequences held, in a ring, to tell a repeat from a conflict. */
  prints: Vector<number>
}

/** A frame as it waits: its events are validated, and what was found is said when it takes effect. */
export type HeldFrame = {
  stream: string
  sequence: number
  events: readonly Normalized[]
  supersedes?: { from: number; to: number }
  print: number
  /** Of an event without a frame: the session whose streams it may share its numbers with. */
  session?: string
}

/** A state in which nothing was overtaken, and what came since. */
export type Checkpoint = { state: AgentUiState; since: readonly Prepared[] }
/** An input that was read: it has a place in a stream, or takes effect as it comes. */
export type Prepared = HeldFrame | Normalized

export type DiagnosticEntity = Entity & DiagnosticPayload & { diagnosticId: string }
export type MetricEntity = Entity & MetricPayload

/** What only this client knows. It never leaves it. */
export type LocalState = {
  activeSessionId?: string
  /** Which activation hydration results must belong to. */
  activation: number
  expanded: Table<"inline" | "timeline">
  collapsed: Table<true>
  selectedArtifactId?: string
  selectedAgentId?: string
  /** What is being written, by composer. */
  drafts: Table<string>
  /** What was changed of an artifact and not saved, by artifact. */
  edits: Table<ArtifactEdit>
  showReasoningDetail: boolean
}

/** The tables of entities, by name. */
export type Entities = {
  sessions: SessionEntity
  turns: TurnEntity
  runs: RunEntity
  messages: MessageEntity
  plans: PlanEntity
  tools: ToolEntity
  actions: ActionEntity
  queues: QueueEntity
  tasks: TaskEntity
  agents: AgentEntity
  teams: TeamEntity
  handoffs: HandoffEntity
  reviews: ReviewEntity
  notifications: NotificationEntity
  contexts: ContextEntity
  compactions: CompactionEntity
  permissions: PermissionEntity
  artifacts: ArtifactEntity
  evidence: EvidenceEntity
  metrics: MetricEntity
}
export type EntityTables = { [K in keyof Entities]: Table<Entities[K]> }

export type AgentUiState = EntityTables & {
  /** Rises with every change. */
  revision: number
  /** Rises with every entity that is opened. */
  opened: number
  /** Falls with every window of older history: what it opens comes before everything known. */
  oldest: number
  streams: Table<StreamState>
  /** Of sessions whose implied streams share their numbers: what was seen without a hole, and the last that were. */
  seen: Table<{ from: number; to: number; ring: Vector<number> }>
  /** How many frames wait, over all streams. */
  waiting: number
  /** While a frame stands for missing ones that may still come: where to begin again when one does. */
  before: Checkpoint | undefined
  synced: Table<SyncedState>
  /** Which message carries the id that a client gave it. */
  clientIds: Table<string>
  diagnostics: Chain<DiagnosticEntity>
  /** Events of classes outside the baseline, kept as they came, and bounded. */
  unlisted: Chain<AgentUiEnvelope>
  findings: Chain<Finding>
  /** How many diagnostics, metrics and findings were let go to stay bounded. */
  dropped: number
  local: LocalState
}
