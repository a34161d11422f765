import type { Action, ActionGraph } from "./action.ts"

/** What every field means that a declaration leaves out. */
export const plainAction: Omit<Action, "id"> = {
  input: {},
  depends_on: [],
  context_refs: [],
  result_policy: { return_to_model: "summary", priority: [], store_full: true },
  failure_policy: { on_failure: "continue", max_retries: 0 },
  persist: false,
  requires_approval: false,
  irreversible: false,
  side_effects: [],
  idempotent: "unknown",
  writes: [],
  visibility: "future_runs",
  private: false,
  extensions: {},
  origin: "dsl",
}

export const plainGraph: ActionGraph = {
  persist: false,
  mode: "ephemeral",
  strategy: "dag",
  actions: [],
  budget: {},
  cancellation: "drain",
  conflicts: "order",
  approvals: [],
}
