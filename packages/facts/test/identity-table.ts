import type { EventType, ScopeId, WorkId } from "../src/index.ts"

// Written apart from the declarations, from the identity model, so that the two check each other.
const scopes: readonly (readonly [RegExp, readonly ScopeId[]])[] = [
  [/^(limit|runtime|policy)\.|^channel\.(connected|disconnected|resumed|message)$/, []],
  [/^(turn|run|model|reasoning|tool|subagent)\.|^context\.resolved$/, ["session_id", "thread_id", "turn_id"]],
  [
    /^(thread|queue|process|routing)\.|^context\.compaction\.|^history\.rollback\.|^task\.profile\./,
    ["session_id", "thread_id"],
  ],
  [/./, ["session_id"]],
]

const works: readonly (readonly [RegExp, readonly WorkId[]])[] = [
  [/^tool\.catalog\.|^task\.profile\./, []],
  [/^tool\./, ["step_id", "tool_call_id"]],
  [/^(model|reasoning)\./, ["step_id"]],
  [/^action\.|^channel\.permission_/, ["action_id"]],
  [/^task\.attempt\./, ["task_id", "run_id", "attempt_id"]],
  [/^task\./, ["task_id"]],
  [/^subagent\./, ["subagent_id"]],
]

const extras: readonly (readonly [RegExp, readonly WorkId[]])[] = [
  [/^(runtime|permission)\.|^hook\./, ["step_id", "tool_call_id", "action_id"]],
  [
    /^(action|artifact|evidence|subagent|sandbox|process|output)\.|^channel\.permission_/,
    ["step_id", "tool_call_id"],
  ],
  [/^(routing|cost|quota|rate_limit|run|queue)\.|^task\.profile\.|^turn\.submitted$/, ["step_id"]],
  [/^task\.waiting$/, ["action_id"]],
]

export function requiredIds(type: EventType): readonly (ScopeId | WorkId)[] {
  return [...first(scopes, type), ...first(works, type)]
}

/** Beside these, any turn may run as an attempt of a task or inside a child agent. */
export function optionalIds(type: EventType): readonly WorkId[] {
  return [...first(extras, type), "task_id", "run_id", "attempt_id", "subagent_id"]
}

function first<I>(table: readonly (readonly [RegExp, readonly I[]])[], type: string): readonly I[] {
  return table.find(([pattern]) => pattern.test(type))?.[1] ?? []
}
