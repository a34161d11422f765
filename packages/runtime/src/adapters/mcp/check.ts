import { Ajv, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Problem } from "../../ports/tool.ts"

const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const

/** A checker of a server's own schema, made when first used. A schema that cannot be read checks nothing. */
export function inputCheck(
  schema: Readonly<Record<string, unknown>>,
): (input: unknown) => readonly Problem[] {
  let validate: ValidateFunction | "unreadable" | undefined
  return (input) => {
    validate ??= compiled(schema)
    // The server judges its input itself in any case.
    if (validate === "unreadable" || validate(input)) return []
    return (validate.errors ?? []).map(({ instancePath, message = "is not valid", params }) => {
      const detail = "additionalProperty" in params ? `: ${String(params.additionalProperty)}` : ""
      return { path: instancePath.slice(1).replaceAll("/", "."), message: `${message}${detail}` }
    })
  }
}

function compiled({ $schema, $id: _, ...schema }: Readonly<Record<string, unknown>>) {
  const old = typeof $schema === "string" && /draft-0[4-7]/.test($schema)
  try {
    return old ? new Ajv(options).compile(schema) : new Ajv2020(options).compile(schema)
  } catch {
    return "unreadable" as const
  }
}
