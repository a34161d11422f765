import type { ActionGraph, Origin } from "../action.ts"
import type { Sections } from "../markdown.ts"

export type ExpandRequest = {
  ref: string
  reason?: string
  range?: { around_matches?: boolean; context_lines?: number; match?: string; from?: number; to?: number }
}

export type ModelDecision = {
  run_id: string
  /** The action that waits; absent: the run as a whole. */
  action_id?: string
  choice: "retry" | "continue" | "abort"
  reason?: string
}

export type ReportSpec = {
  title: string
  sections: readonly { heading: string; refs: readonly string[]; text?: string }[]
}

/** What every declaration carries, whatever it asks for. */
export type Declared = {
  version: "1" | "2"
  origin: Origin
  title?: string
  /** The short message beside the work, or the section `user.visible`. Shown, never executed. */
  note?: string
  /** The exact text of the declaration, for the record and for replay. */
  source: string
  sections: Sections
  extensions: Readonly<Record<string, unknown>>
}

export type WorkerOutcome = {
  action_id?: string
  status: "success" | "failure" | "error" | "reply" | "skipped"
  message?: string
  output?: unknown
}

/** What the model asks, after parsing, normalising and validation. */
export type Declaration = Declared &
  (
    | { intent: "execute" | "plan"; graph: ActionGraph }
    | { intent: "execute" | "plan"; report: ReportSpec }
    | { intent: "revise"; run_id: string; graph: ActionGraph }
    | { intent: "expand_ref"; refs: readonly ExpandRequest[] }
    | { intent: "decide" | "cancel"; decision: ModelDecision }
    | { intent: "answer"; message: string }
    | { intent: "done"; message?: string }
    | { intent: "outcome"; outcome: WorkerOutcome }
  )
