import { type Amount, type Cut, characters } from "./cut.ts"
import type { Tokenizer } from "./observation.ts"

/** The structured form of a result: the executor's data, or an output that is itself a JSON object or list. */
export function structureOf(data: unknown, output: string): { value: object; text: string } | undefined {
  return rendered(data) ?? (/^\s*[{[]/.test(output) ? rendered(parsed(output)) : undefined)
}

/** The value as JSON has it, so that what an object does when it is read can happen only here. */
function rendered(data: unknown): { value: object; text: string } | undefined {
  if (typeof data !== "object" || data === null) return undefined
  try {
    const text = JSON.stringify(data)
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { value, text } : undefined
  } catch {
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As many whole fields or items, from the first, as fit; what is shown is always valid JSON, then the mark. */
export function cutStructure(
  value: unknown,
  text: string,
  max: number,
  tokenizer: Tokenizer,
  mark: (left: Amount) => string,
): Cut {
  const total = tokenizer.count(text)
  if (total <= max) return { text }
  const size = characters(text)
  const render = (keep: number): { text: string; omitted: Amount } => {
    const kept = keep === 0 ? "" : JSON.stringify(first(value, keep))
    const omitted = {
      tokens: Math.max(0, total - tokenizer.count(kept)),
      characters: Math.max(0, size - characters(kept)),
    }
    return { text: kept + mark(omitted), omitted }
  }
  const fits = (keep: number): boolean => tokenizer.count(render(keep).text) <= max
  const all = Object.keys(value ?? {}).length
  // Doubling first, so that the work depends on the room and not on the size of the result.
  let high = 1
  while (high < all && fits(high)) high *= 2
  let low = Math.floor(high / 2)
  high = Math.min(high, all)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  const best = render(low)
  return tokenizer.count(best.text) <= max ? best : { text: "", omitted: best.omitted }
}

const first = (value: unknown, count: number): unknown =>
  Array.isArray(value)
    ? value.slice(0, count)
    : Object.fromEntries(Object.entries(value ?? {}).slice(0, count))
