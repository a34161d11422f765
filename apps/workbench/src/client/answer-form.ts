type Schema = Readonly<Record<string, unknown>>

/** One simple property of a structured answer. What is typed or chosen is text until the answer is put together. */
export type Field = {
  name: string
  title: string
  description?: string
  kind: "text" | "number" | "integer" | "choice" | "boolean"
  required: boolean
  /** Values as JSON text. */
  choices: readonly string[]
  initial: string
  least?: number
  most?: number
}

export type FieldProblem =
  | { kind: "required" | "number" | "integer" | "object" }
  | { kind: "least" | "most" | "shortest" | "longest"; limit: number }

export type Filled =
  | { ok: true; payload: Record<string, unknown> }
  | { ok: false; problems: Readonly<Record<string, FieldProblem>> }

/** Where the problems of an answer as a whole stand. */
export const wholeAnswer = ""

/** The fields of a schema that a small form can ask for; nothing when it asks for more than that. */
export function fieldsOf(schema: Schema): Field[] | undefined {
  const { type = "object", properties, required = [] } = schema
  if (type !== "object" || !isObject(properties) || !Array.isArray(required)) return undefined
  if (combining.some((word) => word in schema)) return undefined
  const names = Object.keys(properties)
  if (names.length === 0 || !required.every((name) => names.includes(name))) return undefined
  const fields = names.map((name) => fieldOf(name, properties[name], required.includes(name)))
  return fields.every((field) => field !== undefined) ? fields : undefined
}

const combining = ["oneOf", "anyOf", "allOf", "not", "if", "$ref", "patternProperties", "dependentRequired"]
const kinds: Readonly<Record<string, Field["kind"]>> = {
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "boolean",
}

function fieldOf(name: string, schema: unknown, required: boolean): Field | undefined {
  if (!isObject(schema) || combining.some((word) => word in schema) || "const" in schema) return undefined
  const { type, enum: values, title, description, default: initial } = schema
  const simple = typeof type === "string" ? kinds[type] : undefined
  const choices = Array.isArray(values) ? values.filter(isScalar) : []
  if (Array.isArray(values) ? choices.length !== values.length || choices.length === 0 : simple === undefined)
    return undefined
  const kind = choices.length > 0 ? "choice" : (simple ?? "text")
  const [least, most] =
    kind === "text" ? [schema.minLength, schema.maxLength] : [schema.minimum, schema.maximum]
  return {
    name,
    title: typeof title === "string" && title !== "" ? title : name,
    ...(typeof description === "string" && { description }),
    kind,
    required,
    choices: kind === "boolean" ? ["true", "false"] : choices.map((value) => JSON.stringify(value)),
    initial: initial === undefined ? "" : kind === "text" ? String(initial) : JSON.stringify(initial),
    ...(typeof least === "number" && { least }),
    ...(typeof most === "number" && { most }),
  }
}

/** The answer that the texts of the fields make. What is empty and not required is left out. */
export function filledIn(fields: readonly Field[], texts: Readonly<Record<string, string>>): Filled {
  const payload: Record<string, unknown> = {}
  const problems: Record<string, FieldProblem> = {}
  for (const field of fields) {
    const text = texts[field.name] ?? field.initial
    const problem = problemIn(field, text)
    if (problem !== undefined) problems[field.name] = problem
    else if (text.trim() !== "") payload[field.name] = field.kind === "text" ? text : JSON.parse(text.trim())
  }
  return Object.keys(problems).length === 0 ? { ok: true, payload } : { ok: false, problems }
}

function problemIn(field: Field, text: string): FieldProblem | undefined {
  const { kind, required, least = -Infinity, most = Infinity } = field
  if (text.trim() === "") return required ? { kind: "required" } : undefined
  if (kind === "text") {
    const length = [...text].length
    if (length < least) return { kind: "shortest", limit: least }
    return length > most ? { kind: "longest", limit: most } : undefined
  }
  if (kind !== "number" && kind !== "integer") return undefined
  if (!/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim())) return { kind }
  const value = Number(text)
  if (kind === "integer" && !Number.isInteger(value)) return { kind }
  if (value < least) return { kind: "least", limit: least }
  return value > most ? { kind: "most", limit: most } : undefined
}

/** An answer that was written as JSON. */
export function writtenAnswer(text: string): Filled {
  try {
    const payload: unknown = JSON.parse(text)
    if (isObject(payload)) return { ok: true, payload: { ...payload } }
  } catch {
    // Said below, like any other text that is no object.
  }
  return { ok: false, problems: { [wholeAnswer]: { kind: "object" } } }
}

/** The field that a refusal is about: the host names it `input.payload.<name>`. */
export function fieldIn(path: string | undefined, fields: readonly Field[] | undefined): string | undefined {
  const named = /^(?:input\.)?payload(?:\.(.+))?$/.exec(path ?? "")
  if (named === null) return undefined
  return fields?.find(({ name }) => name === named[1])?.name ?? wholeAnswer
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value)
