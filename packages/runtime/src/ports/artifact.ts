import type { Preview, Ref, RuntimeEvent } from "@factum/facts"
import type { Actor } from "../actor.ts"

export const artifactKinds = ["document", "code", "page", "table", "data", "image", "other"] as const
export type ArtifactKind = (typeof artifactKinds)[number]

/** Whose work a change belongs to. The session is told of it, under these ids. */
export type ArtifactScope = {
  session_id: string
  thread_id?: string
  turn_id?: string
  tool_call_id?: string
}

type Change = {
  about: ArtifactScope
  /** The same for every attempt: a repeat changes nothing and gets the first answer. */
  key?: string
  author: "agent" | "person"
  /** Who of the persons, as the host knows them. */
  by?: Actor
}

export type ArtifactDraft = Change & {
  /** Missing for a new one. */
  artifact_id?: string
  /** The version that the writer has seen; another one in the meantime is a conflict. */
  base_version?: string
  title?: string
  kind?: ArtifactKind
  media_type?: string
  content: Uint8Array
}

export type ArtifactRollback = Change & { artifact_id: string; to_version: string; base_version?: string }
export type ArtifactRemoval = Change & { artifact_id: string; base_version?: string }

type ChangedPayload = Extract<RuntimeEvent, { type: "artifact.changed" }>["payload"]
export type ArtifactChange = { about: ArtifactScope; payload: ChangedPayload; by?: Actor }

export type ArtifactRecord = {
  artifact_id: string
  status: "present" | "removed"
  /** The session that it was made in. */
  session_id: string
  kind: ArtifactKind
  title: string
  media_type: string
  version: string
  bytes: number
  preview: Preview
  ref: Ref
  created_at: string
  updated_at: string
  /** Orders a list by recency; its cursor. */
  position: number
}

export type ArtifactVersion = {
  version: string
  /** What was done: made, edited, or taken back from an older version. */
  change: "produced" | "updated" | "rolled_back"
  /** The version that this one was made from, or taken back from. */
  from_version?: string
  author: "agent" | "person"
  by?: Actor
  title: string
  media_type: string
  bytes: number
  preview: Preview
  ref: Ref
  /** Against the version before it, where both are text. */
  diff_ref?: Ref
  created_at: string
}

export type ArtifactRefusal = {
  ok: false
  code: "not_found" | "scope_mismatch" | "wrong_state" | "conflict" | "invalid_input" | "write_failed"
  message: string
  fix?: string
  current_version?: string
  /** What the writer gave, kept so that a save that failed loses nothing. */
  edit_ref?: Ref
}

export type ArtifactWritten =
  | {
      ok: true
      artifact_id: string
      change: "produced" | "updated" | "removed"
      version: string
      media_type: string
      refs: readonly Ref[]
      title?: string
      preview?: Preview
      diff_ref?: Ref
    }
  | ArtifactRefusal

export type ArtifactContent =
  | { ok: true; version: string; bytes: Uint8Array; media_type: string; title: string; ref: Ref }
  | ArtifactRefusal
export type ArtifactDiff =
  | { ok: true; from: string; to: string; diff_ref: Ref; text: string; added: number; removed: number }
  | ArtifactRefusal

/** What the runtime gives the owner: how sessions are told, and what never may be kept. */
export type ArtifactListener = {
  /** False when it was not written and has to be told again. */
  tell(change: ArtifactChange, claim: string): Promise<boolean>
  /** The scope with the ids that follow from it, or why it is none of this runtime. */
  locate(about: ArtifactScope): { ok: true; about: ArtifactScope } | { ok: false; reason: string }
  mask(text: string): string
}

/** The owner of artifacts, beside the runtime, which only refers to them. It does not throw. */
export interface ArtifactPort {
  write(draft: ArtifactDraft): Promise<ArtifactWritten>
  /** An older version becomes the newest, as a new one. */
  rollback(rollback: ArtifactRollback): Promise<ArtifactWritten>
  /** Its history stays known, its content is no longer given. */
  remove(removal: ArtifactRemoval): Promise<ArtifactWritten>
  /** Tells a session of an artifact that it came to refer to, and of every later change. */
  observe(artifact_id: string, about: ArtifactScope): Promise<ArtifactWritten>
  get(artifact_id: string): ArtifactRecord | undefined
  list(page: { session_id?: string; limit: number; before?: number }): readonly ArtifactRecord[]
  versions(artifact_id: string): readonly ArtifactVersion[] | undefined
  content(artifact_id: string, version?: string): ArtifactContent
  diff(artifact_id: string, from: string, to: string): Promise<ArtifactDiff>
  /** From now on sessions are told through this; what a process before this one left untold comes first. */
  listen(listener: ArtifactListener): Promise<void>
  close(): void
}
