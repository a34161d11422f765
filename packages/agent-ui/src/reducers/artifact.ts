import { type Draft, open, supply, track } from "../draft.ts"
import type { ArtifactPayload, ArtifactVersion } from "../events/index.ts"
import { given } from "../given.ts"
import type { ArtifactEntity, ArtifactExport } from "../state.ts"
import type { Reducers } from "./index.ts"
import { addRefPart } from "./message.ts"

function changeArtifact(draft: Draft, payload: ArtifactPayload): ArtifactEntity {
  const artifactId = draft.event.artifactId ?? ""
  const artifact = open(draft, "artifacts", artifactId, (base) => ({
    ...base,
    artifactId,
    kind: "unknown",
    versions: [],
    diffs: [],
    exports: [],
    gone: false,
  }))
  supply(artifact, payload, [
    "artifactId",
    "versions",
    "versionId",
    "failed",
    "deleted",
    "exportId",
    "exportRef",
    "diffRef",
  ])
  for (const version of payload.versions ?? []) addVersion(artifact, version)
  track(draft, "artifact", artifactId)
  if (draft.event.messageId !== undefined) addRefPart(draft, "artifact", artifactId)
  return artifact
}

function addVersion(artifact: ArtifactEntity, version: ArtifactVersion): void {
  const at = artifact.versions.findIndex((one) => one.versionId === version.versionId)
  artifact.versions =
    at < 0
      ? [...artifact.versions, version]
      : artifact.versions.with(at, { ...artifact.versions[at], ...version })
}

function makeVersion(draft: Draft, artifact: ArtifactEntity, payload: ArtifactPayload): void {
  const { versionId } = payload
  if (versionId === undefined) return
  const { bodyRef: ref, version } = payload
  const label = version === undefined ? undefined : String(version)
  addVersion(artifact, { versionId, ...given({ ref, label, createdAt: draft.event.timestamp }) })
  artifact.currentVersionId = versionId
}

function addDiff(artifact: ArtifactEntity, payload: ArtifactPayload): void {
  const { diffRef, fromVersionId, toVersionId } = payload
  if (diffRef === undefined || artifact.diffs.some((diff) => diff.ref === diffRef)) return
  const ends = given({ from: fromVersionId, to: toVersionId })
  artifact.diffs = [...artifact.diffs, { ...ends, ref: diffRef }]
}

function moveExport(
  artifact: ArtifactEntity,
  payload: ArtifactPayload,
  state: ArtifactExport["state"],
): void {
  // A source without export ids has one export at a time.
  const exportId =
    payload.exportId ?? artifact.exports.find((one) => one.state === "running")?.exportId ?? "1"
  const at = artifact.exports.findIndex((one) => one.exportId === exportId)
  const named = given({ ref: payload.exportRef, format: payload.exportFormat })
  const moved: ArtifactExport = { ...artifact.exports[at], exportId, state, ...named }
  artifact.exports = at < 0 ? [...artifact.exports, moved] : artifact.exports.with(at, moved)
}

function fail(artifact: ArtifactEntity, payload: ArtifactPayload): void {
  artifact.failure = given({ message: payload.message })
}

function bury(artifact: ArtifactEntity): void {
  artifact.gone = true
  delete artifact.preview
  delete artifact.previewRef
}

export const artifactReducers: Reducers<
  | "artifact.created"
  | "artifact.updated"
  | "artifact.preview.ready"
  | "artifact.version.created"
  | "artifact.diff.ready"
  | "artifact.export.started"
  | "artifact.export.completed"
  | "artifact.failed"
  | "artifact.deleted"
  | "artifact.changed"
  | "evidence.changed"
> = {
  "artifact.created": (draft, payload) => makeVersion(draft, changeArtifact(draft, payload), payload),
  "artifact.updated": (draft, payload) => makeVersion(draft, changeArtifact(draft, payload), payload),
  "artifact.preview.ready": (draft, payload) => void changeArtifact(draft, payload),
  "artifact.version.created": (draft, payload) => makeVersion(draft, changeArtifact(draft, payload), payload),
  "artifact.diff.ready": (draft, payload) => addDiff(changeArtifact(draft, payload), payload),
  "artifact.export.started": (draft, payload) =>
    moveExport(changeArtifact(draft, payload), payload, "running"),
  "artifact.export.completed": (draft, payload) =>
    moveExport(changeArtifact(draft, payload), payload, payload.failed ? "failed" : "done"),
  "artifact.failed": (draft, payload) => fail(changeArtifact(draft, payload), payload),
  "artifact.deleted": (draft, payload) => bury(changeArtifact(draft, payload)),
  "artifact.changed": (draft, payload) => {
    const artifact = changeArtifact(draft, payload)
    makeVersion(draft, artifact, payload)
    addDiff(artifact, payload)
    if (payload.exportRef !== undefined) moveExport(artifact, payload, "done")
    else if (payload.exportId !== undefined) moveExport(artifact, payload, "running")
    if (payload.failed) fail(artifact, payload)
    if (payload.deleted) bury(artifact)
  },
  "evidence.changed": (draft, payload) => {
    const evidenceId = draft.event.evidenceId ?? ""
    const evidence = open(draft, "evidence", evidenceId, (base) => ({ ...base, evidenceId }))
    supply(evidence, payload)
    track(draft, "evidence", evidenceId)
    if (draft.event.messageId !== undefined) addRefPart(draft, "evidence", evidenceId)
  },
}
