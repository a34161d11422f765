export const hookPoints = [
  "before_tool",
  "after_tool",
  "before_turn",
  "after_turn",
  "before_model",
  "after_model",
  "before_compaction",
  "after_compaction",
  "permission",
] as const
export type HookPoint = (typeof hookPoints)[number]

export const defaultTimeoutMs = 30_000

type Declared = {
  name: string
  on: HookPoint
  /** Narrows the hook to tools or models of this name; `*` stands for any characters. */
  match?: string
  /** What a broken hook means for the operation. Closed when undeclared. */
  failure_policy?: "open" | "closed"
  timeout_ms?: number
}

/** Started without a shell; the event comes as JSON on stdin, the answer is read as JSON from stdout. */
export type CommandHook = Declared & {
  kind: "command"
  command: string
  args?: readonly string[]
  /** Beside PATH and HOME, all that the command sees of the environment. */
  env?: Readonly<Record<string, string>>
}

export type FunctionHook = Declared & {
  kind: "function"
  /** The event is frozen: a hook acts only through what it returns. */
  run(event: HookCall, signal: AbortSignal): unknown
}

export type Hook = CommandHook | FunctionHook

/** What happens at a point, as hooks are told it. */
export type HookCall = {
  point: HookPoint
  /** The tool, model or thread that it is about; `match` looks at this. */
  subject?: string
  input: Readonly<Record<string, unknown>>
}

/** Only what is still to come can be judged or rewritten. */
export const judges = (point: HookPoint): boolean => !point.startsWith("after_")
/** What a person said stays as it was said. */
export const rewrites = (point: HookPoint): boolean => point.startsWith("before_") && point !== "before_turn"
