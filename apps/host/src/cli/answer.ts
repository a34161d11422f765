import { type Command, exits, Misuse, refused, Stopped } from "./command.ts"
import { openQuestions } from "./opened.ts"
import { harmless } from "./paint.ts"
import { reachHost } from "./reach.ts"
import { watchTurn } from "./watch.ts"
import { say } from "./words.ts"

export const answer: Command = {
  name: "answer",
  summary: "list what waits for you, or answer one of it and watch how it goes on",
  usage: "[<action> <decision>]",
  most: 2,
  atHost: true,
  flags: {
    note: { type: "string", value: "text", help: "words for the agent" },
    with: { type: "string", value: "json", help: "the fields of the answer, as a JSON object" },
    "no-watch": { type: "boolean", help: "do not wait for what comes after" },
    json: { type: "boolean", help: "print facts, one JSON object a line" },
  },
  async run(given, options) {
    const [action_id, decision] = given.words
    const payload = fieldsOf(given.text("with"))
    const reached = await reachHost(options)
    try {
      const open = await openQuestions(reached.client)
      if (action_id === undefined) {
        for (const { session_id, card } of open) {
          const choices = card.options.map(({ id }) => id).join("|")
          console.log(
            `${card.actionId}  ${choices}  ${harmless(card.title ?? card.actionType)}  (${session_id})`,
          )
          if (card.input !== undefined) console.log(`  ${harmless(card.input.text)}`)
        }
        if (open.length === 0) console.error(say("nothingWaits"))
        return open.length === 0 ? exits.answered : exits.needsYou
      }
      const asked = open.find(({ card }) => card.actionId === action_id)
      if (decision === undefined) throw new Misuse(`answer needs a decision: ${choicesOf(asked)}`)
      const note = given.text("note")
      const reply = await reached.client.command("respond_action", {
        action_id,
        decision,
        ...(payload && { payload }),
        ...(note !== undefined && { note }),
      })
      if (!reply.ok) throw refused(reply.refusal)
      const turn_id = asked?.card.runId
      if (given.has("no-watch") || asked === undefined || turn_id === undefined) return exits.answered
      const { session_id } = asked
      return await watchTurn(reached, { session_id, turn_id, json: given.has("json") })
    } finally {
      await reached.close()
    }
  },
}

const choicesOf = (asked: Awaited<ReturnType<typeof openQuestions>>[number] | undefined): string =>
  asked?.card.options.map(({ id }) => id).join(" or ") || "factum answer lists what waits"

function fieldsOf(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Said below, as for everything else that is no object.
  }
  throw new Stopped(`--with is no JSON object: ${text}. Write --with '{"name": "value"}'.`, exits.usage)
}
