import type { ArtifactVersion, FileChange, OutputPreview } from "../events/index.ts"
import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState, ArtifactEdit, ArtifactEntity, ArtifactExport } from "../state.ts"
import { surfaceControls } from "../taxonomy.ts"
import { kept } from "./memo.ts"
import { aim, aimIn, offer } from "./offer.ts"
import { assemble, inScope, ready, runOf, said } from "./standing.ts"
import {
  type ControlView,
  type Known,
  known,
  type Mark,
  type Surface,
  type View,
  type ViewScope,
} from "./view.ts"
import { given, picked, type Who, whoOf } from "./who.ts"

export type ArtifactRow = Mark & {
  artifactId: string
  kind: string
  title: Known<string>
  mediaType?: string
  status?: string
  who?: Who
  at?: string
  /** Oldest first. */
  versions: readonly (ArtifactVersion & { current: boolean })[]
  currentVersionId?: string
  preview: Known<OutputPreview>
  previewRef?: string
  /** Where the body is read, on demand. */
  bodyRef?: string
  diffs: readonly { from?: string; to?: string; ref: string }[]
  exports: readonly ArtifactExport[]
  validationIssues: Known<number>
  handoff?: string
  failure?: { message?: string }
  gone: boolean
  /** What this person changed and has not saved; `behind` when a version came in since. */
  edit?: ArtifactEdit & { behind: boolean }
  controls: readonly ControlView[]
}
export type ArtifactWorkspaceView = View & {
  artifacts: readonly ArtifactRow[]
  selected?: ArtifactRow
  /** Files that calls of the run changed, with their diffs. */
  files: readonly (FileChange & { toolCallId: string; who?: Who })[]
}

export const artifactWorkspace: Surface<ArtifactWorkspaceView> = {
  reads: ["artifacts", "agents", "tools", "runs", "local"],
  select(state, scope, ports) {
    const artifacts = inScope(state, state.artifacts, scope).map((entity) =>
      row(entity, whoOf(state, entity.origin), ports, state.local.edits.get(entity.artifactId)),
    )
    const wanted = scope.artifactId ?? state.local.selectedArtifactId
    const selected =
      artifacts.find(({ artifactId }) => artifactId === wanted) ?? artifacts.findLast(({ gone }) => !gone)
    const files = filesOf(state, scope)
    const aimAt = aimIn(selected ? [selected] : [])
    return assemble(
      "artifact_workspace",
      { state, scope, ports },
      {
        has: artifacts.length + files.length > 0,
        marks: selected ? [selected] : [],
        aims: {
          edit: aimAt("edit", "artifact.edit"),
          rollback: aimAt("rollback", "artifact.rollback"),
          export: aimAt("export", "artifact.export"),
          retry: aimAt("retry", "artifact.retry"),
          open_detail: aim(selected !== undefined, "artifact.read"),
        },
      },
      { artifacts, files, ...given({ selected }) },
    )
  },
}

const row = kept(
  (
    artifact: ArtifactEntity,
    who: Who | undefined,
    ports: AvailablePorts,
    edit: ArtifactEdit | undefined,
  ): ArtifactRow => {
    const { currentVersionId, gone } = artifact
    return {
      ...picked(artifact, "artifactId", "kind", "mediaType", "status", "currentVersionId", "previewRef"),
      ...picked(artifact, "bodyRef", "diffs", "exports", "gone", "handoff", "failure"),
      ...markOf(artifact),
      title: known(artifact.title),
      versions: artifact.versions.map((version) => ({
        ...version,
        current: version.versionId === currentVersionId,
      })),
      preview: artifact.preview ?? (artifact.previewRef === undefined ? "unavailable" : "unknown"),
      validationIssues: known(artifact.validationIssues),
      ...given({ who, at: artifact.origin.timestamp }),
      ...(edit && {
        edit: { ...edit, behind: edit.base !== undefined && edit.base !== currentVersionId },
      }),
      controls: offer(surfaceControls.artifact_workspace, ports, {
        edit: aim(!gone, "artifact.edit"),
        rollback: aim(!gone && artifact.versions.length > 1, "artifact.rollback"),
        export: aim(!gone, "artifact.export"),
        retry: aim(artifact.failure !== undefined && !gone, "artifact.retry"),
        open_detail: aim(!gone, "artifact.read"),
      }),
    }
  },
)

function markOf(artifact: ArtifactEntity): Mark {
  if (artifact.gone) return { state: "unavailable", reason: "deleted" }
  if (artifact.status === "blocked" || artifact.status === "locked") return said("blocked", artifact.message)
  if (artifact.kind === "unknown") return { state: "unknown", reason: "kind_unknown" }
  const newest = artifact.versions.at(-1)?.versionId
  if (
    newest !== undefined &&
    artifact.currentVersionId !== undefined &&
    newest !== artifact.currentVersionId
  ) {
    return { state: "stale", reason: "newer_version" }
  }
  const seen = artifact.preview ?? artifact.previewRef ?? artifact.bodyRef ?? artifact.versions.at(-1)?.ref
  return seen === undefined ? { state: "unavailable", reason: "preview_unavailable" } : ready
}

const filesShown = 400

function filesOf(state: AgentUiState, scope: ViewScope): ArtifactWorkspaceView["files"] {
  const process = runOf(state, scope)?.process
  const recent = process?.slice(-filesShown) ?? []
  return recent.flatMap(({ kind, id }) => {
    const tool = kind === "tool" ? state.tools.get(id) : undefined
    if (!tool) return []
    return tool.files.map((file) => ({
      ...file,
      toolCallId: id,
      ...given({ who: whoOf(state, tool.origin) }),
    }))
  })
}
