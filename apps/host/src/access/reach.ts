import { isCommandName, type Refusal } from "@factum/facts"
import { isOwnCommand, type Runtime } from "@factum/runtime"
import type { Answer } from "../refusal.ts"
import { type Grant, isScoped, may, type Permission, permissionFor, reaches } from "./grant.ts"

/** The field of a refusal of which the token's role or scope is the cause. */
const aboutToken = "Authorization"

/** Whether a token was refused, and not the command as it stands, which the runtime would refuse to anybody. */
export const isDenial = ({ code, field }: Answer): boolean => code === "not_permitted" && field === aboutToken

export const denial = (message: string, fix: string): Refusal => ({
  code: "not_permitted",
  message,
  field: aboutToken,
  fix,
})

type Known = Pick<Runtime, "sessionsOf" | "workspaceOf">

/** Why this grant does not cover the command, or nothing. An unknown command is left to the runtime. */
export function forbidden(
  grant: Grant,
  name: string,
  body: unknown,
  runtime: Known,
  workspace: string | undefined,
): Refusal | undefined {
  if (!isCommandName(name) && !isOwnCommand(name)) return undefined
  // The runtime's own commands all change a session.
  const needed = isCommandName(name) ? permissionFor(name) : "operate"
  if (!may(grant, needed)) return lacking(grant, needed, name)
  if (!isScoped(grant)) return undefined
  const input = isObject(body) && isObject(body.input) ? body.input : {}
  if (createsSession(name, input)) {
    return workspace !== undefined && grant.scope.workspaces?.includes(workspace)
      ? undefined
      : outOfScope("a new session")
  }
  const meant = [...sessionsIn(input, runtime)]
  // What cannot be told to be inside is outside.
  if (meant.length === 0) return outOfScope("a command that names nothing in it")
  const foreign = meant.find((ids) => !ids.some((id) => reaches(grant, id, runtime.workspaceOf)))
  return foreign === undefined ? undefined : outOfScope(foreign[0])
}

export function lacking({ roles }: Grant, permission: Permission, what: string): Refusal {
  const message = `${what} needs the permission to ${permission}, which the token's role ${roles.join(", ")} does not give.`
  return denial(message, "Use a token with another role.")
}

export function outOfScope(what: string): Refusal {
  return denial(`The token's scope does not hold ${what}.`, "Use a token with a wider scope.")
}

const createsSession = (name: string, input: Readonly<Record<string, unknown>>): boolean =>
  name === "submit_turn" && input.create === "session"

/** Every session that the input names, also through the ids of what belongs to one; each with where else it shows. */
function* sessionsIn(value: unknown, runtime: Known): Generator<readonly [string, ...string[]]> {
  if (Array.isArray(value)) for (const one of value) yield* sessionsIn(one, runtime)
  if (!isObject(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== "string" || !key.endsWith("_id")) yield* sessionsIn(inner, runtime)
    else if (key.endsWith("session_id")) yield [inner]
    else {
      const [session_id, ...others] = runtime.sessionsOf(inner)
      if (session_id !== undefined) yield [session_id, ...others]
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
