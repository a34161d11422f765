import { isRuleId, type Rule } from "./rules.ts"

/** A test as it ended; `name` is its own title, without the groups that it stands in. */
export type TestTitle = { name: string; file: string; state: string }

export type RuleStatus = "covered" | "failing" | "untested"
export type RuleCoverage = Rule & { status: RuleStatus; tests: number }
export type Coverage = {
  rules: RuleCoverage[]
  /** Tests whose title names a rule that no catalog has. */
  strangers: { id: string; file: string }[]
}

/** A rule is covered when a test that begins with its id passed, and none that does failed. */
export function coverage(rules: readonly Rule[], tests: readonly TestTitle[]): Coverage {
  const known = new Set(rules.map(({ id }) => id))
  const byRule = Map.groupBy(tests, (test) => ruleIdOf(test.name))
  const strangers = [...byRule].flatMap(([id, named]) =>
    id === undefined || known.has(id) ? [] : named.map(({ file }) => ({ id, file })),
  )
  const judged = rules.map((rule) => {
    const named = byRule.get(rule.id) ?? []
    return { ...rule, status: statusOf(named), tests: named.length }
  })
  return { rules: judged, strangers }
}

export function ruleIdOf(title: string): string | undefined {
  const id = /^\[([^\]]+)\]/.exec(title)?.[1]
  return id !== undefined && isRuleId(id) ? id : undefined
}

function statusOf(tests: readonly TestTitle[]): RuleStatus {
  // A test that was cut off before its end proves nothing, so it counts as failed.
  if (tests.some(({ state }) => state === "failed" || state === "pending")) return "failing"
  return tests.some(({ state }) => state === "passed") ? "covered" : "untested"
}

export const coveredIds = ({ rules }: Coverage) =>
  rules.filter(({ status }) => status === "covered").map(({ id }) => id)

/** The rules of the baseline that are covered no longer. */
export function lost(baseline: readonly string[], found: Coverage): string[] {
  const covered = new Set(coveredIds(found))
  return baseline.filter((id) => !covered.has(id))
}

/** The baseline only grows. */
export function grown(baseline: readonly string[], found: Coverage): string[] {
  return [...new Set([...baseline, ...coveredIds(found)])].sort(byId)
}

function byId(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true })
}
