import { existsSync, readFileSync } from "node:fs"
import { text as readAll } from "node:stream/consumers"
import { readable, validateTrace } from "@factum/conformance/validator"
import { type Command, type CommandOptions, exits, Stopped } from "./command.ts"
import { factsIn } from "./export.ts"
import { harmless } from "./paint.ts"
import { reachHost } from "./reach.ts"

export const validate: Command = {
  name: "validate",
  summary: "judge a trace by the rules: a file of JSON lines, a session, or - for the input",
  usage: "<file | session | ->",
  least: 1,
  most: 1,
  atHost: true,
  flags: { json: { type: "boolean", help: "the report as JSON" } },
  async run(given, options) {
    const report = validateTrace((await traceOf(given.words[0] ?? "", options)).split("\n"))
    console.log(given.has("json") ? JSON.stringify(report, null, 2) : harmless(readable(report).join("\n")))
    if (report.kind === "nothing") throw new Stopped("There is nothing to judge in it.", exits.usage)
    return report.ok ? exits.answered : exits.failed
  },
}

async function traceOf(source: string, options: CommandOptions): Promise<string> {
  if (source === "-") return readAll(process.stdin)
  if (existsSync(source)) return readFileSync(source, "utf8")
  if (!source.startsWith("ses_")) throw new Stopped(`${source} is neither a file nor a session.`, exits.usage)
  const reached = await reachHost(options)
  try {
    return await factsIn(reached.client, source)
  } finally {
    await reached.close()
  }
}
