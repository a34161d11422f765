import { type Draft, open, supply, track } from "../draft.ts"
import type { CompactionPayload } from "../events/index.ts"
import type { CompactionEntity } from "../state.ts"
import type { Reducers } from "./index.ts"
import { noSession } from "./session.ts"

export const contextReducers: Reducers<
  "context.changed" | "context.compaction.started" | "context.compaction.completed" | "permission.changed"
> = {
  "context.changed": (draft, payload) => {
    const { event } = draft
    const contextKey = event.agentId ?? event.threadId ?? event.sessionId ?? noSession
    const context = open(draft, "contexts", contextKey, (base) => ({ ...base, contextKey }))
    supply(context, payload)
    track(draft, "context", contextKey)
  },
  "context.compaction.started": (draft, payload) => {
    supply(openBoundary(draft, payload), payload, ["failed"])
  },
  "context.compaction.completed": (draft, payload) => {
    const boundary = openBoundary(draft, payload)
    supply(boundary, payload)
    boundary.state = payload.failed ? "failed" : "closed"
  },
  "permission.changed": (draft, payload) => {
    const { event } = draft
    const subjectKey =
      payload.subject?.id ?? event.agentId ?? event.toolCallId ?? event.sessionId ?? noSession
    const permission = open(draft, "permissions", subjectKey, (base) => ({ ...base, subjectKey }))
    supply(permission, payload)
  },
}

/** A boundary without an id is the one of its thread that is still open, else the next one. */
function openBoundary(draft: Draft, payload: CompactionPayload): CompactionEntity {
  const thread = draft.event.threadId ?? draft.event.sessionId ?? noSession
  let id = payload.boundaryId ?? `${thread}/1`
  const { compactions } = draft.state
  for (let count = 2; payload.boundaryId === undefined && isShut(compactions.get(id)); count++)
    id = `${thread}/${count}`
  const boundary = open(draft, "compactions", id, (base) => ({
    ...base,
    boundaryId: id,
    state: "open" as const,
  }))
  track(draft, "compaction", id)
  return boundary
}

const isShut = (boundary: CompactionEntity | undefined) => boundary !== undefined && boundary.state !== "open"
