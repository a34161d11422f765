/** What is wrong with an answer: where, and which keyword of the schema it breaks. */
export type AnswerProblem = { path: string; keyword: string }

type Schema = Readonly<Record<string, unknown>>

/** Checks an answer against the request's schema; keywords that it does not know are the owner's to judge. */
export function answerProblems(schema: unknown, value: unknown, path = ""): AnswerProblem[] {
  if (!isObject(schema)) return []
  const bad = (keyword: string): AnswerProblem[] => [{ path, keyword }]
  const types = listOf(schema.type)
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return bad("type")
  if (Array.isArray(schema.enum) && !schema.enum.some((allowed) => same(allowed, value))) return bad("enum")
  if ("const" in schema && !same(schema.const, value)) return bad("const")
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some((one) => answerProblems(one, value).length === 0))
    return bad("anyOf")
  if (typeof value === "number") return limits(schema, value, ["minimum", "maximum"]).flatMap(bad)
  if (typeof value === "string")
    return [...limits(schema, value.length, ["minLength", "maxLength"]), ...pattern(schema, value)].flatMap(
      bad,
    )
  if (Array.isArray(value)) {
    const items = value.flatMap((item, index) => answerProblems(schema.items, item, `${path}/${index}`))
    return [...limits(schema, value.length, ["minItems", "maxItems"]).flatMap(bad), ...items]
  }
  return isObject(value) ? objectProblems(schema, value, path) : []
}

function objectProblems(schema: Schema, value: Schema, path: string): AnswerProblem[] {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const missing = listOf(schema.required).filter((name) => !Object.hasOwn(value, name))
  const extra =
    schema.additionalProperties === false
      ? Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
      : []
  return [
    ...missing.map((name) => ({ path: `${path}/${name}`, keyword: "required" })),
    ...extra.map((name) => ({ path: `${path}/${name}`, keyword: "additionalProperties" })),
    ...Object.keys(properties)
      .filter((name) => Object.hasOwn(value, name))
      .flatMap((name) => answerProblems(properties[name], value[name], `${path}/${name}`)),
  ]
}

function limits(schema: Schema, size: number, [least, most]: readonly [string, string]): string[] {
  const [low, high] = [schema[least], schema[most]]
  return [
    ...(typeof low === "number" && size < low ? [least] : []),
    ...(typeof high === "number" && size > high ? [most] : []),
  ]
}

function pattern(schema: Schema, value: string): string[] {
  if (typeof schema.pattern !== "string") return []
  try {
    return new RegExp(schema.pattern, "u").test(value) ? [] : ["pattern"]
  } catch {
    // A pattern that is none here is left to the owner.
    return []
  }
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "null") return value === null
  if (type === "integer") return Number.isInteger(value)
  if (type === "array") return Array.isArray(value)
  return type === "object" ? isObject(value) : typeof value === type
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === "string")
const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b)
