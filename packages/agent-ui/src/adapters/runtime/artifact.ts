import type { ArtifactEvent, EvidenceEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import { given } from "./given.ts"
import { event, type Place, preview, type Translations } from "./place.ts"

export const artifactFrames: Translations<ArtifactEvent | EvidenceEvent> = {
  "artifact.changed": (fact) => {
    switch (fact.payload.change) {
      case "produced":
        return [event("artifact.created", fact, kept(fact), described(fact)), ...versions(fact)]
      case "updated":
        return [event("artifact.updated", fact, kept(fact), described(fact)), ...versions(fact)]
      case "observed":
        return [
          event("artifact.changed", fact, kept(fact), {
            ...described(fact),
            ...version(fact),
            ...shown(fact),
          }),
        ]
      case "removed":
        return [event("artifact.deleted", fact, kept(fact, "archived"), described(fact))]
    }
  },
  "evidence.changed": (fact) => {
    const { evidence_id, kind, verdict, about, ref, reflects, note, missing } = fact.payload
    return [
      event(
        "evidence.changed",
        fact,
        {
          owner: "evidence",
          scope: "evidence",
          phase: "completed",
          surface: "timeline_evidence",
          persistence: "evidence_pack",
          evidenceId: evidence_id,
        },
        {
          kind,
          verdict,
          target: about,
          ref: ref.uri,
          missing,
          ...given({
            title: ref.title,
            digest: ref.digest,
            sequence: reflects,
            notes: note === undefined ? undefined : [note],
          }),
        },
      ),
    ]
  },
}

function kept(fact: ArtifactEvent, phase: Place["phase"] = "producing"): Place {
  return {
    owner: "artifact",
    scope: "artifact",
    phase,
    surface: "artifact_workspace",
    persistence: "artifact_store",
    artifactId: fact.payload.artifact_id,
  }
}

function described({ payload }: ArtifactEvent) {
  const { owner, title, kind, media_type, validation_issues } = payload
  return { owner, validationIssues: validation_issues, ...given({ title, kind, mediaType: media_type }) }
}

const version = ({ payload }: ArtifactEvent) => ({
  versionId: payload.version,
  version: payload.version,
  ...given({ bodyRef: payload.refs[0]?.uri }),
})

const shown = ({ payload }: ArtifactEvent) =>
  given({ preview: preview(payload.preview), diffRef: payload.diff_ref?.uri })

/** A new version, and of it what its owner gave beside the bytes. */
function versions(fact: ArtifactEvent): AgentUiEvent[] {
  const { diffRef, preview } = shown(fact)
  const at = kept(fact)
  const toVersionId = fact.payload.version
  return [
    event("artifact.version.created", fact, at, version(fact)),
    ...(preview === undefined
      ? []
      : [event("artifact.preview.ready", fact, at, { versionId: toVersionId, preview })]),
    ...(diffRef === undefined ? [] : [event("artifact.diff.ready", fact, at, { diffRef, toVersionId })]),
  ]
}
