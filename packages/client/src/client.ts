import type { CommandInput, CommandName, CommandResult } from "@factum/facts"
import { type Connection, type FollowOptions, follow } from "./follow.ts"
import { newId } from "./ids.ts"
import { type Refusal, type Reply, unreachable } from "./reply.ts"

export type SessionRow = {
  session_id: string
  title: string
  status: string
  updated_at: string
  /** How its last turn ended. */
  outcome?: string
  /** The session that handed the work of this one out. */
  parent_session_id?: string
  /** How many requests wait for a person. */
  needs_you?: number
}
export type SessionPage = { sessions: SessionRow[]; next?: string | number }
/** What the host does for this token. `demonstrations`: its model is the built-in demo, which has some to play. */
export type Capabilities = { commands: string[]; demonstrations?: boolean }
export type BlobRef = { digest: string; bytes: number }

export type ClientOptions = {
  /** Where the host is, as it printed it; empty for the page that it served. */
  url?: string
  token: string
  fetcher?: typeof fetch
  /** How long an answer may take, in milliseconds. */
  patience?: number
}

type Range = { from: number; to: number }
export type Asked = { command_id?: string; signal?: AbortSignal }

/** How a program talks to a host. Nothing here throws for what the host says: it answers with a refusal. */
export type Client = {
  /** Any command of the table. Sent again under the same `command_id`, it is carried out once. */
  command<N extends CommandName>(
    name: N,
    input: CommandInput<N>,
    asked?: Asked,
  ): Promise<Reply<CommandResult<N>>>
  /** Which commands the host carries out for this token. */
  capabilities(): Promise<Reply<Capabilities>>
  sessions(query?: Readonly<Record<string, string | number>>): Promise<Reply<SessionPage>>
  upload(bytes: Blob | Uint8Array<ArrayBuffer>): Promise<Reply<BlobRef>>
  /** The bytes under a digest, or a part of them; `to` is not included. */
  blob(digest: string, range?: Range): Promise<Reply<Uint8Array<ArrayBuffer>>>
  /** The bytes that any other route gives. */
  bytes(path: string, range?: Range): Promise<Reply<Uint8Array<ArrayBuffer>>>
  /** Any other route that answers with a reply. */
  ask<R>(path: string, init?: RequestInit): Promise<Reply<R>>
  /**
   * Follows a stream until the signal aborts, resuming after the last item that arrived. What one of the callbacks
   * throws ends it, and is what the promise rejects with.
   */
  follow<T>(
    options: Omit<FollowOptions<T>, "token" | "fetcher" | "url">,
    signal: AbortSignal,
  ): Promise<Connection>
}

const usualPatience = 30_000

export function createClient(options: ClientOptions): Client {
  const { token, fetcher = (...args) => fetch(...args), patience = usualPatience } = options
  const url = (options.url ?? "").replace(/\/+$/, "")
  const authorization = { Authorization: `Bearer ${token}` }
  const asJson = { ...authorization, "Content-Type": "application/json" }

  async function reach(path: string, init: RequestInit): Promise<Response | undefined> {
    const limit = AbortSignal.timeout(patience)
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit
    try {
      return await fetcher(url + path, { ...init, cache: "no-store", signal })
    } catch {
      return undefined
    }
  }

  async function ask<R>(path: string, init: RequestInit = {}): Promise<Reply<R>> {
    const response = await reach(path, { ...init, headers: { ...asJson, ...plain(init.headers) } })
    return (await replyIn<R>(response)) ?? away
  }

  async function bytes(path: string, range?: Range): Promise<Reply<Uint8Array<ArrayBuffer>>> {
    const headers = range === undefined ? {} : { Range: `bytes=${range.from}-${range.to - 1}` }
    const response = await reach(path, { headers: { ...authorization, ...headers } })
    if (!response?.ok) return (await replyIn<Uint8Array<ArrayBuffer>>(response)) ?? away
    try {
      return { ok: true, result: new Uint8Array(await response.arrayBuffer()) }
    } catch {
      return away
    }
  }

  return {
    ask,
    command: (name, input, { command_id = newId("cmd"), signal } = {}) => {
      const body = JSON.stringify({ command_id, input })
      return ask(`/v1/commands/${name}`, { method: "POST", body, ...(signal && { signal }) })
    },
    capabilities: () => ask("/v1/capabilities"),
    sessions: (query = { limit: 100 }) => {
      const asked = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
      return ask(`/v1/sessions?${asked}`)
    },
    upload: (bytes) => {
      const headers = { "Content-Type": "application/octet-stream" }
      return ask("/v1/blobs", { method: "POST", headers, body: bytes })
    },
    blob: (digest, range) => bytes(`/v1/blobs/${digest}`, range),
    bytes,
    follow: (asked, signal) => follow({ ...asked, url, token, fetcher }, signal),
  }
}

const away: { ok: false; refusal: Refusal } = {
  ok: false,
  refusal: {
    code: unreachable,
    message: "The host did not answer.",
    fix: "See that it runs, then send the same again.",
  },
}

/** No connection, no answer in time, and an answer that is none come to the same. */
async function replyIn<R>(response: Response | undefined): Promise<Reply<R> | undefined> {
  try {
    const body: unknown = await response?.json()
    return isReply<R>(body) ? body : undefined
  } catch {
    return undefined
  }
}

/** The host answers from the same command table that types the result, so only the frame is checked. */
const isReply = <R>(body: unknown): body is Reply<R> =>
  typeof body === "object" && body !== null && "ok" in body && ("result" in body || "refusal" in body)

const plain = (headers: RequestInit["headers"]): Record<string, string> =>
  Object.fromEntries(new Headers(headers))
