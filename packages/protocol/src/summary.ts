import { boundary, characters } from "./cut.ts"
import { isError } from "./excerpt.ts"
import type { SummaryLevel } from "./observation.ts"
import type { ActionOutcome, ActionRun, Reason } from "./run.ts"
import { structureOf } from "./structure.ts"

/** A summary is at most this many characters, whoever wrote it. */
export const summaryLimit = 600

/** Compresses a text to at most `limit` characters; undefined when it cannot. May throw. */
export type Summarizer = (text: string, limit: number) => string | undefined

export type Summary = { text: string; level: SummaryLevel }

/** The best summary there is: the tool's own, a short output, a summarizer's, or one that counts. */
export function summarize(of: { run: ActionRun; refs: readonly string[]; summarizer?: Summarizer }): Summary {
  const { run, refs, summarizer } = of
  const outcome = run.attempts.at(-1)?.outcome
  if (run.status !== "completed" || outcome?.status !== "completed") return mechanical(run, refs)
  const native = nativeSummary(outcome)
  if (native !== undefined) return { text: short(native), level: "native" }
  const output = outcome.output.trim()
  if (output === "") return mechanical(run, refs)
  if (characters(output) <= summaryLimit) return { text: output, level: "final_output" }
  const compressed = summarizer === undefined ? undefined : attempt(summarizer, outcome.output)
  return compressed === undefined ? mechanical(run, refs) : { text: compressed, level: "summarizer" }
}

/** Whether a summarizer would be asked: whoever must wait for a model's answer asks this first. */
export const wantsSummarizer = (run: ActionRun): boolean => {
  let asked = false
  const spy: Summarizer = () => {
    asked = true
    return undefined
  }
  summarize({ run, refs: [], summarizer: spy })
  return asked
}

/** Counts and marks that need no understanding of the output. */
export function mechanical(run: ActionRun, refs: readonly string[]): Summary {
  const outcome = run.attempts.at(-1)?.outcome
  const reason = run.reason ?? (outcome?.status === "failed" ? outcome.reason : undefined)
  const parts = [`Status: ${run.status}${attemptsOf(run)}.`]
  if (reason !== undefined) parts.push(`Reason: ${reasonText(reason)}`)
  const output = outcome?.output ?? ""
  if (output !== "") {
    const lines = output.split("\n")
    parts.push(`Output: ${lines.length} lines, ${characters(output)} characters, not shown here.`)
    const errors = lines.flatMap((line, index) =>
      isError(line) ? [`line ${index + 1}: ${clip(line, 120)}`] : [],
    )
    if (errors.length > 0) parts.push(`Lines with errors: ${errors.length}, first at ${errors[0]}`)
  }
  const cited = refs.length === 0 ? "" : ` Artifacts: ${refs.join(", ")}`
  const text = clip(parts.join(" "), Math.max(0, summaryLimit - cited.length)) + cited
  return { text: short(text), level: "mechanical" }
}

/** A reason in one line, bounded: a failing executor may say anything. */
export const reasonText = (reason: Reason): string => `${reason.code}: ${clip(reason.message, 300)}`

function attemptsOf(run: ActionRun): string {
  if (run.attempts.length < 2) return ""
  const counts = new Map<string, number>()
  for (const { outcome } of run.attempts) {
    const status = outcome?.status ?? "running"
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  const told = [...counts].map(([status, count]) => `${count} ${status}`).join(", ")
  return ` after ${run.attempts.length} attempts (${told})`
}

const listFields = ["files", "paths", "touched", "matches"] as const
const numberFields = ["exit_code", "count", "matches", "total"] as const

/** What the tool says of its own result: a summary in words, or well-known fields. */
function nativeSummary(outcome: Extract<ActionOutcome, { status: "completed" }>): string | undefined {
  if (outcome.summary !== undefined && outcome.summary.trim() !== "") return outcome.summary.trim()
  const data = structureOf(outcome.data, "")?.value
  if (data === undefined || Array.isArray(data)) return undefined
  const fields = new Map<string, unknown>(Object.entries(data))
  const told: string[] = []
  for (const field of numberFields) {
    const value = fields.get(field)
    if (typeof value === "number") told.push(`${field}: ${value}`)
  }
  for (const field of listFields) {
    const value = fields.get(field)
    if (!Array.isArray(value)) continue
    const names = value.filter((item) => typeof item === "string")
    told.push(`${field}: ${value.length}${names.length === 0 ? "" : ` (${names.join(", ")})`}`)
  }
  return told.length === 0 ? undefined : told.join("; ")
}

function attempt(summarizer: Summarizer, output: string): string | undefined {
  try {
    const text = summarizer(output, summaryLimit)?.trim()
    return text === undefined || text === "" || characters(text) > summaryLimit ? undefined : text
  } catch {
    return undefined
  }
}

const short = (text: string): string => clip(text, summaryLimit)

/** At most `limit` UTF-16 units, the last one a mark when something is missing. */
const clip = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, boundary(text, Math.max(0, limit - 1)))}…`
