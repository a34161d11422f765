/** The one internal form of work. Every carrier is normalised to it; everything after it knows nothing else. */
export const executorTypes = ["tool", "agent", "runtime", "human", "pipeline", "service"] as const
export type ExecutorType = (typeof executorTypes)[number]

export const returnPolicies = [
  "none",
  "summary",
  "structured",
  "excerpt",
  "full",
  "on_failure",
  "on_demand",
  "adaptive",
] as const
export type ReturnPolicy = (typeof returnPolicies)[number]

export const sideEffects = ["read", "write", "send", "delete", "purchase", "publish", "external"] as const
export type SideEffect = (typeof sideEffects)[number]

/** Who may see a result, from the most to the fewest: each level includes those after it. */
export const visibilities = ["future_runs", "model", "user", "log", "runtime"] as const
export type Visibility = (typeof visibilities)[number]

export type ExecutorRequest = {
  type: ExecutorType
  /** A registered name, or `auto`. */
  target: string
  capabilities: readonly string[]
}

export type ResultPolicy = {
  return_to_model: ReturnPolicy
  priority: readonly string[]
  max_tokens?: number
  store_full: boolean
  if_truncated?: "provide_ref_and_summary"
}

export const failureChoices = ["retry", "abort", "continue", "ask_model"] as const
export type FailureChoice = (typeof failureChoices)[number]
export type FailurePolicy = { on_failure: FailureChoice; max_retries: number }

/** Either the status of one earlier action, or one field of its result compared with a literal. */
export type Condition =
  | { action: string; status: ActionStatus }
  | { action: string; field: string; equals: string | number | boolean | null }

export type Repeat = { max: number; until?: Condition }

/** How a declaration reached the runtime. Equal work differs in nothing else. */
export const origins = ["dsl", "native", "recovered_call", "recovered_text", "items", "workflow"] as const
export type Origin = (typeof origins)[number]

export type Action = {
  id: string
  title?: string
  description?: string
  reason?: string
  operation?: string
  /** Absent: the runtime selects among all types. */
  executor?: ExecutorRequest
  input: Readonly<Record<string, unknown>>
  depends_on: readonly string[]
  context_refs: readonly string[]
  prompt_ref?: string
  /** Absent fields of the declaration are filled in: by the envelope's response policy, then by the defaults. */
  result_policy: ResultPolicy
  failure_policy: FailurePolicy
  persist: boolean
  when?: Condition
  repeat?: Repeat
  requires_approval: boolean
  irreversible: boolean
  side_effects: readonly SideEffect[]
  idempotent: boolean | "unknown"
  /** Resources that the action writes, for finding conflicts. */
  writes: readonly string[]
  visibility: Visibility
  private: boolean
  /** Fields named `x_…`: kept, never read. */
  extensions: Readonly<Record<string, unknown>>
  origin: Origin
}

export type BudgetPolicy = {
  max_tokens?: number
  max_time_ms?: number
  max_cost?: number
  max_retries?: number
  max_parallel?: number
}

export type ActionGraph = {
  title?: string
  persist: boolean
  mode: "durable" | "ephemeral"
  strategy: "dag" | "sequential"
  /** In the order of the declaration. */
  actions: readonly Action[]
  budget: BudgetPolicy
  cancellation: "drain" | "abort"
  conflicts: "order" | "refuse"
  /** Ids of actions that wait for a person before they start, beside those that say so themselves. */
  approvals: readonly string[]
}

export const actionStatuses = [
  "pending",
  "running",
  "completed",
  "failed",
  "canceled",
  "blocked",
  "waiting",
] as const
export type ActionStatus = (typeof actionStatuses)[number]
