import { z } from "zod"
import { type IssueCode, issue, type ProtocolIssue } from "../issues.ts"
import { jsonPath, type PathPart } from "../json.ts"

type ZodIssue = z.core.$ZodIssue

/** Every way in which a value misses its schema, as issues with paths from the top of the declaration. */
export function problems(schema: z.ZodType, value: unknown, at: readonly PathPart[] = []): ProtocolIssue[] {
  const read = schema.safeParse(value, { error: fixOf })
  return read.success ? [] : read.error.issues.flatMap((found) => told(found, value, at))
}

function told(found: ZodIssue, value: unknown, at: readonly PathPart[]): ProtocolIssue[] {
  const own = found.path.filter((part) => typeof part !== "symbol")
  const parts = [...at, ...own]
  const path = jsonPath(parts)
  if (found.code === "unrecognized_keys") {
    return found.keys.map((key) => {
      const code = codeOf([...parts, key], "unknown_field")
      const message = `There is no field ${JSON.stringify(key.slice(0, 80))} here.`
      return issue(code, jsonPath([...parts, key]), message, found.message)
    })
  }
  const here = valueAt(value, own)
  if (found.code === "invalid_union" && here !== undefined) {
    const branch = found.errors.find((errors) =>
      errors.every((error) => error.path.length > 0 || isInner(error)),
    )
    if (branch !== undefined) return branch.flatMap((error) => told(error, here, parts))
  }
  const name = path === "" ? "The declaration" : path
  if (here === undefined)
    return [issue(codeOf(parts, "missing_field"), path, `${name} is missing.`, found.message)]
  return [issue(codeOf(parts, "invalid_field"), path, `${name} is ${shown(here)}.`, found.message)]
}

/** A branch that disagrees about more than the kind of value is the one that was meant. */
const isInner = (error: ZodIssue) => error.code === "unrecognized_keys"

/** Some places have a code of their own, whatever is wrong there. */
function codeOf(parts: readonly PathPart[], otherwise: IssueCode): IssueCode {
  if (parts.length === 1 && parts[0] === "version") return "unsupported_version"
  const action = parts.findIndex((part) => typeof part === "number")
  const field = action < 0 ? undefined : parts[action + 1]
  if (field === "when") return "invalid_condition"
  if (field === "repeat") return parts.includes("until") ? "invalid_condition" : "unbounded_loop"
  return otherwise
}

function fixOf(found: z.core.$ZodRawIssue): string {
  switch (found.code) {
    case "invalid_type":
      return found.expected === "int"
        ? "Give a whole number."
        : `Give ${kinds[found.expected] ?? found.expected}.`
    case "invalid_value":
      return `Give ${found.values.map((value) => JSON.stringify(value)).join(", ")}.`
    case "unrecognized_keys": {
      const fields = found.inst instanceof z.ZodObject ? Object.keys(found.inst.shape).join(", ") : ""
      return `The fields here are ${fields}; one whose name begins with x_ is stored and ignored.`
    }
    default:
      return "Correct this value."
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  array: "an array",
}

function valueAt(value: unknown, parts: readonly PathPart[]): unknown {
  let here = value
  for (const part of parts) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, part)) return undefined
    here = Reflect.get(here, part)
  }
  return here
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array"
  if (typeof value === "object" && value !== null) return "an object"
  if (typeof value === "string" && value.length > 60) return `${JSON.stringify(value.slice(0, 60))}…`
  return JSON.stringify(value) ?? "undefined"
}
