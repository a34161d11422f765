import type { Action, ActionGraph, ResultPolicy } from "../../src/action.ts"
import { memoryArtifacts } from "../../src/artifacts.ts"
import { sha256 } from "../../src/hash.ts"
import type { Artifact, Observation } from "../../src/observation.ts"
import { plainAction, plainGraph } from "../../src/plain.ts"
import type { ReferenceScope } from "../../src/resolve.ts"
import { type Observing, observe } from "../../src/result-policy.ts"
import type { ActionOutcome, ActionRun } from "../../src/run.ts"
import { o200k } from "../../src/tokens/o200k.ts"

export function action(id: string, over: Partial<Action> = {}): Action {
  return {
    id,
    ...plainAction,
    ...over,
  }
}

export const graph = (actions: readonly Action[]): ActionGraph => ({
  ...plainGraph,
  actions,
})

export const policy = (over: Partial<ResultPolicy>): ResultPolicy => ({
  return_to_model: "summary",
  priority: [],
  store_full: true,
  ...over,
})

/** A run of one action with these outcomes; its status is that of the last. */
export function ran(id: string, ...outcomes: ActionOutcome[]): ActionRun {
  const last = outcomes.at(-1)
  return {
    id,
    status: last?.status ?? "pending",
    attempts: outcomes.map((outcome, started) => ({ started, outcome })),
    passes: 0,
    ...(last?.status === "failed" ? { reason: last.reason } : {}),
  }
}

export const completed = (
  output: string,
  rest: { data?: unknown; summary?: string; artifacts?: readonly string[] } = {},
): ActionOutcome => ({ status: "completed", output, ...rest })

export const failed = (message: string, output?: string): ActionOutcome => ({
  status: "failed",
  reason: { code: "executor_failed", message },
  ...(output === undefined ? {} : { output }),
})

export const artifact = (ref: string, text: string, over: Partial<Artifact> = {}): Artifact => ({
  ref,
  run_id: "run_1",
  name: ref,
  text,
  hash: sha256(text),
  private: false,
  visibility: "future_runs",
  ...over,
})

export const scope = (over: Partial<ReferenceScope> = {}): ReferenceScope => ({
  run_id: "run_1",
  sections: [],
  actions: [],
  runs: {},
  artifacts: memoryArtifacts(),
  owns: () => true,
  ...over,
})

/** One observation of the action `act`, with room for anything unless told otherwise. */
export function observed(
  result_policy: Partial<ResultPolicy>,
  outcome: ActionOutcome,
  over: Partial<Observing> = {},
  of: Partial<Action> = {},
): Observation {
  return observe({
    run_id: "run_1",
    action: action("act", { result_policy: policy(result_policy), ...of }),
    run: ran("act", outcome),
    artifacts: memoryArtifacts(),
    tokenizer: o200k,
    budget: 100_000,
    ...over,
  })
}

/** So many numbered lines, all different. */
export const longText = (lines: number): string =>
  Array.from(
    { length: lines },
    (_, index) => `entry ${index + 1} holds the value ${(index * 7919) % 1000}`,
  ).join("\n")
