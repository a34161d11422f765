import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml"
import type { ConfigProblem, Place } from "./problem.ts"

/** A parsed file that still knows where each of its values stands. */
export type Source =
  | {
      ok: true
      value: unknown
      /** Where the value at the path begins, or the nearest that exists above it; of a key, its name. */
      place(path: readonly PropertyKey[], key?: string): Place
    }
  | { ok: false; problems: readonly ConfigProblem[] }

export function jsonSource(file: string, text: string): Source {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const at = (offset: number): Place => placeIn(text, offset)
  if (tree === undefined || errors.length > 0) {
    const [first = { error: 4, offset: 0, length: 0 }] = errors
    // One mistake is reported as several; the first is where it is.
    const message = `This is no JSON: ${words(printParseErrorCode(first.error))}.`
    return { ok: false, problems: [{ file, ...at(first.offset), message, fix: jsonFix(first.error) }] }
  }
  const doubled = doubledKeys(tree)
  if (doubled.length > 0) {
    const problems = doubled.map(({ key, offset }) => ({ file, ...at(offset), ...twice(key) }))
    return { ok: false, problems }
  }
  const place = (path: readonly PropertyKey[], key?: string): Place => {
    for (let length = path.length; length >= 0; length--) {
      const node = findNodeAtLocation(tree, path.slice(0, length).map(segment))
      if (node === undefined) continue
      const property = length < path.length ? undefined : node.children?.find((one) => keyOf(one) === key)
      return at((key === undefined ? node : (property ?? node)).offset)
    }
    return at(0)
  }
  return { ok: true, value: plainValue(tree), place }
}

/** `before` is how many lines stand above the text in its file. */
export function yamlSource(file: string, text: string, before: number): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line) + before, column: Math.max(1, col) }
  }
  const [error] = document.errors
  if (error !== undefined) {
    const doubled = error.code === "DUPLICATE_KEY"
    const message = doubled ? "A key stands here twice." : `This is no YAML: ${error.message}.`
    const fix = doubled ? "Remove one of the two." : "Write one `key: value` on each line."
    return { ok: false, problems: [{ file, ...at(error.pos[0]), message, fix }] }
  }
  const place = (path: readonly PropertyKey[], key?: string): Place => {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      if (!isNode(node)) continue
      const pair = isMap(node)
        ? node.items.find((item) => isScalar(item.key) && item.key.value === key)
        : undefined
      const found = key !== undefined && isNode(pair?.key) ? pair.key : node
      return at(found.range?.[0] ?? 0)
    }
    return at(0)
  }
  const value = plainIn(document)
  if (value.ok) return { ok: true, value: value.value ?? {}, place }
  const fix = "Write the value out instead of naming it by *alias or <<."
  return { ok: false, problems: [{ file, line: before + 1, column: 1, message: value.message, fix }] }
}

/** An alias may name nothing, or come to more than any file of this kind needs. */
function plainIn(document: Document): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: mostAliases }) }
  } catch (error) {
    return { ok: false, message: `This cannot be read: ${error instanceof Error ? error.message : error}.` }
  }
}

const mostAliases = 100

const segment = (key: PropertyKey): string | number => (typeof key === "number" ? key : String(key))
const keyOf = (node: Node): unknown => (node.type === "property" ? node.children?.[0]?.value : undefined)
const words = (code: string): string => code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()

function plainValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(plainValue)
  if (node.type !== "object") return node.value
  return Object.fromEntries(
    (node.children ?? []).map(({ children = [] }) => [
      String(children[0]?.value),
      children[1] === undefined ? undefined : plainValue(children[1]),
    ]),
  )
}

function doubledKeys(node: Node): { key: string; offset: number }[] {
  const seen = new Set<unknown>()
  return (node.children ?? []).flatMap((child) => {
    const key = keyOf(child)
    const again = key !== undefined && seen.has(key) ? [{ key: String(key), offset: child.offset }] : []
    seen.add(key)
    return [...again, ...doubledKeys(child)]
  })
}

const twice = (key: string) => ({
  message: `The key "${key}" stands here twice.`,
  fix: "Remove one of the two.",
})

function jsonFix(code: number): string {
  const name = printParseErrorCode(code as Parameters<typeof printParseErrorCode>[0])
  if (name === "CommaExpected") return "Put a comma before it."
  if (name === "ColonExpected") return "Put a colon between key and value."
  if (name === "CloseBraceExpected") return "Close the object with }."
  if (name === "CloseBracketExpected") return "Close the list with ]."
  if (name === "PropertyNameExpected") return "Write a key in double quotes."
  if (name === "InvalidSymbol") return "Put texts in double quotes."
  return "Write a value: a text in double quotes, a number, true, false, a list or an object."
}

function placeIn(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
