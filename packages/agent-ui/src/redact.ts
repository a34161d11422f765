/** Names under which nobody should see a value, without case, hyphen or underscore. */
const secretNames = new Set(
  `password passwd passphrase pwd secret secretkey clientsecret token accesstoken refreshtoken idtoken authtoken
  bearertoken sessiontoken apikey authorization proxyauthorization cookie setcookie privatekey credential credentials
  xapikey`.split(/\s+/),
)
const asked = new Map<string, boolean>()

export function isSecretName(name: string): boolean {
  const known = asked.get(name)
  if (known !== undefined) return known
  const answer = secretNames.has(name.toLowerCase().replace(/[-_]/g, ""))
  // Names come from events: the memory of answers is bounded.
  if (asked.size < 2000) asked.set(name, answer)
  return answer
}

export const redacted = "[redacted]"

const keyed =
  "pass(?:word|wd|phrase)|(?:client|api)?[-_]?secret|(?:access|refresh|id|auth|session)[-_]?token|api[-_]?key"
const shapes = [
  // Keys that providers mark.
  /\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])?[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bnpm_[A-Za-z0-9]{30,}/,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
]
const shape = new RegExp(shapes.map((one) => one.source).join("|"), "g")
/** A value that its text names: in JSON, in a header, or after an equals sign. */
const spoken = new RegExp(
  `((?:${keyed})\\\\?["']?\\s*[:=]\\s*\\\\?["']?)([^\\s"'\\\\,;&}]{3,})|(\\bbearer\\s+)([A-Za-z0-9._~+/-]{12,}=*)`,
  "gi",
)
/** Every shape has one of these in it: most text is let through by one look. */
const hint =
  /[sprk]k[-_]|gh[pousr]_|github_pat_|glpat-|npm_|A[KS]IA|AIza|xox|eyJ|PRIVATE KEY|pass|secret|token|api[-_]?key|bearer/i

/** The text with every value of a well-known secret shape taken out; the same text when there is none. */
export function redactText(text: string): string {
  if (text.length < 8 || !hint.test(text)) return text
  return text
    .replace(shape, redacted)
    .replace(spoken, (_, name, __, scheme) => `${name ?? scheme}${redacted}`)
}
