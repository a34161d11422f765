import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Client, createClient } from "@factum/client"
import { z } from "zod"
import { openHost } from "../opening.ts"
import type { Options } from "../options.ts"
import { readToken } from "../token.ts"
import type { Wishes } from "../work.ts"
import { exits, Misuse, Stopped } from "./command.ts"

/** A host to work with: the user's own that runs already, or one in this process for as long as the command. */
export type Reached = { client: Client; url: string; own: boolean; close(): Promise<void> }

const Owner = z.object({ pid: z.number(), url: z.string().optional() })

export async function reachHost(options: Options, wishes: Wishes = {}): Promise<Reached> {
  const running = await runningHost(options.directory)
  if (running !== undefined) return asRunning(running, options, wishes)
  const opened = await openHost(options, { wishes, tell: (note) => console.error(note) })
  if (opened.ok) {
    const { url, token, close } = opened.host
    return { client: createClient({ url: plain(url), token }), url, own: true, close }
  }
  if ("usage" in opened) throw new Misuse(opened.usage)
  if (opened.reason.code !== "running") throw new Stopped(opened.reason.message, exits.noHost)
  // It began in the meantime.
  const begun = await runningHost(options.directory)
  if (begun !== undefined) return asRunning(begun, options, wishes)
  const next = `End process ${opened.reason.pid}, or name another folder with --data.`
  throw new Stopped(`${options.directory} is held by a host that does not answer. ${next}`, exits.noHost)
}

type Running = { url: string; token: string }

/** Who wrote its address into the data folder and answers there. */
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

export function ownerOf(directory: string): { pid: number; url?: string | undefined } | undefined {
  try {
    return Owner.parse(JSON.parse(readFileSync(join(directory, "owner.json"), "utf8")))
  } catch {
    return undefined
  }
}

function asRunning({ url, token }: Running, options: Options, wishes: Wishes): Reached {
  const own = (["script", "cassette", "record"] as const).filter((name) => options[name] !== undefined)
  const [asked] = [...Object.keys(wishes), ...own]
  if (asked !== undefined) {
    const next = "End it, leave the option out, or name another folder with --data."
    throw new Misuse(
      `--${asked} is for a host of this command's own, but one runs at ${url} already: ${next}`,
    )
  }
  return { client: createClient({ url: plain(url), token }), url, own: false, close: async () => undefined }
}

const plain = (url: string): string => url.replace(/\/$/, "")
