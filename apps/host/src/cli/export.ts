import { writeFileSync } from "node:fs"
import { type Client, type Fact, isFact } from "@factum/client"
import { type Command, Misuse, refused, Stopped } from "./command.ts"
import { reachHost } from "./reach.ts"

const kinds = ["facts", "evidence", "replay", "review"] as const
type Kind = (typeof kinds)[number]
const PAGE = 1000

export const exported: Command = {
  name: "export",
  summary: "write the facts of a session, or what a reviewer or a replay needs",
  usage: "<session>",
  least: 1,
  most: 1,
  atHost: true,
  flags: {
    kind: { type: "string", value: "kind", help: `${kinds.join(", ")} (facts, as JSON lines)` },
    out: { type: "string", value: "file", help: "where to (stdout)" },
  },
  async run(given, options) {
    const [session_id = ""] = given.words
    const kind = given.text("kind") ?? "facts"
    if (!isKind(kind)) throw new Misuse(`${kind} is no kind: there are ${kinds.join(", ")}`)
    const reached = await reachHost(options)
    try {
      const bytes =
        kind === "facts"
          ? await factsIn(reached.client, session_id)
          : await bundle(reached.client, session_id, kind)
      const out = given.text("out")
      if (out === undefined) await written(bytes)
      else keep(out, bytes)
      return 0
    } finally {
      await reached.close()
    }
  },
}

const isKind = (text: string): text is Kind => kinds.some((kind) => kind === text)

/** All facts from the first one on; a pipe that takes them slowly is waited for. */
export async function factsIn(client: Client, session_id: string): Promise<string> {
  const pages: Fact[][] = []
  for (let before: string | undefined; ; ) {
    const read = await client.command("get_session", {
      session_id,
      limit: PAGE,
      ...(before !== undefined && { before }),
    })
    if (!read.ok) throw refused(read.refusal)
    pages.unshift(read.result.history.filter(isFact))
    before = read.result.next_cursor
    if (before === undefined) break
  }
  return pages
    .flat()
    .map((fact) => `${JSON.stringify(fact)}\n`)
    .join("")
}

async function bundle(client: Client, session_id: string, kind: Exclude<Kind, "facts">): Promise<Uint8Array> {
  const made = await client.command(`export_${kind}`, { session_id })
  if (!made.ok) throw refused(made.refusal)
  const parts: Uint8Array[] = []
  for (const { uri, digest } of made.result.refs) {
    const read = await client.blob(digest ?? uri.replace(/^.*[:/]/, ""))
    if (!read.ok) throw refused(read.refusal)
    parts.push(read.result)
  }
  return Buffer.concat(parts)
}

/** What cannot be written is told of by the one who listens to the stream, and ends the command. */
const written = (bytes: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => process.stdout.write(bytes, (error) => error ?? resolve()))

function keep(path: string, bytes: string | Uint8Array): void {
  try {
    writeFileSync(path, bytes, { mode: 0o600 })
  } catch (error) {
    throw new Stopped(
      `Nothing was exported: ${error instanceof Error ? error.message : error}. Name another file.`,
    )
  }
}
