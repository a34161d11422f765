import type { PathPart } from "../json.ts"

/** A declaration as it was read: its shape is checked by schemas, its values are taken from here. */
export type Raw = Readonly<Record<string, unknown>>

export const isRaw = (value: unknown): value is Raw =>
  typeof value === "object" && value !== null && !Array.isArray(value)
export const rawOf = (value: unknown): Raw => (isRaw(value) ? value : {})
export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
export const flagOf = (value: unknown): boolean | undefined =>
  typeof value === "boolean" ? value : undefined
export const countOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
/** A longer list has been refused by its schema; what comes after must not have to walk it. */
const longest = 1000
export const textsOf = (value: unknown): readonly string[] =>
  listOf(value)
    .slice(0, longest)
    .filter((entry) => typeof entry === "string")
export const oneOf = <const T extends string>(value: unknown, choices: readonly T[]): T | undefined =>
  choices.find((choice) => choice === value)

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without the fields that are undefined. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: Partial<T> = {}
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key]
  return kept as Present<T>
}

/** A field named `x_…`, with where it stood. */
export type Extension = { parts: readonly PathPart[]; value: unknown }

/** Values that belong to executors and not to the protocol: everything in them is theirs. */
const free: ReadonlySet<string> = new Set(["input", "args", "output"])

/** Takes out what is stored and ignored, so that every other unknown field can be refused. */
export function splitExtensions(value: unknown): { plain: unknown; extensions: readonly Extension[] } {
  const extensions: Extension[] = []
  const parts: PathPart[] = []
  return { plain: without(value), extensions }

  function without(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((entry, index) => within(index, entry))
    if (!isRaw(node)) return node
    const plain: Record<string, unknown> = {}
    for (const key of Object.keys(node)) {
      if (key.startsWith("x_")) extensions.push({ parts: [...parts, key], value: node[key] })
      else plain[key] = free.has(key) ? node[key] : within(key, node[key])
    }
    return plain
  }

  function within(part: PathPart, node: unknown): unknown {
    parts.push(part)
    const plain = without(node)
    parts.pop()
    return plain
  }
}

/** Where a field stood. Its parents are cut: one whose name is long is no field, and has the declaration refused. */
const placeOf = (parts: readonly PathPart[]): string =>
  [...parts.slice(0, -1).map((part) => String(part).slice(0, 80)), ...parts.slice(-1)].join(".")

/** The extensions of each entry of a list, and those outside of all entries, by their path from there. */
export function groupExtensions(extensions: readonly Extension[], list: readonly string[]) {
  const outer: Record<string, unknown> = {}
  const entries = new Map<number, Record<string, unknown>>()
  for (const { parts, value } of extensions) {
    const index = list.every((part, at) => parts[at] === part) ? parts[list.length] : undefined
    if (typeof index !== "number") {
      outer[placeOf(parts)] = value
      continue
    }
    const entry = entries.get(index) ?? {}
    entry[placeOf(parts.slice(list.length + 1))] = value
    entries.set(index, entry)
  }
  return { outer, of: (index: number): Raw => entries.get(index) ?? {} }
}
export type Extensions = ReturnType<typeof groupExtensions>
