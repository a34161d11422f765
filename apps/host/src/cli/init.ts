import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Command, exits, Stopped } from "./command.ts"

const config = `{
  // Which model answers, as provider/model, for example "anthropic/claude-sonnet-4-5"; its key stands in
  // ANTHROPIC_API_KEY, or in the secrets file. Without a model, a scripted one shows how it works.
  // "model": "anthropic/claude-sonnet-4-5",
  // plan: look only. ask: everything but looking is asked. accept_edits: files here are free. full: most is free.
  "mode": "ask"
}
`
const reviewer = `---
name: reviewer
description: Reads changes and says what is wrong with them, without touching anything.
tools: [read_file, list_files, glob, grep]
---
You review changes. Read what is needed, then list what is wrong, most important first, each with file and line.
Say plainly when you find nothing.
`

export const init: Command = {
  name: "init",
  summary: "write factum.config.json and a first agent into a project",
  atHost: true,
  async run(_, { project }) {
    const files = [
      { path: join(project, "factum.config.json"), text: config },
      { path: join(project, ".factum", "agents", "reviewer.md"), text: reviewer },
    ]
    const fresh = files.filter(({ path }) => !existsSync(path))
    if (fresh.length === 0) throw new Stopped(`${project} is set up already; nothing was changed.`)
    for (const { path, text } of fresh) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text, { flag: "wx" })
      console.log(`wrote ${path}`)
    }
    console.log('Next: factum doctor, then factum run "<task>"')
    return exits.answered
  },
}
