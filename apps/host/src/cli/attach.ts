import { type Command, Stopped } from "./command.ts"
import { openSession } from "./opened.ts"
import { reachHost } from "./reach.ts"
import { watchTurn } from "./watch.ts"

export const attach: Command = {
  name: "attach",
  summary: "watch the turn of a session that runs, or its last one, and answer what it asks",
  usage: "<session>",
  least: 1,
  most: 1,
  atHost: true,
  flags: { json: { type: "boolean", help: "print all facts of the session, one JSON object a line" } },
  async run(given, options) {
    const [session_id = ""] = given.words
    const reached = await reachHost(options)
    try {
      const bound = await openSession(reached.client, session_id)
      const { runId } = bound.view("runtime_status", { sessionId: session_id })
      bound.close()
      if (runId === undefined)
        throw new Stopped(`${session_id} has no turn yet: factum run --session ${session_id} "<task>"`)
      return await watchTurn(reached, { session_id, turn_id: runId, json: given.has("json") })
    } finally {
      await reached.close()
    }
  },
}
