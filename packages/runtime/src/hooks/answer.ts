import { z } from "zod"
import { type HookPoint, judges, rewrites } from "./declaration.ts"

export const HookAnswer = z.strictObject({
  verdict: z.enum(["allow", "ask", "deny", "none"]).default("none"),
  /** The input that shall take the place of the original one. */
  rewrite: z.record(z.string(), z.unknown()).optional(),
  /** Why; shown to the person and, with a deny, to the model. */
  note: z.string().max(4000).optional(),
})
export type HookAnswer = z.infer<typeof HookAnswer>

export type HookFailure = { cause: "threw" | "timed_out" | "malformed" | "interrupted"; message: string }
export type Answered =
  | { ok: true; answer: HookAnswer; output: string }
  | { ok: false; failure: HookFailure; output: string }

/** An answer that says nothing is no opinion; one that says too much for its point is malformed. */
export function readAnswer(value: unknown, point: HookPoint): Answered {
  const output = value === undefined ? "" : printed(value)
  const parsed = HookAnswer.safeParse(value ?? {})
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `
    return malformed(`The hook's answer is not well formed: ${where}${issue?.message ?? "unknown"}`, output)
  }
  const { verdict, rewrite } = parsed.data
  if (verdict !== "none" && !judges(point)) {
    return malformed(`A hook on ${point} comes too late for the verdict ${verdict}.`, output)
  }
  if (rewrite !== undefined && !rewrites(point)) {
    return malformed(`A hook on ${point} cannot rewrite the input.`, output)
  }
  return { ok: true, answer: parsed.data, output }
}

export function malformed(message: string, output: string): Answered {
  return { ok: false, failure: { cause: "malformed", message }, output }
}

function printed(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
