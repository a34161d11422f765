/** What is taken for a secret by its form. `start` is how such a value begins, for streams that are cut anywhere. */
const patterns = [
  { rule: "provider-key", start: "sk-", form: /\bsk-[A-Za-z0-9_-]{16,}/g },
  { rule: "github-token", start: "gh", form: /\bgh[pousr]_[A-Za-z0-9]{20,}/g },
  { rule: "github-token", start: "github_pat_", form: /\bgithub_pat_[A-Za-z0-9_]{20,}/g },
  { rule: "aws-key", start: "AKIA", form: /\bAKIA[0-9A-Z]{16}\b/g },
  { rule: "slack-token", start: "xox", form: /\bxox[abprs]-[A-Za-z0-9-]{10,}/g },
  { rule: "google-key", start: "AIza", form: /\bAIza[0-9A-Za-z_-]{35}/g },
] as const

/** One pass that tells most texts free of all forms. */
const anyForm = /sk-|gh[pousr]_|github_pat_|AKIA|xox[abprs]-|AIza/

export type Masked<T> = { value: T; hits: Readonly<Record<string, number>> }
export type Redactor = {
  text(text: string): Masked<string>
  deep<T>(value: T): Masked<T>
  /** How many characters at the end may be the beginning of a secret and must wait for more. */
  undecided(text: string): number
}

/** Secrets are values known by name and values known by form; neither gets past this edge. */
export function createRedactor(secrets: Readonly<Record<string, string>> = {}): Redactor {
  const known = Object.entries(secrets).filter(([, value]) => value.length >= 6)

  function text(input: string): Masked<string> {
    let value = input
    const hits: Record<string, number> = {}
    for (const [name, secret] of known) {
      const pieces = value.split(secret)
      if (pieces.length === 1) continue
      hits[name] = pieces.length - 1
      value = pieces.join(`[redacted:${name}]`)
    }
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
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, hits)]))
  }

  function undecided(input: string): number {
    let held = 0
    for (const [, secret] of known) held = Math.max(held, overlap(input, secret))
    const word = /[A-Za-z0-9_-]+$/.exec(input)?.[0] ?? ""
    // A run longer than any known form is no secret of these forms.
    return word.length > 512 ? held : Math.max(held, word.length - opening(word))
  }

  return {
    text,
    undecided,
    deep<T>(value: T): Masked<T> {
      const hits: Record<string, number> = {}
      const masked = walk(value, hits)
      // Only strings were exchanged for strings, so the shape is the same.
      return { value: Object.keys(hits).length === 0 ? value : (masked as T), hits }
    },
  }
}

/** The longest end of `text` that is a proper beginning of `secret`. */
function overlap(text: string, secret: string): number {
  for (let n = Math.min(text.length, secret.length - 1); n > 0; n--) {
    if (secret.startsWith(text.slice(-n))) return n
  }
  return 0
}

/** Where in the word a secret may begin: after a masked one, it need not be the word's own beginning. */
function opening(word: string): number {
  for (let at = 0; at < word.length; at++) {
    const rest = word.slice(at)
    if (patterns.some(({ start }) => rest.startsWith(start) || start.startsWith(rest))) return at
  }
  return word.length
}
