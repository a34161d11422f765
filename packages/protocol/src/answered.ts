import type { Declaration } from "./declaration/normalized.ts"
import type { Expansion } from "./expand.ts"
import type { Observation, Tokenizer } from "./observation.ts"
import { plainGraph } from "./plain.ts"
import type { RunRecord } from "./run.ts"

/** Starts no work, and is answered by a result like any other declaration. */
export function expansionRecord(
  run_id: string,
  declaration: Extract<Declaration, { intent: "expand_ref" }>,
  expansions: readonly Expansion[],
): RunRecord {
  const answers = expansions.map((expansion, at) => observed(`expand_${at + 1}`, expansion))
  return answered(run_id, declaration, answers)
}

/** A report is built of results that exist, and is told as one more. */
export function reportRecord(
  run_id: string,
  declaration: Extract<Declaration, { intent: "execute" | "plan" }>,
  text: string,
  tokenizer: Pick<Tokenizer, "count">,
): RunRecord {
  const title = "report" in declaration ? declaration.report.title : declaration.title
  const summary = title === undefined ? "The report was built." : `The report was built: ${title}.`
  return answered(run_id, declaration, [
    { ...blank("report", "full"), content: text, summary, tokens: tokenizer.count(text) },
  ])
}

function observed(id: string, expansion: Expansion): Observation {
  const { ref } = expansion
  if (!expansion.ok)
    return { ...blank(id, "full"), status: "failed", summary: expansion.declined, reason: expansion.declined }
  const { text, tokens, more, omitted } = expansion
  return {
    ...blank(id, more === undefined ? "full" : "excerpt"),
    content: text,
    summary: `${ref} was expanded.`,
    // The rest is reached by the second one.
    refs: more === undefined ? [ref] : [ref, more],
    tokens,
    ...(omitted !== undefined && { omitted }),
  }
}

const blank = (action_id: string, policy: Observation["policy"]): Observation => ({
  action_id,
  status: "completed",
  policy,
  content: "",
  summary: "",
  summary_level: "mechanical",
  refs: [],
  tokens: 0,
})

function answered(run_id: string, declaration: Declaration, observations: readonly Observation[]): RunRecord {
  return {
    run_id,
    declaration,
    graph: plainGraph,
    state: {
      run_id,
      status: "completed",
      actions: {},
      accepted_at: 0,
      spent: { tokens: 0, cost: 0, retries: 0 },
    },
    observations: Object.fromEntries(observations.map((observation) => [observation.action_id, observation])),
  }
}
