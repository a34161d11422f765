import { z } from "zod"
import { type ConfigProblem, nearest } from "./problem.ts"
import type { Source } from "./source.ts"

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: readonly ConfigProblem[] }
type Found = Extract<Source, { ok: true }>
type Issue = z.core.$ZodIssue
type Said = { message: string; fix: string }

/** Checks a value of a file against its schema; `at` is the path of the value in the file. */
export function checked<T>(
  file: string,
  source: Found,
  schema: z.ZodType<T>,
  { value = source.value, at = [] }: { value?: unknown; at?: readonly PropertyKey[] } = {},
): Checked<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const problems = parsed.error.issues.flatMap((issue) => {
    const path = [...at, ...issue.path]
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        file,
        ...source.place(path, key),
        ...unknownKey(key, issue.path, schema),
      }))
    }
    return [{ file, ...source.place(path), ...explained(issue, value) }]
  })
  return { ok: false, problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) }
}

function unknownKey(key: string, path: readonly PropertyKey[], schema: z.ZodType): Said {
  const known = keysAt(schema, path)
  const like = nearest(key, known)
  const fix = like === undefined ? `Known here are ${known.join(", ")}.` : `Did you mean "${like}"?`
  return { message: `The key "${key}" is not known.`, fix }
}

function explained(issue: Issue, root: unknown): Said {
  const name = issue.path.length === 0 ? "The file" : `"${issue.path.map(String).join(".")}"`
  const given = valueAt(root, issue.path)
  if (issue.code === "invalid_type" && given === undefined) {
    return { message: `${name} is missing.`, fix: `Add it: ${kind(issue.expected)}.` }
  }
  if (issue.code === "invalid_type") {
    return { message: `${name} is ${kind(typeOf(given))}.`, fix: `Write ${kind(issue.expected)} here.` }
  }
  if (issue.code === "invalid_value") {
    const options = issue.values.map(String)
    const like = typeof given === "string" ? nearest(given, options) : undefined
    const fix = like === undefined ? `Write one of ${options.join(", ")}.` : `Did you mean "${like}"?`
    return given === undefined
      ? { message: `${name} is missing.`, fix: `Add it: one of ${options.join(", ")}.` }
      : { message: `${name} has a value that is not known.`, fix }
  }
  // The value may be the secret itself, so it is not shown.
  if (issue.path.at(-1) === "api_key_env") {
    const fix = "Put the key into an environment variable and write the name of that variable here."
    return { message: `${name} is no name of an environment variable.`, fix }
  }
  if (issue.code === "invalid_format" && issue.format === "url") {
    return { message: `${name} is no address.`, fix: "Write it with http:// or https://." }
  }
  if (issue.code === "invalid_union") {
    return { message: `${name} has none of the forms that it may have.`, fix: "See the schema for them." }
  }
  return { message: `${name} is not as it should be: ${issue.message}.`, fix: "Change it accordingly." }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text in quotes",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
}
const kind = (type: string): string => kinds[type] ?? type

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined),
    value,
  )
}

type Shape = {
  properties?: Record<string, Shape>
  items?: Shape
  additionalProperties?: Shape | boolean
  anyOf?: Shape[]
}

/** The keys that the schema knows at a path. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let shapes = [z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape]
  for (const key of path) shapes = shapes.flatMap(opened).flatMap((shape) => below(shape, key))
  return shapes.flatMap(opened).flatMap(({ properties = {} }) => Object.keys(properties))
}

const opened = (shape: Shape): Shape[] => (shape.anyOf === undefined ? [shape] : shape.anyOf.flatMap(opened))

function below({ properties, items, additionalProperties }: Shape, key: PropertyKey): Shape[] {
  const found = properties?.[String(key)] ?? (typeof key === "number" ? items : additionalProperties)
  return typeof found === "object" ? [found] : []
}
