import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  applyFacts,
  emptySession,
  type RuntimeEvent,
  sessionReadModels,
  sessionSnapshot,
} from "@factum/facts"
import { contentPolicy } from "../../host/src/security.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const page = join(root, "apps/workbench/dist")
const begun = "2026-03-03T09:00:00.000Z"
const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css" }

/** What a test says of a fact; its place in the session is given to it. */
export type Loose = { type: string; session_id?: string | undefined } & Record<string, unknown>
export type Told = { name: string; input: Record<string, unknown> }
type Refusal = { code: string; message: string; field?: string }

/** The facts of a recorded trace. */
export const traceOf = (name: string): RuntimeEvent[] =>
  readFileSync(join(root, "packages/conformance/traces", name, "events.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RuntimeEvent)

/** Serves the built page, and plays recorded facts as a host would, under the host's own policy for content. */
export class TraceHost {
  readonly told: Told[] = []
  /** What went wrong in this host itself. */
  readonly mistakes: unknown[] = []
  readonly refusals: Record<string, Refusal> = {}
  readonly blobs = new Map<string, string>()
  /** While set, commands that change something wait for it. */
  held: Promise<void> | undefined
  readonly #facts = new Map<string, RuntimeEvent[]>()
  readonly #streams = new Map<string, Set<ServerResponse>>()
  readonly #server: Server
  #slow: ((path: string) => Promise<void>) | undefined

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        // A page that leaves or is closed while it asks breaks the connection; nobody waits for an answer then.
        if (!request.socket.destroyed) this.mistakes.push(error)
        response.destroy()
      })
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  get origin(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  }

  at = (session: string): string => `${this.origin}/#token=secret&/s/${session}`

  /** New facts, to whoever follows; they get their place in the session here. */
  tell(...facts: readonly Loose[]): void {
    for (const fact of facts) {
      const session = fact.session_id ?? ""
      const known = this.#facts.get(session) ?? []
      const sequence = known.length + 1
      const whole = {
        schema_version: 1,
        event_id: `evt_${session}_${sequence}`,
        timestamp: new Date(Date.parse(known.at(-1)?.timestamp ?? begun) + 1000).toISOString(),
        ...fact,
        sequence,
      } as unknown as RuntimeEvent
      this.#facts.set(session, [...known, whole])
      for (const stream of this.#streams.get(session) ?? []) stream.write(eventOf(whole))
    }
  }

  /** Delays what is asked for. */
  slow(wait: ((path: string) => Promise<void>) | undefined): void {
    this.#slow = wait
  }

  cut(): void {
    for (const stream of [...this.#streams.values()].flatMap((all) => [...all])) stream.destroy()
  }

  close(): void {
    this.cut()
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.origin)
    response.setHeader("content-security-policy", contentPolicy)
    if (!url.pathname.startsWith("/v1/")) return serve(url.pathname, response)
    await this.#slow?.(url.pathname)
    const [, , kind, id = "", part] = url.pathname.split("/")
    if (kind === "commands") return this.#command(id, await bodyOf(request), response)
    if (kind === "sessions" && part === "facts")
      return this.#follow(id, Number(url.searchParams.get("after")), response)
    if (kind === "sessions" && part === "opening")
      return this.#open(id, Number(url.searchParams.get("limit")), response)
    if (kind === "sessions" && part === undefined) return reply(response, this.#rows(url.searchParams))
    const blob = kind === "blobs" ? this.blobs.get(id) : undefined
    if (blob !== undefined) return void response.end(blob)
    if (kind === "blobs" && request.method === "POST") {
      await bodyOf(request)
      return reply(response, { digest: `sha256:${"a".repeat(64)}`, bytes: 1 })
    }
    if (kind === "credentials") {
      this.told.push({ name: "credential", input: JSON.parse(await bodyOf(request)) })
      return reply(response, { ref: { uri: "capability:credential/1", kind: "record" } })
    }
    refuse(response, { code: "not_found", message: `There is no ${url.pathname}.` })
  }

  async #command(name: string, body: string, response: ServerResponse): Promise<void> {
    const { input } = JSON.parse(body) as { input: Record<string, unknown> }
    if (name === "get_session" && this.refusals[name] === undefined) return this.#read(input, response)
    this.told.push({ name, input })
    await this.held
    const refusal = this.refusals[name]
    if (refusal !== undefined) return refuse(response, refusal)
    reply(response, {
      session_id: input.session_id ?? "ses_new",
      status: "accepted",
      turn_id: "t",
      thread_id: "thr",
    })
  }

  #read({ session_id, before, limit = 500 }: Record<string, unknown>, response: ServerResponse): void {
    const window = this.#window(String(session_id), Number(limit), before)
    if (window === undefined) unknown(session_id, response)
    else {
      const { state, ...read } = window
      reply(response, { snapshot: sessionSnapshot(state), ...read })
    }
  }

  #open(session_id: string, limit: number, response: ServerResponse): void {
    const window = this.#window(session_id, limit)
    if (window === undefined) unknown(session_id, response)
    else {
      const { state, ...read } = window
      reply(response, { read_models: sessionReadModels(state), ...read })
    }
  }

  #window(session_id: string, limit: number, before?: unknown) {
    const facts = this.#facts.get(session_id)
    if (facts === undefined) return undefined
    const end = before === undefined ? facts.length : Number(before) - 1
    const from = Math.max(0, end - limit)
    const next_cursor = from === 0 ? undefined : String(from + 1)
    const { state } = applyFacts(emptySession, facts)
    return { state, history: facts.slice(from, end), next_cursor }
  }

  #follow(session: string, after: number, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const facts = this.#facts.get(session) ?? []
    response.write(facts.slice(after).map(eventOf).join("") || ": \n\n")
    const streams = this.#streams.get(session) ?? new Set()
    this.#streams.set(session, streams.add(response))
    response.on("close", () => streams.delete(response))
  }

  #rows(asked: URLSearchParams) {
    const search = asked.get("search")?.toLowerCase() ?? ""
    const from = Number(asked.get("before") ?? 0)
    const limit = Number(asked.get("limit") ?? 100)
    const fitting = [...this.#facts].reverse().flatMap(([session_id, facts]) => {
      const { title, timestamps } = sessionSnapshot(applyFacts(emptySession, facts).state)
      if (!title.toLowerCase().includes(search)) return []
      return [{ session_id, title, status: "idle", updated_at: timestamps.updated_at }]
    })
    const next = from + limit < fitting.length ? { next: from + limit } : {}
    return { sessions: fitting.slice(from, from + limit), ...next }
  }
}

const eventOf = (fact: RuntimeEvent): string => `id: ${fact.sequence}\ndata: ${JSON.stringify(fact)}\n\n`

function serve(path: string, response: ServerResponse): void {
  const name = path === "/" ? "/index.html" : path
  try {
    const bytes = readFileSync(join(page, name))
    response.setHeader("content-type", types[extname(name)] ?? "text/html; charset=utf-8")
    response.end(bytes)
  } catch {
    response.writeHead(404).end()
  }
}

const unknown = (session_id: unknown, response: ServerResponse): void =>
  refuse(response, { code: "not_found", message: `No session ${session_id} is known.` })

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ""
  for await (const chunk of request) body += chunk
  return body
}

const json = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
const reply = (response: ServerResponse, result: object): void =>
  void json(response, 200, { ok: true, result })
const refuse = (response: ServerResponse, refusal: Refusal): void =>
  void json(response, 409, { ok: false, refusal })
