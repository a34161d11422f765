import type { Refusal } from "@factum/facts"
import type { Credentials } from "./credentials.ts"
import type { ArtifactPort } from "./ports/artifact.ts"
import type { BlobStore, FactLog } from "./ports/log.ts"

export type Outcome = { ok: true; result: unknown } | { ok: false; refusal: Refusal }

/** One line in a list of sessions. */
export type SessionRow = {
  session_id: string
  title: string
  /** The status of its busiest thread. */
  status: string
  /** How its last turn ended, when one has. */
  outcome?: string
  updated_at: string
  sequence: number
  /** Orders sessions by recency; the cursor of the list. */
  position: number
}

/** The runtime as its host sees it. No method throws for a reason that a caller could act on. */
export interface Runtime {
  readonly runtime_id: string
  readonly log: FactLog
  readonly blobs: BlobStore
  /** The owner of artifacts beside it, where there is one. */
  readonly artifacts?: ArtifactPort
  readonly credentials: Pick<Credentials, "keep">
  /** `body` is `{ command_id?, input }` as it came from outside; it is checked here. */
  execute(name: string, body: unknown): Promise<Outcome>
  /** Newest first. */
  sessions(page: { limit: number; before?: number }): { sessions: SessionRow[] }
  /** Stops taking work, lets what is being written finish, and closes the store. */
  close(): Promise<void>
}
