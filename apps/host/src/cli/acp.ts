import { statSync } from "node:fs"
import { isAbsolute } from "node:path"
import { type Reach, serveAcp } from "../acp.ts"
import { type Command, type CommandOptions, Misuse, Stopped } from "./command.ts"
import { type Reached, reachHost, real, runningHost } from "./reach.ts"

export const acp: Command = {
  name: "acp",
  summary: "speak the Agent Client Protocol on stdin and stdout, for editors",
  atHost: true,
  async run(_, options) {
    const door = doorOf(options)
    try {
      await serveAcp({ input: process.stdin, output: process.stdout }, door.reach)
      return 0
    } finally {
      await door.close()
    }
  },
}

/** The editor's folder says where to work, once it names one: in the host that runs there, or in one of our own. */
function doorOf(options: CommandOptions) {
  let opened: { folder: string; reached: Promise<Reached> } | undefined
  const folderOf = (cwd: string) => (options.stated.includes("project") ? options.project : cwd)

  /** A host of somebody else's may have ended; its place is then free for another one. */
  async function open(folder: string) {
    const isGone =
      opened !== undefined && !(await opened.reached).own && !(await runningHost(options.directory))
    if (opened !== undefined && !isGone) return opened
    const reached = reachHost({ ...options, project: folder }, { works: true, stays: true })
    const place = { folder: real(folder), reached }
    opened = place
    reached.catch(() => {
      if (opened === place) opened = undefined
    })
    return place
  }

  const reach: Reach = async (cwd) => {
    const folder = real(folderOf(cwd))
    if (!isAbsolute(cwd) || !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
      return { problem: `${cwd} is no folder; cwd is the absolute path of one.` }
    if (real(cwd) !== folder) return { problem: elsewhere(cwd, folder) }
    try {
      const place = await open(folder)
      const { client } = await place.reached
      return place.folder === folder ? client : { problem: elsewhere(cwd, place.folder) }
    } catch (error) {
      if (error instanceof Misuse || error instanceof Stopped) return { problem: error.message }
      throw error
    }
  }
  return {
    reach,
    close: async () => {
      const reached = await opened?.reached.catch(() => undefined)
      await reached?.close()
    },
  }
}

const elsewhere = (cwd: string, folder: string): string =>
  `This agent works in ${folder}, the editor asks for ${cwd}: begin another factum acp for ${cwd}, with --data <folder> of its own.`
