import type { Ref } from "@factum/facts"
import type { Actor } from "../../actor.ts"
import type {
  ArtifactChange,
  ArtifactRecord,
  ArtifactVersion,
  ArtifactWritten,
} from "../../ports/artifact.ts"
import type { ArtifactRow, VersionRow } from "./shelf.ts"

export const owner = "artifacts"

export const refOf = ({ artifact_id, version, digest, bytes, media_type, title }: VersionRow): Ref => ({
  uri: `artifact:${artifact_id}/${version}`,
  kind: "artifact",
  digest,
  bytes,
  media_type,
  title: title.slice(0, 500),
})

export const diffRef = (digest: string, bytes: number): Ref => ({
  uri: `blob:${digest}`,
  kind: "blob",
  digest,
  bytes,
  media_type: "text/x-diff",
})

export const previewIn = ({ preview, whole }: VersionRow) => ({ text: preview, whole: whole === 1 })

export function recordOf(row: ArtifactRow, newest: VersionRow): ArtifactRecord {
  const { artifact_id, session_id, kind, removed, created_at, updated_at, position } = row
  const { title, media_type, bytes } = newest
  const preview = removed === 1 ? { text: "", whole: false } : previewIn(newest)
  return {
    artifact_id,
    status: removed === 1 ? "removed" : "present",
    session_id,
    kind,
    title,
    media_type,
    version: String(row.head),
    bytes,
    preview,
    ref: removed === 1 ? withoutContent(newest).ref : refOf(newest),
    created_at,
    updated_at,
    position,
  }
}

export function versionOf(row: VersionRow): ArtifactVersion {
  const { version, change, from_version, author, actor, title, media_type, bytes, created_at } = row
  const about = { change, author, title, media_type, bytes, created_at }
  return {
    version: String(version),
    ...about,
    // Written by the owner of this table, in this form.
    ...(actor === null ? {} : { by: JSON.parse(actor) as Actor }),
    preview: previewIn(row),
    ref: refOf(row),
    ...(from_version === null ? {} : { from_version: String(from_version) }),
    ...diffOf(row),
  }
}

/** Of a version whose artifact was deleted: that it was there, and nothing of what it held. */
export function withoutContent(row: VersionRow): ArtifactVersion {
  const { ref, diff_ref: _, ...about } = versionOf(row)
  const { digest: __, ...bare } = ref
  return { ...about, ref: bare, preview: { text: "", whole: false } }
}

export const diffOf = ({ diff_digest, diff_bytes }: VersionRow) =>
  diff_digest === null ? {} : { diff_ref: diffRef(diff_digest, diff_bytes ?? 0) }

/** What a session is told: ids, versions and refs, never bytes. */
export function payloadOf(
  change: ArtifactChange["payload"]["change"],
  { kind }: Pick<ArtifactRow, "kind">,
  row: VersionRow,
  validation_issues: number | "unknown",
): ArtifactChange["payload"] {
  const { artifact_id, version, title, media_type } = row
  const told = { artifact_id, change, owner, version: String(version), title, kind, media_type }
  const refs = [refOf(row)]
  if (change === "removed") return { ...told, refs, validation_issues: "unknown" }
  return { ...told, refs, preview: previewIn(row), validation_issues, ...diffOf(row) }
}

export type Written = Extract<ArtifactWritten, { ok: true }>

export function written(change: Written["change"], row: VersionRow): Written {
  const { artifact_id, version, media_type, title } = row
  const told = { artifact_id, change, version: String(version), media_type, title, refs: [refOf(row)] }
  return { ok: true, ...told, ...(change === "removed" ? {} : { preview: previewIn(row), ...diffOf(row) }) }
}
