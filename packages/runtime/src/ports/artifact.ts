import type { Preview, Ref } from "@factum/facts"

export type ArtifactDraft = {
  session_id: string
  /** The same for every attempt of one call: a repeat changes nothing and gets the first answer. */
  key: string
  /** Missing for a new one. */
  artifact_id?: string
  /** The version that the writer has seen; another one in the meantime is a conflict. */
  base_version?: string
  title?: string
  media_type: string
  content: Uint8Array
}

export type ArtifactWritten =
  | {
      ok: true
      artifact_id: string
      change: "produced" | "updated"
      /** Who keeps the artifact. */
      owner: string
      version: string
      title?: string
      media_type: string
      refs: readonly Ref[]
      preview?: Preview
    }
  | {
      ok: false
      code: "not_found" | "conflict" | "refused" | "failed"
      message: string
      current_version?: string
    }

/** The owner of artifacts, beside the runtime, which only refers to them. It does not throw. */
export interface ArtifactPort {
  write(draft: ArtifactDraft): Promise<ArtifactWritten>
}
