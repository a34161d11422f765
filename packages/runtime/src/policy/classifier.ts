import type { Operation } from "@factum/facts"
import { z } from "zod"
import type { Mode } from "./types.ts"
import type { Voice } from "./verdict.ts"

/** A source that judges by its own means, such as a model. What it answers is one voice among the others. */
export type Classifier = {
  name: string
  classify(question: { operation: Operation; mode: Mode }, signal: AbortSignal): unknown
  /** 10 s, if not said. */
  timeout_ms?: number
}

const usualTimeoutMs = 10_000
const Answer = z.strictObject({
  verdict: z.enum(["allow", "ask", "deny", "none"]),
  reason: z.string().max(600).optional(),
})

/** Never throws: an error, nonsense or too long a silence is an error, which is asked and never allowed. */
export async function heardFrom(
  { name, classify, timeout_ms = usualTimeoutMs }: Classifier,
  question: { operation: Operation; mode: Mode },
  signal: AbortSignal,
): Promise<Voice> {
  const limit = AbortSignal.timeout(timeout_ms)
  const over = AbortSignal.any([signal, limit])
  const broken = (detail: string): Voice => ({ source: "classifier", verdict: "error", rule: name, detail })
  const late = new Promise<Voice>((resolve) => {
    const give = () => resolve(broken(limit.aborted ? `no answer within ${timeout_ms} ms` : "stopped"))
    if (over.aborted) give()
    else over.addEventListener("abort", give, { once: true })
  })
  const asked = (async (): Promise<Voice> => {
    const answer = Answer.safeParse(await classify(structuredClone(question), over))
    if (!answer.success) return broken("its answer is not well formed")
    const { verdict, reason } = answer.data
    return { source: "classifier", verdict, rule: name, ...(reason === undefined ? {} : { detail: reason }) }
  })().catch((error: unknown) => broken(error instanceof Error ? error.message.slice(0, 600) : "it failed"))
  return Promise.race([asked, late])
}
