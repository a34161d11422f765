import type { ActionRequest, FailureCategory, ToolEffect } from "@factum/facts"
import type { ExecutorType, FailureChoice, SideEffect } from "@factum/protocol"
import type { Draft } from "../decision.ts"

/** What a call would touch, found before anything is done, so that it can be judged. Paths are real ones. */
export type Touch =
  | { kind: "read" | "write" | "delete"; path: string }
  /** Without a folder it is not known where the shell stands that reads it. */
  | { kind: "command"; command: string; cwd?: string }
  | { kind: "network"; url: string }
  /** An effect that only the tool itself understands. */
  | { kind: "other"; name: string }

/** What a process may do. The driver says which of it is really in force. */
export type Boundary = {
  profile: "read_only" | "workspace_write" | "full"
  network: "none" | "all" | { domains: readonly string[] }
}

export type Workspace = {
  /** Absolute, through symbolic links. */
  cwd: string
  /** Folders that tools may write in. */
  roots: readonly string[]
}

/** One execution of one call. Everything that it tells goes into the log under the ids of the call. */
export type ToolRun = Workspace & {
  session_id: string
  thread_id: string
  turn_id: string
  step_id: string
  tool_call_id: string
  /** 1 for the first; more after a safe call was cut off. */
  attempt: number
  /** The same for all attempts, for tools that send it along. */
  key: string
  boundary: Boundary
  /** Credentials that a person gave for this session, for the processes of the call alone. */
  env?: Readonly<Record<string, string>>
  /** Real paths outside of the roots that were judged and allowed for this call. */
  granted?: readonly string[]
  /** Of a call that goes through a folder: whether it may tell what stands in this file of it. */
  mayRead?(path: string): boolean
  signal: AbortSignal
  /** Facts of the call, in order; false when the call is over and nothing more may happen. */
  record(facts: readonly ToolFact[]): Promise<boolean>
}

/** A fact without the ids of the call, which are added. */
export type ToolFact = Pick<Draft, "type" | "payload">

export type ToolOutcome =
  | {
      ok: true
      /** For the model; bytes that are no text never enter a prompt. */
      output: string | Uint8Array
      media_type?: string
      data?: unknown
      artifact_ids?: readonly string[]
    }
  | { ok: false; category: FailureCategory; message: string; next?: string; output?: string | Uint8Array }

export type FailedOutcome = Extract<ToolOutcome, { ok: false }>

/** What a person is asked; the answer is the result of the call. */
export type Question = Pick<
  ActionRequest,
  | "action_type"
  | "title"
  | "detail"
  | "decisions"
  | "answer_schema"
  | "deadline"
  | "subject_refs"
  | "safe_input"
  | "grant"
  | "policy_scope"
  | "risk"
>

/** When somebody is asked, and in which session. */
export type Occasion = { now: number; session_id: string }

export type Problem = { path: string; message: string }

/** One call of a pipeline. Its input may hold references, which are replaced when its turn comes. */
export type PipelineStep = {
  id: string
  tool: string
  input: Readonly<Record<string, unknown>>
  on_failure: FailureChoice
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** `builtin`, `mcp:<server>`, `service`, … */
  readonly owner: string
  /** JSON Schema. */
  readonly input_schema: Readonly<Record<string, unknown>>
  /** What a second execution would do; it decides what happens to an open call after a crash. */
  readonly effect: ToolEffect
  readonly side_effects: readonly SideEffect[]
  readonly capabilities: readonly string[]
  readonly time_limit_ms?: number
  /** What a declaration names it as; a tool when not said. */
  readonly kind?: ExecutorType
  /** Of a pipeline: the calls that it stands for, made and judged one by one in their order. */
  readonly steps?: readonly PipelineStep[]
  check(input: unknown): readonly Problem[]
  /** Without effect. May look at the file system, to follow links. */
  touches(input: Readonly<Record<string, unknown>>, where: Workspace): Promise<readonly Touch[]>
  /** Of a tool that a person executes: it is asked instead of run. A failure says why there is nothing to ask. */
  asks?(input: Readonly<Record<string, unknown>>, occasion: Occasion): Question | FailedOutcome
  /** Does not throw: what goes wrong is an outcome. */
  run(input: Readonly<Record<string, unknown>>, run: ToolRun): Promise<ToolOutcome>
}
