import { hash } from "node:crypto"
import { CommandEnvelope, type CommandInput, type CommandName, commands, isCommandName } from "@factum/facts"
import { type Refused, reject } from "./decision.ts"

export type CommandOf<N extends CommandName> = {
  [K in N]: { name: K; command_id: string | undefined; input: CommandInput<K>; digest: string }
}[N]
export type Command = CommandOf<CommandName>

const Body = CommandEnvelope.omit({ name: true }).partial({ command_id: true })

/** Checks what came from outside against the table of commands. */
export function parseCommand(name: string, body: unknown): { ok: true; command: Command } | Refused {
  if (!isCommandName(name)) {
    const fix = "The commands are listed in docs/reference/commands.md."
    return reject("unknown_command", `There is no command ${name.slice(0, 80)}.`, { field: "name", fix })
  }
  const envelope = Body.safeParse(body)
  if (!envelope.success)
    return invalid(envelope.error.issues[0], "", 'Send {"command_id"?: …, "input": {…}}.')
  const { command_id, input: raw } = envelope.data
  const input = commands[name].input.safeParse(raw)
  if (!input.success)
    return invalid(input.error.issues[0], "input", `See ${name} in docs/reference/commands.md.`)
  const digest = digestOf(name, raw)
  // The table pairs each name with the schema that has just accepted the input.
  return { ok: true, command: { name, command_id, input: input.data, digest } as Command }
}

/** The same for equal commands. */
export const digestOf = (name: string, input: unknown): string => hash("sha256", canonical({ name, input }))

type ZodIssue = { path: readonly PropertyKey[]; message: string; keys?: string[] }

function invalid(issue: ZodIssue | undefined, at: string, fix: string): Refused {
  const path = [at, ...(issue?.path ?? []), ...(issue?.keys?.slice(0, 1) ?? [])]
  const field = path
    .filter((part) => part !== "")
    .map(String)
    .join(".")
  return reject("invalid_input", `${field || "The body"}: ${issue?.message ?? "not well formed"}.`, {
    field: field || "body",
    fix,
  })
}

/** One text for equal values, whatever the order of their keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
