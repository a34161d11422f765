import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  ResultSchema,
  ToolListChangedNotificationSchema,
  ToolSchema,
  type Tool as WireTool,
} from "@modelcontextprotocol/sdk/types.js"
import { createRedactor } from "../../redact.ts"
import { defaultConnectMs, type McpServer, secretsOf } from "./server.ts"
import { StdioTransport } from "./stdio.ts"

const mostPages = 100
const mostReason = 1000
const identity = { name: "factum", version: "0.1.0" }

export type ListedTool = { ok: true; tool: WireTool } | { ok: false; name: string; reason: string }
export type Linked = { ok: true; client: Client } | { ok: false; reason: string }

type Link = { client: Client; transport: StdioTransport | StreamableHTTPClientTransport }
type State = { kind: "connecting" } | { kind: "ready"; link: Link } | { kind: "down"; reason: string }

export type ConnectionOptions = {
  /** Called when the tools, or whether they can be reached, have changed. */
  onChange: () => void
  /** The waits before each attempt to come back after a loss; after the last, only a call tries again. */
  retry_ms: readonly number[]
}

/** One server: connected as long as it is wanted, and its list of tools as it is now. */
export class Connection {
  readonly server: McpServer
  tools: readonly ListedTool[] = []
  readonly #options: ConnectionOptions
  readonly #mask: (text: string) => string
  #state: State = { kind: "connecting" }
  #attempt: Promise<Linked> | undefined
  #link: Link | undefined
  #timer: NodeJS.Timeout | undefined
  #losses = 0
  #closed = false

  constructor(server: McpServer, options: ConnectionOptions) {
    this.server = server
    this.#options = options
    const redactor = createRedactor(secretsOf(server))
    this.#mask = (text) => redactor.text(text).value
  }

  /** Why the tools cannot be reached, if they cannot. */
  get problem(): string | undefined {
    if (this.#state.kind === "ready") return undefined
    return this.#state.kind === "connecting" ? "The server is being started." : this.#state.reason
  }

  /** The child process, where there is one. */
  get pid(): number | undefined {
    return this.#link?.transport instanceof StdioTransport ? this.#link.transport.pid : undefined
  }

  /** The client, after one attempt to connect if there is none. Does not throw. */
  connected(): Promise<Linked> {
    if (this.#closed) return Promise.resolve({ ok: false, reason: "The server was closed." })
    if (this.#state.kind === "ready") return Promise.resolve({ ok: true, client: this.#state.link.client })
    clearTimeout(this.#timer)
    this.#attempt ??= this.#connect().finally(() => {
      this.#attempt = undefined
    })
    return this.#attempt
  }

  /** The client no longer answers: what still waits for it ends now. */
  async lose(client: Client): Promise<void> {
    if (this.#link?.client === client) await closeLink(this.#link)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    // An attempt under way ends by itself once its transport is closed.
    if (this.#link !== undefined) await closeLink(this.#link)
    await this.#attempt
    this.#state = { kind: "down", reason: "The server was closed." }
  }

  async #connect(): Promise<Linked> {
    const timeout = this.server.connect_timeout_ms ?? defaultConnectMs
    let link: Link | undefined
    try {
      link = openLink(this.server)
      this.#link = link
      const { client } = link
      client.onclose = () => this.#lost(client)
      client.onerror = () => this.#doubt(client)
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#refresh(client))
      await within(
        timeout,
        (async () => {
          await client.connect(link.transport, { timeout })
          this.tools = await listTools(client, timeout)
        })(),
      )
      if (this.#closed) throw new Error("The server was closed.")
      this.#state = { kind: "ready", link }
      this.#losses = 0
      this.#options.onChange()
      return { ok: true, client }
    } catch (error) {
      const reason = this.#explain(error, link)
      if (link !== undefined) await closeLink(link)
      this.#link = undefined
      this.#down(reason)
      return { ok: false, reason }
    }
  }

  async #refresh(client: Client): Promise<void> {
    try {
      const tools = await listTools(client, this.server.connect_timeout_ms ?? defaultConnectMs)
      if (this.#link?.client !== client) return
      this.tools = tools
      this.#options.onChange()
    } catch {
      // A server that cannot say what it has keeps the list it gave before.
    }
  }

  #lost(client: Client): void {
    if (this.#link?.client !== client || this.#state.kind !== "ready") return
    const reason = this.#explain(new Error("The connection to the server was lost."), this.#link)
    this.#link = undefined
    this.#down(reason)
  }

  /** HTTP has no connection that ends: after an error only an answer tells that the server is still there. */
  #doubt(client: Client): void {
    if (this.server.transport !== "http" || this.#state.kind !== "ready") return
    const timeout = this.server.connect_timeout_ms ?? defaultConnectMs
    client.onerror = () => {}
    client.ping({ timeout }).then(
      () => {
        client.onerror = () => this.#doubt(client)
      },
      () => this.lose(client),
    )
  }

  #down(reason: string): void {
    this.#state = { kind: "down", reason }
    if (this.#closed) return
    this.#options.onChange()
    const wait = this.#options.retry_ms[this.#losses++]
    if (wait === undefined) return
    this.#timer = setTimeout(() => void this.connected(), wait)
    this.#timer.unref()
  }

  #explain(error: unknown, link: Link | undefined): string {
    const said = link?.transport instanceof StdioTransport ? link.transport.complaint : ""
    const why = error instanceof Error ? withCause(error) : String(error)
    return this.#mask([why, said.slice(-mostReason)].filter(Boolean).join(" "))
  }
}

function withCause(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

function openLink(server: McpServer): Link {
  const client = new Client(identity, { capabilities: {} })
  if (server.transport === "stdio") return { client, transport: new StdioTransport(server) }
  const requestInit = { headers: { ...server.headers } }
  return { client, transport: new StreamableHTTPClientTransport(new URL(server.url), { requestInit }) }
}

async function closeLink({ client, transport }: Link): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    // A server that is gone needs no farewell.
    await within(1000, transport.terminateSession()).catch(() => {})
  }
  await transport.close().catch(() => {})
  await client.close().catch(() => {})
}

/** Tools that are not well formed are listed with what is wrong, so that one of them does not hide the others. */
async function listTools(client: Client, timeout: number): Promise<ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return []
  const listed: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: "tools/list", params }, ResultSchema, { timeout })
    for (const tool of Array.isArray(answer.tools) ? answer.tools : []) listed.push(listedTool(tool))
    if (typeof answer.nextCursor !== "string") return listed
    cursor = answer.nextCursor
  }
  return listed
}

function listedTool(given: unknown): ListedTool {
  const parsed = ToolSchema.safeParse(given)
  if (parsed.success && parsed.data.execution?.taskSupport !== "required")
    return { ok: true, tool: parsed.data }
  const name = nameOf(given)
  if (parsed.success) return { ok: false, name, reason: "It runs only as a task of the server." }
  const [issue] = parsed.error.issues
  return {
    ok: false,
    name,
    reason: `Its declaration is not well formed: ${issue?.path.join(".")}: ${issue?.message}`,
  }
}

function nameOf(given: unknown): string {
  const name = typeof given === "object" && given !== null && "name" in given ? given.name : undefined
  return typeof name === "string" && name !== "" ? name : "unnamed"
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The server did not answer within ${ms} ms.`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}
