import type { SessionPage } from "@factum/client"
import { type Command, refused } from "./command.ts"
import { oneLine, table } from "./paint.ts"
import { reachHost } from "./reach.ts"
import { say } from "./words.ts"

export const sessions: Command = {
  name: "sessions",
  summary: "list sessions, newest first",
  atHost: true,
  flags: {
    search: { type: "string", value: "words", help: "what the title holds" },
    status: { type: "string", value: "status", help: "idle, active, waiting, …" },
    limit: { type: "string", value: "number", help: "how many (20)" },
    json: { type: "boolean", help: "one JSON object a line" },
  },
  async run(given, options) {
    const reached = await reachHost(options)
    try {
      const [search, status] = [given.text("search"), given.text("status")]
      const limit = given.text("limit") ?? 20
      const rows: SessionPage["sessions"] = []
      // A page of a search may be short though there is more.
      for (let before: SessionPage["next"]; ; ) {
        const reply = await reached.client.sessions({
          limit,
          ...(before !== undefined && { before }),
          ...(search !== undefined && { search }),
          ...(status !== undefined && { status }),
        })
        if (!reply.ok) throw refused(reply.refusal)
        rows.push(...reply.result.sessions.slice(0, Number(limit) - rows.length))
        before = reply.result.next
        if (before === undefined || rows.length >= Number(limit)) break
      }
      if (given.has("json")) for (const row of rows) console.log(JSON.stringify(row))
      else if (rows.length === 0) console.log(say("noSessions"))
      else {
        const cells = rows.map(({ session_id, status: now, outcome = "", updated_at, title }) => [
          session_id,
          now,
          outcome,
          updated_at.slice(0, 16).replace("T", " "),
          oneLine(title, 60),
        ])
        for (const line of table(cells)) console.log(line)
      }
      return 0
    } finally {
      await reached.close()
    }
  },
}
