import { mkdirSync } from "node:fs"
import { resolve } from "node:path"
import { isRole, roles } from "../access/grant.ts"
import { TokenBook } from "../access/tokens.ts"
import { type Command, exits, type Given, Misuse, Stopped } from "./command.ts"
import { table } from "./paint.ts"
import { real } from "./reach.ts"
import { say } from "./words.ts"

/** The book is a file that a running host reads again when it changes, so no host is needed. */
export const tokens: Command = {
  name: "tokens",
  summary: "issue, list and revoke access tokens",
  usage: "create <name> | list | revoke <id>",
  least: 1,
  most: 2,
  atHost: "data",
  flags: {
    role: { type: "string", multiple: true, value: "role", help: `${roles.join(", ")}; may be given again` },
    session: { type: "string", multiple: true, value: "id", help: "only for this session" },
    workspace: { type: "string", multiple: true, value: "folder", help: "only for sessions of this folder" },
    days: { type: "string", value: "number", help: "how long it is valid (until it is revoked)" },
  },
  async run(given, { directory }) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const book = TokenBook.open(directory)
    if ("problem" in book) throw new Stopped(book.problem)
    const [verb, name] = given.words
    if (verb === "list") return list(book)
    if (verb === "create" && name !== undefined) return create(book, name, given)
    if (verb === "revoke" && name !== undefined) {
      const revoked = book.revoke(name)
      if (revoked === true) return exits.answered
      if (revoked !== false) throw new Stopped(revoked.problem)
      throw new Stopped(`There is no token ${name}; factum tokens list shows their ids.`)
    }
    throw new Misuse(`tokens needs ${tokens.usage}`)
  },
}

function list(book: TokenBook): number {
  const rows = book
    .rows()
    .map(({ id, name, roles: held, expires_at, scope }) => [
      id,
      name,
      held.join(","),
      [...(scope.sessions ?? []), ...(scope.workspaces ?? [])].join(",") || "everything",
      expires_at ?? "until revoked",
    ])
  if (rows.length === 0) console.error(say("noTokens"))
  for (const line of table(rows)) console.log(line)
  return exits.answered
}

function create(book: TokenBook, name: string, given: Given): number {
  const asked = given.texts("role")
  const held = asked.filter(isRole)
  const wrong = asked.find((role) => !isRole(role))
  if (wrong !== undefined || held.length === 0)
    throw new Misuse(`--role is one of ${roles.join(", ")}${wrong === undefined ? "" : `, not ${wrong}`}`)
  const days = Number(given.text("days") ?? 0)
  if (!(days >= 0 && days < 36_500)) throw new Misuse(`${given.text("days")} is no number of days`)
  const sessions = given.texts("session")
  // As sessions name their folder.
  const workspaces = given.texts("workspace").map((folder) => real(resolve(folder)))
  const { token, row, keep } = book.prepare({
    name,
    roles: held,
    scope: { ...(sessions.length > 0 && { sessions }), ...(workspaces.length > 0 && { workspaces }) },
    ...(days > 0 && { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() }),
  })
  const problem = keep()
  if (problem !== undefined) throw new Stopped(problem)
  console.error(`${row.id} was issued. It is shown this once:`)
  console.log(token)
  return exits.answered
}
