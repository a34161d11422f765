import type { ActionStatus, ReturnPolicy, Visibility } from "./action.ts"

/** Which of the four sources a summary came from. */
export const summaryLevels = ["native", "mechanical", "final_output", "summarizer"] as const
export type SummaryLevel = (typeof summaryLevels)[number]

/** What the model may see of one action's result, already sized by policy. */
export type Observation = {
  action_id: string
  status: ActionStatus
  policy: ReturnPolicy
  /** Text for the model; empty when the policy returns no content. */
  content: string
  summary: string
  summary_level: SummaryLevel
  /** Where the whole output can be read, for `expand_ref`. */
  refs: readonly string[]
  tokens: number
  /** Present when content was cut: how much of what the policy selected is not in it. */
  omitted?: { tokens: number; characters: number }
  /** Why there is less than was asked for: privacy, permission, budget, no structure. */
  withheld?: string
  reason?: string
  /** The whole output, which may be known only by this. Absent when it may not be seen. */
  output?: { characters: number; hash: string; stored: boolean }
}

/** Stored bytes of a run, by reference. Private ones never reach a model. */
export type Artifact = {
  ref: string
  run_id: string
  action_id?: string
  name: string
  text: string
  /** `sha256:…` of the text's UTF-8 bytes. */
  hash: string
  private: boolean
  visibility: Visibility
}

export interface Artifacts {
  /** By exact reference, in any of its spellings. */
  get(ref: string): Artifact | undefined
  put(artifact: Artifact): void
}

/** Counts tokens as the provider would. Exact, so that a budget is a bound. */
export type Tokenizer = {
  count(text: string): number
  encode(text: string): readonly number[]
  decode(tokens: readonly number[]): string
}
