import { canonicalReference } from "./artifacts.ts"
import { characters, cutText } from "./cut.ts"
import type { ExpandRequest } from "./declaration/normalized.ts"
import type { Tokenizer } from "./observation.ts"
import { type ReferenceScope, readReference } from "./resolve.ts"
import { readContinuation, selectionsFor, selectText, writeContinuation } from "./selection.ts"

/** The answer to one requested reference. */
export type Expansion = { ref: string; reason?: string } & (
  | {
      ok: true
      text: string
      tokens: number
      /** Present when the budget ended before the text: the rest is exactly what this gives. */
      more?: string
      omitted?: { tokens: number; characters: number }
    }
  | { ok: false; declined: string }
)

type Limits = { tokenizer: Tokenizer; budget: number }

/** Answers the references in order, as far as the budget goes. Nothing is executed. */
export function expandRefs(
  requests: readonly ExpandRequest[],
  scope: ReferenceScope,
  limits: Limits,
): Expansion[] {
  let left = limits.budget
  return requests.map((request) => {
    const answer = expandRef(request, scope, { ...limits, budget: left })
    // Once a text was cut the room is used up: what little is left is not worth counting more text for.
    if (answer.ok) left = answer.more === undefined ? left - answer.tokens : 0
    return answer
  })
}

function expandRef(request: ExpandRequest, scope: ReferenceScope, { tokenizer, budget }: Limits): Expansion {
  const base = { ref: request.ref, ...(request.reason === undefined ? {} : { reason: request.reason }) }
  const hash = request.ref.indexOf("#")
  const ref = hash < 0 ? request.ref : request.ref.slice(0, hash)
  const found = readReference(ref, { ...scope, expanding: true })
  if (!found.ok) return { ...base, ok: false, declined: found.issue.message }

  // A continuation says itself what it continues; a range beside it is not read.
  const { selection: continued, at } = readContinuation(hash < 0 ? "" : request.ref.slice(hash + 1))
  const candidates = hash < 0 ? selectionsFor(request.range, request.reason) : [continued]
  for (const selection of candidates) {
    const rest = selectText(found.text, selection)?.slice(at)
    if (rest === undefined) continue
    if (budget <= 0 && rest !== "")
      return { ...base, ok: false, declined: `${ref} had no room left; ask again.` }
    const { text } = cutText(rest, budget, tokenizer, () => "")
    const tokens = tokenizer.count(text)
    if (text.length === rest.length) return { ...base, ok: true, text, tokens }
    const place = canonicalReference(ref, scope.run_id) ?? ref
    const more = `${place}#${writeContinuation(selection, at + text.length)}`
    const left = rest.slice(text.length)
    const omitted = { tokens: tokenizer.count(left), characters: characters(left) }
    return { ...base, ok: true, text, tokens, more, omitted }
  }
  return { ...base, ok: false, declined: `${ref} has no line in this range.` }
}
