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
  // Keys that providers mark; a name of letters alone is none.
  /\b(?:sk|pk|rk)[-_](?=[A-Za-z_-]{0,99}\d)(?:[a-z]+[-_])?[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bnpm_[A-Za-z0-9]{30,}/,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}/,
  /\beyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
  /(?<=\b[Bb]earer\s{1,9})(?=[A-Za-z._~+/-]{0,99}\d)[A-Za-z0-9._~+/-]{12,}=*/,
]
const shape = new RegExp(shapes.map((one) => one.source).join("|"), "g")
/** Every shape has one of these in it: most text is let through by one look. */
const marks = "[sprk]k[-_]|gh[pousr]_|github_pat_|glpat-|npm_|A[KS]IA|AIza|xox|eyJ|PRIVATE KEY|[Bb]earer"
const marked = new RegExp(marks)

/** The text without the keys that their own form gives away; the same text when there is none. */
export function redactKeys(text: string): string {
  return text.length < 8 || !marked.test(text) ? text : text.replace(shape, redacted)
}

/** Values as they are written out. What is worked out or carried out is no value: nobody may be kept from seeing it. */
const quoted = `"(?:[^"\\\\$\`]|\\\\.|\\$(?![({]))+|'(?:[^'\\\\$\`]|\\\\.)+|\\\\+["'][^"'\\\\$\`]+`
const bare = "(?![\\w.]{0,99}\\()[^\\s\"'\\\\,;&}[{$`()|<>]{3,}"
const named = new RegExp(
  [
    // In JSON, whatever the value is.
    `(?<=(?:${plain}|${common})\\\\{0,9}["']\\s{0,9}[:=]\\s{0,9})(?:${quoted}|[[{][^\\]}$\`(]+|${bare})`,
    `(?<=(?:${plain}|${common})=)(?:${quoted}|${bare})`,
    `(?<=(?:${plain})\\s{0,9}[:=]\\s{0,9})(?:${quoted}|(?=[^\\s\\d,;]{0,99}\\d)${bare})`,
    `(?<=\\b(?:cookie|authorization):\\s{1,9})(?:(?:bearer|basic)\\s{1,9}|(?!bearer|basic))${bare}`,
  ].join("|"),
  "gi",
)
const hint = new RegExp(`${plain}|${common}`, "i")
const opening = /^\\*["']?/

/** As `redactKeys`, and without the values that the text itself names as secrets: for what is no prose and no command. */
export function redactText(text: string): string {
  const kept = redactKeys(text)
  if (kept.length < 8 || !hint.test(kept)) return kept
  return kept.replace(named, (value) =>
    value.includes("[redacted") ? value : `${opening.exec(value)?.[0]}${redacted}`,
  )
}

const mostKey = 200
const keyLetters = /^[A-Za-z0-9_-]+/

/** What stands at the end with what comes after it, where a key was cut in two: the new end, else nothing. */
export function redactSeam(before: string, piece: string): string | undefined {
  if (before.endsWith(redacted))
    return keyLetters.test(piece) ? before + piece.replace(keyLetters, "") : undefined
  let from = before.length
  while (from > 0 && before.length - from < mostKey && isKeyLetter(before.charCodeAt(from - 1))) from--
  if (from === before.length || before.length - from + piece.length < 16) return undefined
  const word = before.slice(from) + piece
  const clean = redactKeys(word)
  return clean === word ? undefined : before.slice(0, from) + clean
}

const isKeyLetter = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 45 && code <= 57 && code !== 47) ||
  (code >= 65 && code <= 90) ||
  code === 95
