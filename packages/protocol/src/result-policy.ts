import type { Action, ReturnPolicy, Visibility } from "./action.ts"
import { canonicalReference, outputRef } from "./artifacts.ts"
import { type Amount, type Cut, characters, cutText } from "./cut.ts"
import { cut } from "./escape.ts"
import { excerpt, located, termsOf } from "./excerpt.ts"
import { extract, isKind, priorityKinds } from "./extract.ts"
import { sha256 } from "./hash.ts"
import type { Artifacts, Observation, Tokenizer } from "./observation.ts"
import type { ActionRun } from "./run.ts"
import { cutStructure, structureOf } from "./structure.ts"
import { mechanical, reasonText, type Summarizer, type Summary, summarize } from "./summary.ts"
import { modelMaySee, stricter } from "./visibility.ts"

export type Observing = {
  run_id: string
  action: Action
  run: ActionRun
  artifacts: Artifacts
  tokenizer: Tokenizer
  /** Tokens of content that the runtime allows, whatever the policy asks for. */
  budget: number
  summarizer?: Summarizer
  /** The executor's own limit; the declaration may only lower it. */
  visibility?: Visibility
}

/** What the model may see of an action: privacy first, then the budget, then what the policy asks for. */
export function observe(of: Observing): Observation {
  const { action, run, tokenizer } = of
  const policy = action.result_policy.return_to_model
  const limits = {
    private: action.private,
    visibility: stricter(action.visibility, of.visibility ?? action.visibility),
  }
  const stored = store(of, limits)
  const outcome = run.attempts.at(-1)?.outcome
  const reason = run.reason ?? (outcome?.status === "failed" ? outcome.reason : undefined)
  const base = { action_id: action.id, status: run.status, policy }
  const bare = { ...base, content: "", summary: "", summary_level: "mechanical", tokens: 0 } as const
  const code = reason === undefined ? {} : { reason: reason.code }
  if (!modelMaySee(limits))
    return { ...bare, refs: [], withheld: limits.private ? "privacy" : "visibility", ...code }

  const refs = [...stored.refs, ...produced(of)]
  const size = stored.output === undefined ? {} : { output: stored.output }
  if (policy === "none") return { ...bare, refs, ...code, ...size }

  const summary = summarize({
    run,
    refs,
    ...(of.summarizer === undefined ? {} : { summarizer: of.summarizer }),
  })
  const wanted = select(policy, of, summary, refs)
  const max = Math.max(0, Math.min(of.budget, action.result_policy.max_tokens ?? of.budget))
  const shown = fit(wanted, max, of, summary, refs)
  const notes = [...wanted.notes, ...(shown.omitted !== undefined && shown.text === "" ? ["budget"] : [])]
  return {
    ...base,
    content: shown.text,
    summary: summary.text,
    summary_level: summary.level,
    refs,
    tokens: tokenizer.count(shown.text),
    ...(shown.omitted === undefined ? {} : { omitted: shown.omitted }),
    ...(notes.length === 0 ? {} : { withheld: notes.join("; ") }),
    ...(reason === undefined ? {} : { reason: reasonText(reason) }),
    ...size,
  }
}

/** What a policy would return if there were room. */
type Wanted = { text: string; notes: readonly string[]; structure?: unknown }

function select(policy: ReturnPolicy, of: Observing, summary: Summary, refs: readonly string[]): Wanted {
  // A result that came after the end is kept, but the action stays without one.
  const outcome = of.run.status === "canceled" ? undefined : of.run.attempts.at(-1)?.outcome
  const output = outcome?.output ?? ""
  switch (policy) {
    case "none":
      return { text: "", notes: [] }
    case "summary":
      return { text: summary.text, notes: [] }
    case "on_demand":
      return { text: summary.text, notes: refs.length === 0 && output !== "" ? ["not stored"] : [] }
    case "structured": {
      const structure = structureOf(outcome?.data, output)
      if (structure !== undefined) return { text: structure.text, notes: [], structure: structure.value }
      return { text: mechanical(of.run, refs).text, notes: ["no structure"] }
    }
    case "excerpt":
      return { text: output === "" ? "" : located(excerpt(output, termsOf(of.action))), notes: [] }
    case "full":
      return { text: output, notes: [] }
    case "on_failure": {
      if (outcome?.status !== "failed") return { text: "", notes: [] }
      const why = reasonText(outcome.reason)
      return { text: output === "" ? why : `${why}\n\n${output}`, notes: [] }
    }
    case "adaptive":
      return adapt(of.action, output)
  }
}

/** The kinds in their order, so that cutting the end drops the least wanted first. */
function adapt(action: Action, output: string): Wanted {
  const asked = action.result_policy.priority
  const unknown = asked.filter((kind) => !isKind(kind))
  const notes = unknown.length === 0 ? [] : [`unknown priority ignored: ${cut(unknown.join(", "), 200)}`]
  const kinds = asked.length === unknown.length ? priorityKinds : asked.filter(isKind)
  const terms = termsOf(action)
  const parts = [...new Set(kinds)].flatMap((kind) => {
    const text = extract(kind, output, terms)
    return text === "" ? [] : [`${kind}:\n${text}`]
  })
  return { text: parts.length === 0 ? output : parts.join("\n\n"), notes }
}

function fit(wanted: Wanted, max: number, of: Observing, summary: Summary, refs: readonly string[]): Cut {
  const mark = markFor(max, of, summary, refs)
  if (wanted.structure !== undefined)
    return cutStructure(wanted.structure, wanted.text, max, of.tokenizer, mark)
  return cutText(wanted.text, max, of.tokenizer, mark)
}

/** The most telling mark that leaves at least half of the room for content. */
function markFor(max: number, of: Observing, summary: Summary, refs: readonly string[]) {
  const [ref] = refs
  const where = ref === undefined ? "The rest is not stored." : `Whole output: ${ref}`
  const bare = (left: Amount) => `\n[${left.tokens} tokens, ${left.characters} characters left out]`
  const cited = (left: Amount) => `${bare(left).slice(0, -1)}. ${where}]`
  const asked = of.action.result_policy.if_truncated === "provide_ref_and_summary"
  const told = (left: Amount) => `${cited(left)}\nSummary: ${summary.text}`
  const most: Amount = { tokens: 999_999, characters: 9_999_999 }
  const marks = asked ? [told, cited] : [cited]
  return marks.find((mark) => of.tokenizer.count(mark(most)) * 2 <= max) ?? bare
}

/** Keeps the output itself if it is to be kept, and what is known of it in any case. */
function store(of: Observing, limits: { private: boolean; visibility: Visibility }) {
  const text = of.run.attempts.at(-1)?.outcome?.output ?? ""
  if (text === "") return { refs: [] }
  const hash = sha256(text)
  const stored = of.action.result_policy.store_full
  const ref = outputRef(of.run_id, of.action.id)
  if (stored) {
    const { id } = of.action
    of.artifacts.put({ ref, run_id: of.run_id, action_id: id, name: id, text, hash, ...limits })
  }
  return { refs: stored ? [ref] : [], output: { characters: characters(text), hash, stored } }
}

/** What else the executor stored, as far as the model may see it. */
function produced(of: Observing): string[] {
  const outcome = of.run.attempts.at(-1)?.outcome
  if (outcome?.status !== "completed") return []
  // Told by the name that means the same in every later run.
  return (outcome.artifacts ?? []).flatMap((given) => {
    const ref = canonicalReference(given, of.run_id) ?? given
    const artifact = of.artifacts.get(ref)
    return artifact !== undefined && modelMaySee(artifact) ? [ref] : []
  })
}
