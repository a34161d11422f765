import { realpathSync } from "node:fs"
import { type Client, createClient } from "@factum/client"
import { ownerOf } from "@factum/runtime/sqlite"
import { openHost } from "../opening.ts"
import { readToken } from "../token.ts"
import type { Wishes } from "../work.ts"
import { type CommandOptions, exits, Misuse, Stopped } from "./command.ts"
import { say } from "./words.ts"

/** A host to work with: the user's own that runs already, or one in this process for as long as the command. */
export type Reached = {
  client: Client
  url: string
  own: boolean
  close(): Promise<void>
}

type Asked = {
  wishes?: Wishes
  /** New work is for the folder that the command was given in; what is there already is only looked at. */
  works?: boolean
  /** Who asks cannot choose another folder. */
  stays?: boolean
}

export async function reachHost(options: CommandOptions, asked: Asked = {}): Promise<Reached> {
  const running = await runningHost(options.directory)
  if (running !== undefined) return asRunning(running, options, asked)
  const { wishes = {}, works = false } = asked
  const opened = await openHost(options, { wishes, works, tell: (note) => console.error(note) })
  if (opened.ok) {
    const { url, token, close } = opened.host
    return { client: createClient({ url, token }), url, own: true, close }
  }
  if ("usage" in opened) throw new Misuse(opened.usage)
  if ("unanswerable" in opened) throw unanswerable(opened.unanswerable)
  if (opened.reason.code !== "running") throw new Stopped(opened.reason.message, exits.noHost)
  // It began in the meantime.
  const begun = await runningHost(options.directory)
  if (begun !== undefined) return asRunning(begun, options, asked)
  const next = `End process ${opened.reason.pid}, or name another folder with --data.`
  throw new Stopped(`${options.directory} is held by a host that does not answer. ${next}`, exits.noHost)
}

function unanswerable(why: "lost" | "unavailable"): Stopped {
  return why === "lost"
    ? new Stopped(
        "Nothing was begun: repair the settings first, so that it is known which model is meant.",
        exits.usage,
      )
    : new Stopped("Nothing was begun: no model can be asked.")
}

type Running = { url: string; token: string }

/** Who holds the data folder, wrote its address into it and answers there: nobody else is sent the token. */
export async function runningHost(directory: string): Promise<Running | undefined> {
  const url = ownerOf(directory)?.url
  const token = readToken(directory)
  if (url === undefined || token === undefined) return undefined
  try {
    const answer = await fetch(new URL("/v1/health", url), { signal: AbortSignal.timeout(2000) })
    const { name }: { name?: unknown } = await answer.json()
    return name === "factum" ? { url, token } : undefined
  } catch {
    return undefined
  }
}

async function asRunning({ url, token }: Running, options: CommandOptions, asked: Asked): Promise<Reached> {
  const own = (["script", "cassette", "record"] as const).filter((name) => options[name] !== undefined)
  const secrets = options.stated.includes("secrets") ? ["secrets"] : []
  const [refused] = [...Object.keys(asked.wishes ?? {}), ...own, ...secrets]
  if (refused !== undefined) {
    const next = "End it, leave the option out, or name another folder with --data."
    throw new Misuse(
      `--${refused} is for a host of this command's own, but one runs at ${url} already: ${next}`,
    )
  }
  const client = createClient({ url, token })
  const isMeant = asked.works === true || options.stated.includes("project")
  if (isMeant) await mustBeFor(real(options.project), client, url, asked)
  return { client, url, own: false, close: async () => undefined }
}

type Placed = { workspace?: string; started_for?: string }

async function placeOf(client: Client, url: string): Promise<Placed> {
  const told = await client.ask<Placed>("/v1/host")
  if (told.ok) return told.result
  const next = "End it, then give the command again."
  throw new Stopped(
    `The host at ${url} does not say where it works: ${told.refusal.message} ${next}`,
    exits.noHost,
  )
}

/** Never silently: another folder has other files, agents, rules and keys. */
async function mustBeFor(wanted: string, client: Client, url: string, { stays }: Asked): Promise<void> {
  const { workspace, started_for } = await placeOf(client, url)
  if (workspace === wanted) return
  if (workspace !== undefined && started_for === wanted) {
    console.error(`${say("sample")} ${workspace}`)
    return
  }
  const there = workspace ?? "no folder"
  const move = workspace === undefined || stays ? "" : `go on over there with --project ${workspace}, `
  const next = `${move}give ${wanted} a host of its own with --data <folder>, or end the one that runs`
  const sentence = `The host at ${url} works in ${there}, but this is for ${wanted}: ${next}.`
  throw new Stopped(sentence, exits.noHost)
}

/** One name for a folder, however it was reached; a folder that is not there keeps the name it was given. */
export function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
