import type { Owner, Persistence, Phase, Scope, Topology } from "./taxonomy.ts"

/** Where a fact came from and what it is about; the newest event of an entity wins field by field. */
export type Origin = {
  owner: Owner | "unknown"
  scope: Scope | "unknown"
  phase: Phase | "unknown"
  surface?: string
  persistence?: Persistence
  topology?: Topology
  sessionId?: string
  threadId?: string
  runId?: string
  turnId?: string
  taskId?: string
  agentId?: string
  parentSessionId?: string
  parentThreadId?: string
  timestamp?: string
  sequence?: number
  /** It came without a sequence: this client gave it its place. */
  assigned?: true
  refs?: Readonly<Record<string, string>>
  rawEventRef?: string
  /** Fields whose value is outside the listed ones. */
  unlisted?: readonly string[]
}
