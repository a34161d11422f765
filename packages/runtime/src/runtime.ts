import type { CommandName, Refusal, SnapshotName } from "@factum/facts"
import type { Actor } from "./actor.ts"
import type { Channels } from "./channels.ts"
import type { Credentials } from "./credentials.ts"
import type { ArtifactPort } from "./ports/artifact.ts"
import type { BlobStore, FactLog } from "./ports/log.ts"
import type { HostReport } from "./reports.ts"

export type Outcome = { ok: true; result: unknown } | { ok: false; refusal: Refusal }

/** One line in a list of sessions. */
export type SessionRow = {
  session_id: string
  title: string
  /** The status of its busiest thread. */
  status: string
  /** Where it belongs, when that was said. */
  workspace?: string
  /** How its last turn ended, when one has. */
  outcome?: string
  /** The session that handed the work of this one out. */
  parent_session_id?: string
  /** How many requests wait for a person here, those of the sessions below among them. */
  needs_you: number
  updated_at: string
  sequence: number
  /** Orders sessions by recency; the cursor of the list. */
  position: number
}

export type SessionQuery = {
  limit: number
  /** A position: what comes after it is left out. */
  before?: number
  /** Words that the title holds, in any case. */
  search?: string
  status?: string
  workspace?: string
  /** Without those that another session handed out. */
  top?: boolean
  /** Only these may be seen. */
  visible?: (session_id: string) => boolean
}
/** `next` is where to go on; without it there is no more. A page of a search may be short. */
export type SessionPage = { sessions: SessionRow[]; next?: number }

/** The runtime as its host sees it. No method throws for a reason that a caller could act on. */
export interface Runtime {
  readonly runtime_id: string
  readonly log: FactLog
  readonly blobs: BlobStore
  /** The owner of artifacts beside it, where there is one. */
  readonly artifacts?: ArtifactPort
  /** The commands that are carried out here; any other is refused as unavailable. */
  readonly commands: readonly CommandName[]
  readonly credentials: Pick<Credentials, "keep">
  /** `body` is `{ command_id?, input }` as it came from outside; it is checked here. */
  execute(name: string, body: unknown, by?: Actor): Promise<Outcome>
  /** Newest first. */
  sessions(query: SessionQuery): SessionPage
  /** A read model of a session; some are of one of its threads. */
  snapshot(name: SnapshotName, of: { session_id: string; thread_id?: string }): Outcome
  /** The read models that a client opens a session with and its newest facts, all of one moment. */
  opening(of: { session_id: string; limit?: number }): Outcome
  /** The session that an id belongs to, whatever it is the id of, and of a child's action also the parent's. */
  sessionsOf(id: string): readonly string[]
  workspaceOf(session_id: string): string | undefined
  readonly channels: Channels
  /** A fact of the runtime's own stream that refers to who was the cause. False when it was not written. */
  report(report: HostReport, by: Actor): Promise<boolean>
  /** Stops taking work, lets what is being written finish, and closes the store. */
  close(): Promise<void>
}
