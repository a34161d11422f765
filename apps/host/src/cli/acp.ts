import type { Runtime } from "@factum/runtime"
import { serveAcp } from "../acp.ts"
import { openHost } from "../opening.ts"
import { type Command, exits, Misuse, Stopped } from "./command.ts"

export const acp: Command = {
  name: "acp",
  summary: "speak the Agent Client Protocol on stdin and stdout, for editors",
  atHost: true,
  async run(_, options) {
    let runtime: Runtime | undefined
    const opened = await openHost(options, {
      onOpen: (open) => {
        runtime = open
      },
      tell: (note) => console.error(note),
    })
    if (!opened.ok) {
      if ("usage" in opened) throw new Misuse(opened.usage)
      const { reason } = opened
      if (reason.code !== "running") throw new Stopped(reason.message, exits.noHost)
      const next = "End it, or give the editor a folder of its own with --data."
      throw new Stopped(
        `A host runs already as process ${reason.pid}, and an editor needs one in its own process. ${next}`,
        exits.noHost,
      )
    }
    try {
      if (runtime !== undefined) await serveAcp({ input: process.stdin, output: process.stdout }, runtime)
      return 0
    } finally {
      await opened.host.close()
    }
  },
}
