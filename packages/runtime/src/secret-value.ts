/** How a known value may stand in a text: as it is, or escaped as in JSON, also JSON within JSON. */
export type SecretValue = {
  name: string
  /** Where it stands in the text, given that without its escapes. Places of one value may overlap. */
  places(text: string, bare: string): Span[]
  /** How many characters at the end of the text may be its beginning. */
  begun(text: string): number
}
export type Span = { from: number; to: number }

/** A character of the value, with the backslashes before it. Nothing but backslashes may stand at the end. */
type Unit = { after: boolean; char: string; short: string | undefined; code: string }
type Followed = number | "open" | undefined

/** Text within text within text: more backslashes than these are no escape of one character. */
const mostBackslashes = 32
const backslash = "005c"
const letters: Readonly<Record<string, string>> = {
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
}

export function secretValue(name: string, value: string): SecretValue {
  const units = unitsOf(value)
  const first = units[0]?.after === true ? "\\" : units[0]?.char
  const core = coreOf(value)

  function* followed(text: string): Generator<{ from: number; end: number | "open" }> {
    for (let from = 0; from < text.length; from++) {
      const begins = text[from] === first || (text[from] === "\\" && text[from - 1] !== "\\")
      const end = begins ? follow(text, from, units) : undefined
      if (end !== undefined) yield { from, end }
    }
  }

  return {
    name,
    places(text, bare) {
      const found: Span[] = []
      // Without a backslash nothing is escaped, and the platform's own search is many times as fast.
      if (!text.includes("\\")) {
        for (let from = text.indexOf(value); from >= 0; from = text.indexOf(value, from + 1)) {
          found.push({ from, to: from + value.length })
        }
      } else if (bare.includes(core)) {
        for (const { from, end } of followed(text)) if (end !== "open") found.push({ from, to: end })
      }
      return found
    },
    begun(text) {
      for (const { from, end } of followed(text)) if (end === "open") return text.length - from
      return 0
    },
  }
}

/** The text without its escapes, for a quick look whether a value may be in it at all. */
export function bare(text: string): string {
  if (!text.includes("\\")) return text
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[\\\b\f\n\r\t]/g, (char) => letters[char] ?? "")
}

/** What must be in a bare text that holds the value: not its beginning, which a backslash before it may change. */
function coreOf(value: string): string {
  return /\\u/i.test(value) ? "" : bare(`\\${value}`).slice(value.startsWith("u") ? 5 : 1)
}

/** Where the value that begins here ends; `open` when the text ends before it. */
function follow(text: string, start: number, units: readonly Unit[]): Followed {
  let at = start
  for (const { after, char, short, code } of units) {
    const to = afterBackslashes(text, at)
    const isEscaped = to > at
    if (char === "") return isEscaped ? to : at === text.length ? "open" : undefined
    if (to === text.length) return "open"
    const found = text[to]
    const digits = isEscaped && found === "u" ? text.slice(to + 1, to + 5).toLowerCase() : undefined
    if (digits === code) at = to + 5
    else if (found === char && (isEscaped ? after || short !== undefined : !after)) at = to + 1
    else if (isEscaped && found === short) at = to + 1
    else if (digits === undefined || digits.length === 4) return undefined
    else return code.startsWith(digits) || backslash.startsWith(digits) ? "open" : undefined
  }
  return at
}

function afterBackslashes(text: string, from: number): number {
  let to = from
  for (let count = 0; text[to] === "\\" && count < mostBackslashes; count++) {
    to += text[to + 1] === "u" && text.slice(to + 2, to + 6).toLowerCase() === backslash ? 6 : 1
  }
  return to
}

function unitsOf(value: string): Unit[] {
  const units: Unit[] = []
  let after = false
  for (let at = 0; at < value.length; at++) {
    const char = value[at] ?? ""
    if (char !== "\\") {
      const short = letters[char] ?? (/[A-Za-z0-9]/.test(char) ? undefined : char)
      units.push({ after, char, short, code: value.charCodeAt(at).toString(16).padStart(4, "0") })
    }
    after = char === "\\"
  }
  return after ? [...units, { after, char: "", short: undefined, code: "" }] : units
}
