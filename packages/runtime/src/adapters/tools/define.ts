import type { ToolEffect } from "@factum/facts"
import type { SideEffect } from "@factum/protocol"
import { z } from "zod"
import type {
  FailedOutcome,
  Occasion,
  Problem,
  Question,
  Tool,
  ToolOutcome,
  ToolRun,
  Touch,
  Workspace,
} from "../../ports/tool.ts"

export type Failure = FailedOutcome

type Definition<S extends z.ZodObject> = {
  name: string
  description: string
  input: S
  effect: ToolEffect
  side_effects: readonly SideEffect[]
  capabilities: readonly string[]
  time_limit_ms?: number
  touches(input: z.infer<S>, where: Workspace): Promise<readonly Touch[]>
  asks?(input: z.infer<S>, occasion: Occasion): Question | Failure
  run(input: z.infer<S>, run: ToolRun): Promise<ToolOutcome>
}

/** A tool of the runtime itself: its schema for the model and the check of its input come from one declaration. */
export function defineTool<S extends z.ZodObject>(definition: Definition<S>): Tool {
  const { input: schema, touches, asks, run, ...told } = definition
  const { $schema: _, ...input_schema } = z.toJSONSchema(schema, { io: "input" })
  return {
    ...told,
    owner: "builtin",
    input_schema,
    check: (input) => problemsOf(schema.safeParse(input)),
    async touches(input, where) {
      const parsed = schema.safeParse(input)
      return parsed.success ? touches(parsed.data, where) : []
    },
    ...(asks === undefined ? {} : { asks: (input, occasion) => asks(schema.parse(input), occasion) }),
    async run(input, context) {
      const parsed = schema.safeParse(input)
      if (parsed.success) return run(parsed.data, context)
      const message = problemsOf(parsed)
        .map((problem) => `${problem.path}: ${problem.message}`)
        .join("; ")
      return failed("invalid_args", message)
    },
  }
}

function problemsOf(parsed: z.ZodSafeParseResult<unknown>): readonly Problem[] {
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }))
}

export function failed(category: Failure["category"], message: string, next?: string): Failure {
  return { ok: false, category, message, ...(next === undefined ? {} : { next }) }
}

/** What the system says about a file or an address that could not be used. */
export function because(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return meanings[code] ?? (error instanceof Error ? error.message : String(error))
}
const meanings: Readonly<Record<string, string>> = {
  ENOENT: "It does not exist.",
  EACCES: "The system does not permit it.",
  EPERM: "The system does not permit it.",
  EISDIR: "It is a folder.",
  ENOTDIR: "A part of the path is no folder.",
  ENOSPC: "The disk is full.",
  EROFS: "The file system is read-only.",
  ELOOP: "Its links lead in a circle.",
}
