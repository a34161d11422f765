/** How names end under which nobody should see a value: in fields, and in text wherever they name one. */
const plain =
  "pass(?:word|wd|phrase|code)s?|secrets?|authorization|(?:access|api|secret|private|signing|encryption|ssh|master)[-_]?keys?|(?:access|refresh|id|auth|session|api|bearer|csrf)[-_]?tokens?|connection[-_]?string"
/** In text these are common words: there they count in JSON, and before an equals sign. */
const common = "token|cookies?|credentials?|jwt|otp"
const secretName = new RegExp(`(?:${plain}|${common}|pwd|auth|bearer)$`, "i")
/** Ends like one, and is a place in a list. */
const harmless = /(?:page|next|continuation|cancel(?:lation)?|sync|resume)[-_]?token$/i
const asked = new Map<string, boolean>()

export function isSecretName(name: string): boolean {
  const known = asked.get(name)
  if (known !== undefined) return known
  const answer = secretName.test(name) && !harmless.test(name)
  // Names come from events: the memory of answers is bounded.
  if (asked.size < 2000) asked.set(name, answer)
  return answer
}

export const redacted = "[redacted]"

const shapes = [
  // Keys that providers mark.
  /\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])?[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bnpm_[A-Za-z0-9]{30,}/,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}/,
  /\beyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
]
const shape = new RegExp(shapes.map((one) => one.source).join("|"), "g")
/** A value that its text names: in JSON, in a header, or after an equals sign; whole where it is quoted. */
const spoken = new RegExp(
  `((?:(?:${plain})\\\\*["']?\\s*[:=]\\s*|(?:${common})(?:\\\\*["']\\s*[:=]\\s*|=)|\\bcookie:\\s+))(?!\\\\*["']?\\[redacted)` +
    `("(?:[^"\\\\]|\\\\.)+|'(?:[^'\\\\]|\\\\.)+|\\\\+["'][^"'\\\\]+|[[{][^\\]}]+|(?:(?:bearer|basic)\\s+)?[^\\s"'\\\\,;&}[{]{3,})|(\\bbearer\\s+)[A-Za-z0-9._~+/-]{12,}=*`,
  "gi",
)
const opening = /^\\*["']?/
/** Every shape has one of these in it: most text is let through by one look. */
const hint = new RegExp(
  `[sprk]k[-_]|gh[pousr]_|github_pat_|glpat-|npm_|A[KS]IA|AIza|xox|eyJ|PRIVATE KEY|bearer|${plain}|${common}`,
  "i",
)

/** The text with every value of a well-known secret shape taken out; the same text when there is none. */
export function redactText(text: string): string {
  if (text.length < 8 || !hint.test(text)) return text
  return text
    .replace(shape, redacted)
    .replace(spoken, (_, name, value, scheme) =>
      scheme === undefined ? `${name}${opening.exec(value)?.[0]}${redacted}` : `${scheme}${redacted}`,
    )
}
