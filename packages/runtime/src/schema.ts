import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

type Schema = Readonly<Record<string, unknown>>
const compiled = new WeakMap<Schema, ValidateFunction>()

/** The first thing in a value that does not fit a JSON Schema, or nothing. A schema that is none fits nothing. */
export function misfit(schema: Schema, value: unknown): { path: string; message: string } | undefined {
  const validate = validatorOf(schema)
  if (validate === undefined) return { path: "", message: "the schema of the answer cannot be read" }
  if (validate(value)) return undefined
  const [error] = validate.errors ?? []
  const path = (error?.instancePath ?? "").slice(1).replaceAll("/", ".")
  return { path, message: error?.message ?? "does not fit the schema" }
}

function validatorOf(schema: Schema): ValidateFunction | undefined {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  try {
    const validate = new Ajv2020({ strict: false, logger: false }).compile(schema)
    compiled.set(schema, validate)
    return validate
  } catch {
    return undefined
  }
}
