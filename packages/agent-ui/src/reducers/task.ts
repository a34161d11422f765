import { type Draft, open, supply, track } from "../draft.ts"
import type { TaskChangedPayload } from "../events/index.ts"
import type { TaskEntity } from "../state.ts"
import type { Reducers } from "./index.ts"

/** Changes what was supplied of one task. A comment is no column: the last other status stays the column. */
export function changeTask(draft: Draft, taskId: string, payload: TaskChangedPayload): TaskEntity {
  const task = open(draft, "tasks", taskId, (base) => ({ ...base, taskId, dependencies: [] }))
  supply(task, payload, ["linked", "unlinked", "links"])
  const { linked = [], unlinked = [], links } = payload
  const list = links === "artifactRefs" || links === "evidenceRefs" ? links : "dependencies"
  if (linked.length + unlinked.length > 0)
    task[list] = [...new Set([...(task[list] ?? []), ...linked])].filter((id) => !unlinked.includes(id))
  if (payload.status !== undefined && payload.status !== "commented") task.column = payload.status
  track(draft, "task", taskId)
  return task
}

export const taskReducers: Reducers<"task.changed"> = {
  "task.changed": (draft, payload) => {
    changeTask(draft, payload.workItemId ?? draft.event.taskId ?? "", payload)
  },
}
