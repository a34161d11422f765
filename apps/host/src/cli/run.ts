import { text as readAll } from "node:stream/consumers"
import { type Mode, modes } from "@factum/runtime"
import type { Wishes } from "../work.ts"
import { type Command, exits, type Given, Misuse, refused } from "./command.ts"
import { type Reached, reachHost } from "./reach.ts"
import { watchTurn } from "./watch.ts"

export const run: Command = {
  name: "run",
  summary: "give a task and watch it; the answer goes to stdout, everything else to stderr",
  usage: '"<task>"',
  most: 1,
  atHost: true,
  flags: {
    session: { type: "string", value: "id", help: "go on in this session" },
    agent: { type: "string", value: "name", help: "which agent works (factum agents)" },
    model: { type: "string", value: "provider/model", help: "which model answers" },
    mode: { type: "string", value: "mode", help: modes.join(", ") },
    json: { type: "boolean", help: "print facts, one JSON object a line" },
    detach: { type: "boolean", help: "print the ids and leave it to the running host" },
  },
  async run(given, options) {
    const task = given.words[0] ?? (process.stdin.isTTY ? "" : (await readAll(process.stdin)).trim())
    if (task === "") throw new Misuse('run needs a task: factum run "<task>", or text on its input')
    const reached = await reachHost(options, { wishes: wishesOf(given), works: true })
    try {
      return await submit(reached, task, given)
    } finally {
      await reached.close()
    }
  },
}

async function submit(reached: Reached, task: string, given: Given): Promise<number> {
  if (reached.own && given.has("detach"))
    throw new Misuse("--detach needs a running host: begin one with factum start")
  const session = given.text("session")
  const { after, ...place } =
    session === undefined ? { create: "session" as const, after: 0 } : await threadOf(reached, session)
  const reply = await reached.client.command("submit_turn", {
    ...place,
    input: [{ kind: "text", text: task }],
    source: "cli",
  })
  if (!reply.ok) throw refused(reply.refusal)
  const { session_id, turn_id } = reply.result
  if (given.has("detach")) {
    console.log(`${session_id} ${turn_id}`)
    return exits.answered
  }
  return watchTurn(reached, { session_id, turn_id, json: given.has("json"), after })
}

/** The newest thread of a session, and where its facts end now. */
async function threadOf({ client }: Reached, session_id: string) {
  const read = await client.command("get_session", { session_id, limit: 1 })
  if (!read.ok) throw refused(read.refusal)
  const { threads, sequence } = read.result.snapshot
  const thread_id = threads.at(-1)?.thread_id
  return { session_id, after: sequence, ...(thread_id === undefined ? {} : { thread_id }) }
}

function wishesOf(given: Given): Wishes {
  const [agent, model, mode] = ["agent", "model", "mode"].map((name) => given.text(name))
  if (mode !== undefined && !isMode(mode))
    throw new Misuse(`${mode} is no mode: there are ${modes.join(", ")}`)
  return {
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(mode !== undefined && { mode }),
  }
}

const isMode = (text: string): text is Mode => modes.some((mode) => mode === text)
