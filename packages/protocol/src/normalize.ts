import {
  type Action,
  type Condition,
  type ExecutorRequest,
  executorTypes,
  type FailurePolicy,
  failureChoices,
  type Origin,
  type Repeat,
  type ResultPolicy,
  type ReturnPolicy,
  returnPolicies,
  sideEffects,
  visibilities,
} from "./action.ts"
import { lastingStatuses } from "./declaration/fields.ts"
import {
  countOf,
  flagOf,
  listOf,
  oneOf,
  present,
  type Raw,
  rawOf,
  textOf,
  textsOf,
} from "./declaration/raw.ts"

/** What an action takes from around it when it does not say itself. */
export type Around = {
  origin: Origin
  persist: boolean
  returns: ReturnPolicy
  extensions: Raw
  index: number
}

/** How often `retry` tries again when no number is given. */
const defaultRetries = 2

/**
 * The one form of work, from an action of the full DSL. It reads what it can of a wrong action too, because all
 * problems of a declaration are told at once; whether anything may run is decided by the schemas and checks.
 */
export function normalizeAction(raw: Raw, around: Around): Action {
  return {
    // Nothing can depend on an action that has no id.
    id: textOf(raw.id) ?? `#${around.index}`,
    ...present({
      title: textOf(raw.title),
      description: textOf(raw.description),
      reason: textOf(raw.reason),
      operation: textOf(raw.operation),
      executor: executorOf(raw.executor),
      prompt_ref: textOf(raw.prompt_ref),
      when: conditionOf(raw.when),
      repeat: repeatOf(raw.repeat),
    }),
    input: rawOf(raw.input),
    depends_on: textsOf(raw.depends_on),
    context_refs: textsOf(raw.context_refs),
    result_policy: resultPolicyOf(raw.result_policy, around.returns),
    failure_policy: failurePolicyOf(raw.failure_policy),
    persist: flagOf(raw.persist) ?? around.persist,
    requires_approval: raw.requires_approval === true,
    irreversible: raw.irreversible === true,
    side_effects: sideEffects.filter((effect) => listOf(raw.side_effects).includes(effect)),
    idempotent: flagOf(raw.idempotency) ?? "unknown",
    writes: textsOf(raw.writes),
    visibility: oneOf(raw.data_visibility, visibilities) ?? "future_runs",
    private: raw.privacy === true,
    extensions: around.extensions,
    origin: around.origin,
  }
}

function executorOf(value: unknown): ExecutorRequest | undefined {
  const raw = rawOf(value)
  const type = oneOf(raw.type, executorTypes)
  if (type === undefined) return undefined
  return { type, target: textOf(raw.target) ?? "auto", capabilities: textsOf(raw.capabilities) }
}

function resultPolicyOf(value: unknown, otherwise: ReturnPolicy): ResultPolicy {
  const raw = typeof value === "string" ? { return_to_model: value } : rawOf(value)
  return {
    return_to_model: oneOf(raw.return_to_model, returnPolicies) ?? otherwise,
    priority: textsOf(raw.priority),
    store_full: flagOf(raw.store_full) ?? true,
    ...present({
      max_tokens: countOf(raw.max_tokens),
      if_truncated: oneOf(raw.if_truncated, ["provide_ref_and_summary"]),
    }),
  }
}

function failurePolicyOf(value: unknown): FailurePolicy {
  const raw = typeof value === "string" ? { on_failure: value } : rawOf(value)
  const spelt = raw.on_failure === "ask-model" ? "ask_model" : raw.on_failure
  const on_failure = oneOf(spelt, failureChoices) ?? "continue"
  const retries = on_failure === "retry" ? defaultRetries : 0
  return { on_failure, max_retries: countOf(raw.max_retries) ?? retries }
}

function conditionOf(value: unknown): Condition | undefined {
  const raw = rawOf(value)
  const action = textOf(raw.action)
  if (action === undefined) return undefined
  const status = oneOf(raw.status, lastingStatuses)
  if (status !== undefined) return { action, status }
  const { equals } = raw
  const field = textOf(raw.field)
  if (field === undefined || equals === undefined) return undefined
  if (
    equals === null ||
    typeof equals === "string" ||
    typeof equals === "number" ||
    typeof equals === "boolean"
  )
    return { action, field, equals }
}

function repeatOf(value: unknown): Repeat | undefined {
  const raw = rawOf(value)
  const max = countOf(raw.max)
  return max === undefined ? undefined : { max, ...present({ until: conditionOf(raw.until) }) }
}
