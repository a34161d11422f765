import { type Draft, open, supply, track } from "../draft.ts"
import type { ReviewPayload } from "../events/index.ts"
import type { ReviewEntity } from "../state.ts"
import type { Reducers } from "./index.ts"
import { noSession } from "./session.ts"
import { changeTask } from "./task.ts"

export const teamReducers: Reducers<
  "team.changed" | "worker.notification" | "review.requested" | "review.completed"
> = {
  "team.changed": (draft, payload) => {
    const { event } = draft
    const teamId = payload.teamId ?? payload.teamName ?? event.sessionId ?? noSession
    const team = open(draft, "teams", teamId, (base) => ({ ...base, teamId }))
    supply(team, payload)
    for (const item of payload.board ?? [])
      changeTask(draft, item.workItemId, { runtimeEntity: "work_item", ...item })
  },
  "worker.notification": (draft, payload) => {
    const { event } = draft
    const id =
      payload.notificationId ??
      `${event.agentId ?? event.taskId ?? "unknown"}/${draft.sequence ?? draft.state.opened}`
    const notification = open(draft, "notifications", id, (base) => ({ ...base, notificationId: id }))
    supply(notification, payload)
    track(draft, "notification", id)
  },
  "review.requested": (draft, payload) => {
    changeReview(draft, payload).status ??= "requested"
  },
  "review.completed": (draft, payload) => {
    changeReview(draft, payload).completed = true
  },
}

function changeReview(draft: Draft, payload: ReviewPayload): ReviewEntity {
  const { evidenceId, taskId } = draft.event
  const id = payload.reviewId ?? evidenceId ?? taskId ?? payload.reviewer ?? "unknown"
  const review = open(draft, "reviews", id, (base) => ({ ...base, reviewId: id, completed: false }))
  supply(review, payload)
  track(draft, "review", id)
  return review
}
