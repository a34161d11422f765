import { type Checked, type IssueCode, issue, type ProtocolIssue } from "./issues.ts"

export type PathPart = string | number
export type JsonLimits = { size: number; depth: number }

const strict =
  "Write strict JSON: double quotes, no comments, no trailing commas. Broken JSON is not repaired."
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const literals: readonly (readonly [string, boolean | null])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
]
/** A caller may raise the depth, but not so far that reading could exhaust the stack. */
const deepest = 500
/** Bad keys that are told; a text can be made of nothing else. */
const mostIssues = 100
const longestKey = 80

/** A path as issues spell it: `payload.actions[2].id`; keys that are not plain words are quoted. */
export function jsonPath(parts: readonly PathPart[]): string {
  let path = ""
  for (const part of parts) {
    if (typeof part === "number") {
      path += `[${part}]`
      continue
    }
    const plain = part.length <= longestKey && /^[A-Za-z_][\w-]*$/.test(part)
    if (!plain) path += `[${JSON.stringify(part.slice(0, longestKey))}]`
    else path += path === "" ? part : `.${part}`
  }
  return path
}

/** A path below another one. */
export const joined = (at: string, path: string): string =>
  path === "" || path.startsWith("[") ? `${at}${path}` : `${at}.${path}`

/** Thrown and caught inside this file only. */
class Stop {
  readonly issue: ProtocolIssue
  constructor(stopped: ProtocolIssue) {
    this.issue = stopped
  }
}

/** Reads JSON more strictly than the language does, once through, so that hostile text costs no more than its length. */
export function readJson(text: string, limits: JsonLimits): Checked<unknown> {
  if (text.length > limits.size) {
    const message = `The declaration has ${text.length} characters; at most ${limits.size} are read.`
    return { ok: false, issues: [issue("too_large", "", message, "Declare less at once.")] }
  }
  const issues: ProtocolIssue[] = []
  const path: PathPart[] = []
  let at = 0
  try {
    const value = readValue(1)
    space()
    if (at < text.length) stop("not_json", `Unexpected ${shown(at)} after the value`)
    return issues.length > 0 ? { ok: false, issues } : { ok: true, value }
  } catch (error) {
    if (error instanceof Stop) return { ok: false, issues: [...issues, error.issue] }
    throw error
  }

  function readValue(depth: number): unknown {
    space()
    const head = text[at]
    if (head === "{") return readObject(depth)
    if (head === "[") return readArray(depth)
    if (head === '"') return readString()
    for (const [word, value] of literals) {
      if (text.startsWith(word, at)) {
        at += word.length
        return value
      }
    }
    return readNumber()
  }

  function readObject(depth: number): Record<string, unknown> {
    enter(depth)
    const object: Record<string, unknown> = {}
    if (took("}")) return object
    do {
      space()
      if (text[at] !== '"') stop("not_json", `Expected a key in double quotes but found ${shown(at)}`)
      const key = readString()
      path.push(key)
      if (forbidden.has(key)) add("forbidden_key", `The key ${key} is not allowed.`, "Use another key.")
      else if (Object.hasOwn(object, key))
        add(
          "duplicate_key",
          `The key ${JSON.stringify(key.slice(0, longestKey))} occurs twice.`,
          "Give each key once.",
        )
      if (!took(":")) stop("not_json", `Expected a colon but found ${shown(at)}`)
      const value = readValue(depth + 1)
      if (!forbidden.has(key)) object[key] = value
      path.pop()
    } while (took(","))
    if (!took("}")) stop("not_json", `Expected a comma or } but found ${shown(at)}`)
    return object
  }

  function readArray(depth: number): unknown[] {
    enter(depth)
    const array: unknown[] = []
    if (took("]")) return array
    do {
      path.push(array.length)
      array.push(readValue(depth + 1))
      path.pop()
    } while (took(","))
    if (!took("]")) stop("not_json", `Expected a comma or ] but found ${shown(at)}`)
    return array
  }

  function readString(): string {
    const start = at
    for (at++; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 34) break
      if (code === 92) at++
      else if (code < 32) stop("not_json", "A control character stands unescaped in a string")
    }
    if (at >= text.length) stop("not_json", "A string is not closed")
    at++
    const value = unescaped(text.slice(start, at))
    if (value === undefined) stop("not_json", "A string holds an escape that JSON does not have")
    // Half a pair has no UTF-8 form, so two different texts would have one hash.
    if (!value.isWellFormed()) stop("not_json", "A string holds half of a surrogate pair")
    return value
  }

  function readNumber(): number {
    number.lastIndex = at
    const found = number.exec(text)?.[0]
    if (found === undefined) return stop("not_json", `Unexpected ${shown(at)}`)
    const value = Number(found)
    if (!Number.isFinite(value) || isOther(value, found))
      stop("not_json", "A number is out of range", "Give a smaller number, or a string.")
    at += found.length
    return value
  }

  function enter(depth: number): void {
    at++
    const most = Math.min(limits.depth, deepest)
    if (depth > most)
      stop("too_deep", `Objects and arrays are nested more than ${most} deep`, "Nest less deeply.")
  }

  function took(sign: string): boolean {
    space()
    if (text[at] !== sign) return false
    at++
    return true
  }

  function space(): void {
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
    }
  }

  function shown(index: number): string {
    const point = text.codePointAt(index)
    return point === undefined ? "the end" : JSON.stringify(String.fromCodePoint(point))
  }

  function add(code: IssueCode, message: string, fix: string): void {
    if (issues.length < mostIssues) issues.push(issue(code, jsonPath(path), message, fix))
  }

  function stop(code: IssueCode, message: string, fix = strict): never {
    const before = text.slice(0, at)
    const line = before.split("\n").length
    const column = at - before.lastIndexOf("\n")
    throw new Stop(issue(code, jsonPath(path), `${message} (line ${line}, column ${column}).`, fix))
  }
}

/** Whether a whole number was read as another one: the work would be done with what nobody wrote. */
function isOther(value: number, written: string): boolean {
  if (Number.isSafeInteger(value) || /[.eE]/.test(written) || String(value) === written) return false
  return BigInt(value) !== BigInt(written)
}

function unescaped(quoted: string): string | undefined {
  if (!quoted.includes("\\")) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    return undefined
  }
}
