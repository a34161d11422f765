import { changeLocal, type MessageRow } from "@factum/agent-ui"
import type { Bound } from "@factum/client"
import { type Command, refused } from "./command.ts"
import { openSession } from "./opened.ts"
import { harmless, hasColour, type Paint, painter } from "./paint.ts"
import { reachHost } from "./reach.ts"
import { Screen } from "./screen.ts"
import { rowsOf } from "./watch.ts"

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
      print(bound, session_id, painter(hasColour(process.stdout)))
      bound.close()
      return 0
    } finally {
      await reached.close()
    }
  },
}

/** Each turn as it was seen while it ran; what was done is set in from what was said. */
function print(bound: Bound, sessionId: string, paint: Paint): void {
  const { stdout } = process
  const { messages, earlier } = bound.view("conversation", { sessionId })
  if (earlier === "unloaded")
    console.log(paint("dim", "(there is more before; factum export prints all of it)"))
  const runs = Map.groupBy(messages, ({ runId }) => runId)
  for (const [runId, said] of runs) {
    const screen = new Screen(
      { out: stdout, err: { write: (text) => stdout.write(`  ${text}`) }, live: false },
      paint,
    )
    for (const message of said) if (message.role === "user") console.log(paint("bold", `> ${asked(message)}`))
    const answers = said.filter(({ role }) => role === "assistant")
    if (runId !== undefined)
      bound.store.update((state) => changeLocal(state, { kind: "expand", id: runId, where: "inline" }))
    const status = bound.view("runtime_status", { sessionId, ...(runId !== undefined && { runId }) })
    screen.draw(runId === undefined ? [] : rowsOf(bound, sessionId, runId), answers, status)
    const { failure, status: ended } = status
    if (ended !== "done" && status.outcome !== undefined)
      screen.line(["!", ended, failure?.message, failure?.next].filter(Boolean).join(" "), "red")
    screen.end()
  }
  for (const card of bound.view("hitl", { sessionId }).pending) {
    console.log(
      paint("yellow", `? ${harmless(card.title ?? card.actionType)}  factum answer ${card.actionId}`),
    )
  }
  const { status, failure } = bound.view("runtime_status", { sessionId })
  console.log(paint("dim", harmless([status, failure?.message, failure?.next].filter(Boolean).join(" "))))
}

function asked({ text, inputs }: MessageRow): string {
  const said = text.flatMap(({ blocks }) => blocks).join("")
  const given = inputs.map((input) => (input.kind === "text" ? input.text : `[${input.kind}]`)).join(" ")
  return harmless(said || given)
}
