import { type Draft, report } from "../draft.ts"
import { given } from "../given.ts"
import { applyPatch } from "../patch.ts"
import { setIn } from "../table.ts"
import type { Reducers } from "./index.ts"
import { noSession } from "./session.ts"

/** The synced state of one scope; two scopes of one name do not meet. */
function scopeKeyOf({ event }: Draft): string {
  const { scope, agentId, taskId, runId, threadId, sessionId } = event
  if (scope === "application" || scope === "workspace") return scope
  if (scope === "agent" && agentId !== undefined) return `agent:${agentId}`
  if (scope === "task" && taskId !== undefined) return `task:${taskId}`
  if (scope === "run" && runId !== undefined) return `run:${runId}`
  if (scope === "thread" && threadId !== undefined) return `thread:${threadId}`
  return `session:${sessionId ?? threadId ?? noSession}`
}

export const syncedReducers: Reducers<"state.snapshot" | "state.delta"> = {
  "state.snapshot": (draft, { state, version }) => {
    const scopeKey = scopeKeyOf(draft)
    const known = { scopeKey, state, stale: false, ...given({ version }) }
    draft.state.synced = setIn(draft.state.synced, scopeKey, known, draft.edit)
  },
  "state.delta": (draft, { patch, version }) => {
    const scopeKey = scopeKeyOf(draft)
    const known = draft.state.synced.get(scopeKey)
    const patched = Array.isArray(patch) ? applyPatch(known?.state ?? {}, patch) : undefined
    if (!patched) report(draft, "patch_failed", "A patch did not fit.", scopeKey)
    // Later patches build on the one that is missing.
    const next =
      patched && !known?.stale
        ? { scopeKey, state: patched.value, stale: false, ...given({ version }) }
        : { ...(known ?? { scopeKey, state: undefined }), stale: true }
    draft.state.synced = setIn(draft.state.synced, scopeKey, next, draft.edit)
  },
}
