import type { Action, BudgetPolicy } from "../action.ts"
import type { Authority, Executor } from "../executor.ts"
import type { Expansion } from "../expand.ts"
import type { WorkflowAdapter } from "../flow.ts"
import type { ProtocolIssue } from "../issues.ts"
import type { Artifacts, Tokenizer } from "../observation.ts"
import type { RunRecord } from "../run.ts"
import type { SelectionPolicy } from "../select.ts"
import type { Workspace } from "../workspace.ts"
import type { Clock } from "./clock.ts"
import type { FakeExecutor } from "./executors.ts"
import type { RunStore } from "./store.ts"

export type Permission = (asked: { action: Action; executor: Executor; path?: string }) => string | undefined

/** What is done with an action, step by step, for whoever watches. */
export type Trace = {
  action_id: string
  step: "validated" | "permitted" | "expanded" | "assigned" | "logged" | "called" | "observed"
}

export type HarnessOptions = {
  executors: Readonly<Record<string, FakeExecutor>>
  clock: Clock
  store?: RunStore
  /** Why an operation is denied, or nothing; asked right before each one. */
  permission?: Permission
  authority?: Authority
  /** What assigned agents may do by themselves, by name. */
  agents?: Readonly<Record<string, Authority>>
  selection?: SelectionPolicy
  limits?: BudgetPolicy
  secrets?: readonly string[]
  goal?: string
  workspace?: Workspace & { read(path: string): string }
  artifacts?: Artifacts
  tokenizer?: Tokenizer
  /** Tokens of content that one observation or expansion may hold. */
  budget?: number
  /** Tokens of context that one executor is given. */
  context_budget?: number
  max_depth?: number
  workflows?: WorkflowAdapter
  run_id?: (count: number) => string
  trace?: (entry: Trace) => void
}

export type Answer =
  | { ok: true; kind: "run"; record: RunRecord }
  | { ok: true; kind: "report"; text: string }
  | { ok: true; kind: "expansion"; expansions: readonly Expansion[] }
  | { ok: true; kind: "message"; text: string }
  | { ok: false; issues: readonly ProtocolIssue[] }

export const everyone: Authority = { agent: "main", enabled: true, depth: 0 }

/** One token a character: simple, and exact both ways. */
export const characterTokens: Tokenizer = {
  count: (text) => [...text].length,
  encode: (text) => Array.from(text, (character) => character.codePointAt(0) ?? 0),
  decode: (tokens) => tokens.map((token) => String.fromCodePoint(token)).join(""),
}
