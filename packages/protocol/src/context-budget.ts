import type { Tokenizer } from "./observation.ts"

/** A part of a request: expanded context or an observation. A higher priority keeps its text longer. */
export type ContextPart = {
  id: string
  priority: number
  text: string
  summary: string
  refs: readonly string[]
}

/** How much of a part is told, from the least to the most. */
export const contextForms = ["left_out", "reference", "summary", "text"] as const
export type ContextForm = (typeof contextForms)[number]
export type FittedPart = { id: string; form: ContextForm; text: string; tokens: number }
export type FittedContext = { parts: readonly FittedPart[]; text: string; tokens: number }

const between = "\n\n"

/**
 * Fits the parts, in their order, into one budget: first every part is at least named, then summed up, then told
 * whole, and each time the most important comes first. Of equal ones the later comes first, being newer.
 */
export function fitContext(
  parts: readonly ContextPart[],
  budget: number,
  tokenizer: Pick<Tokenizer, "count">,
): FittedContext {
  const slots = parts.map((part, index) => ({
    part,
    index,
    forms: formsOf(part, tokenizer),
    now: leftOut(part),
  }))
  const order = slots.toSorted((a, b) => b.part.priority - a.part.priority || b.index - a.index)
  let spent = 0
  for (const least of [1, 2, 3]) {
    for (const slot of order) {
      const better = slot.forms.find((form) => contextForms.indexOf(form.form) >= least)
      if (better === undefined || spent - slot.now.tokens + better.tokens > budget) continue
      spent += better.tokens - slot.now.tokens
      slot.now = better
    }
  }
  // Text that is joined may have other tokens than its parts, so the whole is counted before it is trusted.
  for (const slot of [undefined, ...order.toReversed()]) {
    if (slot !== undefined) slot.now = leftOut(slot.part)
    const told = slots.filter(({ now }) => now.form !== "left_out").map(({ now }) => now.text)
    const text = told.join(between)
    const tokens = tokenizer.count(text)
    if (tokens <= budget) return { parts: slots.map(({ now }) => now), text, tokens }
  }
  return { parts: parts.map(leftOut), text: "", tokens: 0 }
}

const leftOut = ({ id }: ContextPart): FittedPart => ({ id, form: "left_out", text: "", tokens: 0 })

/** The forms worth choosing, by rising cost: a form is no use when a fuller one costs no more. */
function formsOf(part: ContextPart, tokenizer: Pick<Tokenizer, "count">): FittedPart[] {
  const cited = part.refs.length === 0 ? "" : `See ${part.refs.join(", ")}`
  const summed = part.summary === "" ? "" : [part.summary, cited].filter((text) => text !== "").join("\n")
  const texts = { reference: cited, summary: summed, text: part.text }
  const forms: FittedPart[] = []
  for (const form of ["text", "summary", "reference"] as const) {
    const text = texts[form]
    const tokens = tokenizer.count(text + between)
    const fuller = forms[0]
    if (text !== "" && (fuller === undefined || tokens < fuller.tokens))
      forms.unshift({ id: part.id, form, text, tokens })
  }
  return forms
}
