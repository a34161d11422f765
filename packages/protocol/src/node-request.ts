import type { Action } from "./action.ts"
import { type ContextForm, fitContext } from "./context-budget.ts"
import { characters } from "./cut.ts"
import { sha256 } from "./hash.ts"
import type { ProtocolIssue } from "./issues.ts"
import type { Tokenizer } from "./observation.ts"
import { type ReferenceScope, resolveReference } from "./resolve.ts"
import type { Reason } from "./run.ts"

/** All that an executor is given: text to read, values to use, and nothing of the conversation beside. */
export type NodeRequest = {
  run_id: string
  action_id: string
  /** `hash` is that of the whole text, also where only a part of it had room. */
  context: readonly { ref: string; text: string; hash: string; form: ContextForm }[]
  task: { text: string; hash: string }
  input: Readonly<Record<string, unknown>>
  /** The request as an agent reads it. */
  text: string
}

export type Expanded =
  | { ok: true; request: NodeRequest }
  | { ok: false; issues: readonly ProtocolIssue[]; reason: Reason }

/**
 * Resolves all references of an action. One that cannot be resolved leaves the action without a request. Within a
 * limit, context that was listed later falls back to a summary first.
 */
export function expandAction(
  action: Action,
  scope: ReferenceScope,
  limit?: { tokenizer: Tokenizer; budget: number },
): Expanded {
  const refs = action.context_refs.map((ref, index) => ({ ref, path: `context_refs[${index}]` }))
  const context = refs.map(({ ref, path }) => ({ ref, found: resolveReference(ref, scope, path) }))
  const prompt =
    action.prompt_ref === undefined ? undefined : resolveReference(action.prompt_ref, scope, "prompt_ref")
  const all = [...context.map(({ found }) => found), ...(prompt === undefined ? [] : [prompt])]
  const bad = all.filter((found) => !found.ok)
  const [first] = bad
  if (first !== undefined) return { ok: false, issues: bad.map(({ issue }) => issue), reason: first.reason }

  const whole = context.flatMap(({ ref, found }) =>
    found.ok ? [{ ref, text: found.text, hash: found.hash, form: "text" } as const] : [],
  )
  const parts = limit === undefined ? whole : within(whole, scope, limit)
  const text = prompt?.ok === true ? prompt.text : taskText(action)
  const task = { text, hash: sha256(text) }
  const names = { run_id: scope.run_id, action_id: action.id }
  const rendered = renderRequest({ ...names, context: shown(parts), task: text })
  return { ok: true, request: { ...names, context: parts, task, input: action.input, text: rendered } }
}

type Context = NodeRequest["context"]

function within(
  context: Context,
  scope: ReferenceScope,
  { tokenizer, budget }: { tokenizer: Tokenizer; budget: number },
): Context {
  const parts = context.map(({ ref, text }, index) => {
    const summary = resolveReference(ref.replace(/^(action:.*)\.output$/, "$1.summary"), scope)
    const told =
      summary.ok && summary.text !== text ? summary.text : `${characters(text)} characters, not shown here.`
    return { id: ref, priority: -index, text, summary: told, refs: [ref] }
  })
  const fitted = fitContext(parts, budget, tokenizer)
  return context.map((part, index) => {
    const { text = "", form = "left_out" } = fitted.parts[index] ?? {}
    return { ...part, text, form }
  })
}

const shown = (context: Context): string[] =>
  context.filter(({ form }) => form !== "left_out").map(({ text }) => text)

/** The task of an action without a prompt. */
export function taskText({ id, title, description, operation }: Action): string {
  if (description !== undefined) return description
  if (title !== undefined && operation !== undefined) return `${title} (${operation})`
  return title ?? operation ?? id
}

export function renderRequest(of: {
  run_id: string
  action_id: string
  context: readonly string[]
  task: string
}): string {
  return [
    `<node-request run_id="${attribute(of.run_id)}" action_id="${attribute(of.action_id)}">`,
    "  <context>",
    ...of.context.map(indented),
    "  </context>",
    "  <task>",
    indented(of.task),
    "  </task>",
    "</node-request>",
  ].join("\n")
}

const indented = (text: string): string => escapeContent(text).replace(/^(?=.)/gm, "    ")

/** Hides the request's own tags, in a way that can be taken back exactly. */
export const escapeContent = (text: string): string =>
  text
    .replace(/&(?=(?:amp;)*lt;)/g, "&amp;")
    .replace(/<(?=\s{0,8}\/?\s{0,8}(?:node-request|context|task)\b)/gi, "&lt;")

export const unescapeContent = (text: string): string =>
  text.replaceAll("&lt;", "<").replace(/&amp;(?=(?:amp;)*lt;)/g, "&")

const named: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const attribute = (text: string): string => text.replace(/[&<>"]/g, (found) => named[found] ?? found)
