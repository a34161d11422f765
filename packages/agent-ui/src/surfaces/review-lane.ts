import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState, ArtifactEntity, EvidenceEntity, ReviewEntity, TaskEntity } from "../state.ts"
import { kept } from "./memo.ts"
import { aim, offer, surfaceControls } from "./offer.ts"
import { assemble, inScope, ready, said } from "./standing.ts"
import { groupOf, type StatusGroup } from "./status-group.ts"
import { type ControlView, type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { agentWho, given, type Who } from "./who.ts"

export type ReviewRow = Mark & {
  reviewId: string
  reviewer: Known<Who>
  target: Known<{ kind: string; id: string; version?: string }>
  /** What the target is called, and its version as its owner counts. */
  targetTitle?: string
  targetVersion?: string
  status: Known<string>
  group: StatusGroup
  /** From the review alone; no text can change it. */
  verdict: Known<string>
  evidence: readonly { evidenceId: string; verdict?: string; state: "ready" | "unknown" }[]
  requestedFixes: readonly string[]
  completed: boolean
  at?: string
  controls: readonly ControlView[]
}
export type ReviewLaneView = View & {
  reviews: readonly ReviewRow[]
  open: number
  /** What a review can be asked for. */
  reviewable: readonly { artifactId: string; title?: string; versionId?: string }[]
}

export const reviewLane: Surface<ReviewLaneView> = {
  reads: ["reviews", "agents", "evidence", "artifacts", "tasks"],
  select(state, scope, ports) {
    const reviews = inScope(state, state.reviews, scope).map((review) => reviewRowOf(state, review, ports))
    const reviewable = inScope(state, state.artifacts, scope)
      .filter(({ gone }) => !gone)
      .map(reviewableOf)
    return assemble(
      "review_lane",
      { state, scope, ports },
      {
        has: reviews.length > 0,
        marks: reviews,
        aims: {
          request_review: aim(reviews.length > 0 || reviewable.length > 0),
          open_detail: aim(reviews.length > 0, "evidence.read"),
        },
      },
      { reviews, open: reviews.filter(({ completed }) => !completed).length, reviewable },
    )
  },
}

const reviewableOf = kept(({ artifactId, title, currentVersionId }: ArtifactEntity) => ({
  artifactId,
  ...given({ title, versionId: currentVersionId }),
}))

export function reviewRowOf(state: AgentUiState, review: ReviewEntity, ports: AvailablePorts): ReviewRow {
  const reviewer = review.reviewer === undefined ? "unknown" : agentWho(state, review.reviewer)
  const evidence = (review.evidenceRefs ?? []).map((id) => state.evidence.get(id))
  return row(review, reviewer, targetOf(state, review), ports, ...evidence)
}

const row = kept(
  (
    review: ReviewEntity,
    reviewer: Known<Who>,
    target: ArtifactEntity | TaskEntity | undefined,
    ports: AvailablePorts,
    ...evidence: readonly (EvidenceEntity | undefined)[]
  ): ReviewRow => {
    const { reviewId, completed, origin } = review
    const status = known(review.status)
    const artifact = target && "artifactId" in target ? target : undefined
    const version = artifact?.versions.find(({ versionId }) => versionId === review.target?.version)
    return {
      reviewId,
      ...markOf(review, artifact?.currentVersionId),
      reviewer,
      target: known(review.target),
      status,
      group: groupOf(status),
      verdict: known(review.verdict),
      evidence: (review.evidenceRefs ?? []).map((evidenceId, index) => ({
        evidenceId,
        state: evidence[index] ? "ready" : "unknown",
        ...given({ verdict: evidence[index]?.verdict }),
      })),
      requestedFixes: review.requestedFixes ?? [],
      completed,
      ...given({ targetTitle: target?.title, targetVersion: version?.label, at: origin.timestamp }),
      controls: offer(surfaceControls.review_lane, ports, {
        request_review: aim(completed && review.target !== undefined),
        open_detail: aim(true, "evidence.read"),
      }),
    }
  },
)

function markOf(review: ReviewEntity, current: string | undefined): Mark {
  if (review.blockedReason !== undefined) return said("blocked", review.blockedReason)
  if (review.completed && review.verdict === undefined) return { state: "unknown", reason: "verdict_unknown" }
  const judged = review.target?.version
  const moved = review.completed && judged !== undefined && current !== undefined && judged !== current
  return moved ? { state: "stale", reason: "target_changed" } : ready
}

/** The artifact or task that is judged, where it is known. */
function targetOf(state: AgentUiState, { target }: ReviewEntity): ArtifactEntity | TaskEntity | undefined {
  if (target?.kind === "artifact") return state.artifacts.get(target.id)
  return target === undefined ? undefined : state.tasks.get(target.id)
}
