import type { Bound } from "@factum/client"
import { type Command, refused } from "./command.ts"
import { openSession } from "./opened.ts"
import { harmless, hasColour, oneLine, type Paint, painter } from "./paint.ts"
import { reachHost } from "./reach.ts"

export const show: Command = {
  name: "show",
  summary: "print a session: what was said, what was done, what waits",
  usage: "<session>",
  least: 1,
  most: 1,
  atHost: true,
  flags: { json: { type: "boolean", help: "the session snapshot as JSON" } },
  async run(given, options) {
    const [session_id = ""] = given.words
    const reached = await reachHost(options)
    try {
      if (given.has("json")) {
        const read = await reached.client.command("get_session", { session_id, limit: 1 })
        if (!read.ok) throw refused(read.refusal)
        console.log(JSON.stringify(read.result.snapshot, null, 2))
        return 0
      }
      const bound = await openSession(reached.client, session_id)
      for (const line of linesOf(bound, session_id, painter(hasColour(process.stdout)))) console.log(line)
      bound.close()
      return 0
    } finally {
      await reached.close()
    }
  },
}

function* linesOf(bound: Bound, sessionId: string, paint: Paint): Generator<string> {
  const { messages, earlier } = bound.view("conversation", { sessionId })
  if (earlier === "unloaded") yield paint("dim", "(there is more before; factum export prints all of it)")
  let lastRun: string | undefined
  for (const { role, text, runId, inputs } of messages) {
    if (runId !== lastRun && lastRun !== undefined) yield* callsOf(bound, sessionId, lastRun, paint)
    lastRun = runId
    const said = text.flatMap(({ blocks }) => blocks).join("")
    const given = inputs.map((input) => (input.kind === "text" ? input.text : `[${input.kind}]`)).join(" ")
    yield role === "user" ? paint("bold", `> ${harmless(said || given)}`) : harmless(said)
  }
  if (lastRun !== undefined) yield* callsOf(bound, sessionId, lastRun, paint)
  for (const card of bound.view("hitl", { sessionId }).pending) {
    yield paint("yellow", `? ${harmless(card.title ?? card.actionType)}  factum answer ${card.actionId}`)
  }
  const { status, failure } = bound.view("runtime_status", { sessionId })
  yield paint("dim", harmless([status, failure?.message, failure?.next].filter(Boolean).join(" ")))
}

function* callsOf(bound: Bound, sessionId: string, runId: string, paint: Paint): Generator<string> {
  for (const { toolName, status, input } of bound.view("tool_ui", { sessionId, runId }).calls) {
    const asked = typeof input === "string" ? "" : oneLine(input.text, 80)
    yield paint("dim", `  ${status === "output-available" ? "<" : "x"} ${harmless(toolName)} ${asked}`)
  }
}
