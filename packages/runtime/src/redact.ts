import { bare, type SecretValue, type Span, secretValue } from "./secret-value.ts"

/**
 * What is taken for a secret by its form. `start` is how such a value begins, for streams that are cut anywhere;
 * an open form takes in whatever follows without a break.
 */
const patterns = [
  { rule: "provider-key", start: "sk-", form: /\bsk-[A-Za-z0-9_-]{16,}/g, open: true },
  { rule: "github-token", start: "gh", form: /\bgh[pousr]_[A-Za-z0-9]{20,}/g, open: true },
  { rule: "github-token", start: "github_pat_", form: /\bgithub_pat_[A-Za-z0-9_]{20,}/g, open: true },
  { rule: "gitlab-token", start: "glpat-", form: /\bglpat-[A-Za-z0-9_-]{16,}/g, open: true },
  { rule: "npm-token", start: "npm_", form: /\bnpm_[A-Za-z0-9]{30,}/g, open: true },
  { rule: "payment-key", start: "sk_live_", form: /\bsk_live_[A-Za-z0-9]{16,}/g, open: true },
  { rule: "payment-key", start: "rk_live_", form: /\brk_live_[A-Za-z0-9]{16,}/g, open: true },
  { rule: "aws-key", start: "AKIA", form: /\bAKIA[0-9A-Z]{16}\b/g, open: false },
  { rule: "aws-key", start: "ASIA", form: /\bASIA[0-9A-Z]{16}\b/g, open: false },
  { rule: "slack-token", start: "xox", form: /\bxox[abprs]-[A-Za-z0-9-]{10,}/g, open: true },
  { rule: "google-key", start: "AIza", form: /\bAIza[0-9A-Za-z_-]{35}/g, open: false },
] as const

/** One pass that tells most texts free of all forms. */
const anyForm = /sk-|gh[pousr]_|github_pat_|glpat-|npm_|[sr]k_live_|A[KS]IA|xox[abprs]-|AIza/

export type Masked<T> = { value: T; hits: Readonly<Record<string, number>> }
export type Redactor = {
  text(text: string): Masked<string>
  deep<T>(value: T): Masked<T>
  /** How many characters at the end may begin a known value, or a word of a form, and must wait for more. */
  undecided(text: string): { known: number; form: number }
  /** The last place up to `at` where the text can be cut without cutting a secret in two. */
  cut(text: string, at: number): number
  /** Whether the text ends inside a secret that goes on for as long as letters follow. */
  goesOn(text: string): boolean
  /** From now on this value is a secret too. */
  learn(name: string, value: string): void
}

/** What is shorter stands in too many texts by chance. */
export const shortestSecret = 6

/** Secrets are values known by name and values known by form; neither gets past this edge. */
export function createRedactor(secrets: Readonly<Record<string, string>> = {}): Redactor {
  const known: SecretValue[] = []
  for (const [name, value] of Object.entries(secrets)) learn(name, value)

  function learn(name: string, value: string): void {
    if (value.length >= shortestSecret) known.push(secretValue(name, value))
  }

  function text(input: string): Masked<string> {
    const hits: Record<string, number> = {}
    let value = ""
    let end = 0
    for (const { name, from, to } of apart(knownIn(input))) {
      hits[name] = (hits[name] ?? 0) + 1
      value += `${input.slice(end, from)}[redacted:${name}]`
      end = to
    }
    value += input.slice(end)
    if (!anyForm.test(value)) return { value, hits }
    for (const { rule, form } of patterns) {
      value = value.replace(form, () => {
        hits[rule] = (hits[rule] ?? 0) + 1
        return `[redacted:${rule}]`
      })
    }
    return { value, hits }
  }

  function walk(value: unknown, hits: Record<string, number>): unknown {
    if (typeof value === "string") {
      const masked = text(value)
      for (const [rule, count] of Object.entries(masked.hits)) hits[rule] = (hits[rule] ?? 0) + count
      return masked.value
    }
    if (Array.isArray(value)) return value.map((item) => walk(item, hits))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [String(walk(key, hits)), walk(item, hits)]),
    )
  }

  function knownIn(input: string): Place[] {
    const plain = bare(input)
    return known.flatMap(({ name, places }) => places(input, plain).map((place) => ({ name, ...place })))
  }

  /** Where secrets stand in the text, as they would be masked. */
  function found(input: string): Span[] {
    const places: Span[] = knownIn(input)
    if (!anyForm.test(input)) return places
    for (const { form } of patterns) {
      for (const match of input.matchAll(form)) {
        places.push({ from: match.index, to: match.index + match[0].length })
      }
    }
    return places
  }

  return {
    text,
    learn,
    undecided(input) {
      const word = lastWord(input)
      const held = known.reduce((most, { begun }) => Math.max(most, begun(input)), 0)
      return { known: held, form: word.length - opening(word) }
    },
    cut(input, at) {
      let place = at
      for (let moved = true; moved; ) {
        const inside = found(input).find(({ from, to }) => from < place && place < to)
        moved = inside !== undefined
        if (inside !== undefined) place = inside.from
      }
      return place
    },
    goesOn: (input) => {
      const word = lastWord(input)
      const ends = ({ form }: { form: RegExp }) =>
        [...word.matchAll(form)].some((match) => match.index + match[0].length === word.length)
      return patterns.some((pattern) => pattern.open && ends(pattern))
    },
    deep<T>(value: T): Masked<T> {
      const hits: Record<string, number> = {}
      const masked = walk(value, hits)
      // Only strings were exchanged for strings, so the shape is the same.
      return { value: Object.keys(hits).length === 0 ? value : (masked as T), hits }
    },
  }
}

type Place = Span & { name: string }

/** What overlaps is one place, under the name of the longest value in it: no end of a value is left over. */
function apart(places: Place[]): Place[] {
  const joined: (Place & { longest: number })[] = []
  for (const place of places.sort((a, b) => a.from - b.from)) {
    const length = place.to - place.from
    const last = joined.at(-1)
    if (last === undefined || place.from >= last.to) joined.push({ ...place, longest: length })
    else {
      last.to = Math.max(last.to, place.to)
      if (length > last.longest) Object.assign(last, { name: place.name, longest: length })
    }
  }
  return joined
}

/** What the text ends with, of which a secret may be made. Read from its end: a pattern would try every beginning. */
function lastWord(text: string): string {
  let from = text.length
  while (from > 0 && wordLetter.test(text.charAt(from - 1))) from--
  return text.slice(from)
}
const wordLetter = /[A-Za-z0-9_-]/

/** Where in the word a secret may begin: after a masked one, it need not be the word's own beginning. */
function opening(word: string): number {
  for (let at = 0; at < word.length; at++) {
    const rest = word.slice(at)
    if (patterns.some(({ start }) => rest.startsWith(start) || start.startsWith(rest))) return at
  }
  return word.length
}
