import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { Runtime } from "@factum/runtime"
import { type WebSocket, WebSocketServer } from "ws"
import type { Gate } from "../access/admission.ts"
import type { Audit } from "../access/audit.ts"
import type { Grant } from "../access/grant.ts"
import { may } from "../access/grant.ts"
import type { Leases } from "../access/leases.ts"
import { lacking } from "../access/reach.ts"
import type { Answer } from "../refusal.ts"
import { refusalStatus } from "../refusal-status.ts"
import { foreignSite, type Site } from "../security.ts"
import type { Feeds } from "../streams/follow.ts"
import { Connection } from "./connection.ts"
import { closeCodes } from "./messages.ts"

export const CHANNEL_PATH = "/v1/channels"
const protocol = "factum.v1"
const MOST_BYTES = 1024 * 1024
/** How long a connection may stand without a channel. */
const OPENING_MS = 10_000

export type ChannelServerParts = {
  runtime: Runtime
  feeds: Feeds
  gate: Gate
  leases: Leases
  audit: Audit
  site: Site
  closing: AbortSignal
}

/** Takes the upgrades of the HTTP server and keeps the connections that came of them. */
export class ChannelServer {
  readonly #parts: ChannelServerParts
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_BYTES,
    perMessageDeflate: false,
    // Answered by the connection, which heeds what its peer has not taken yet.
    autoPong: false,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  })
  readonly #byChannel = new Map<string, Connection>()
  readonly #ending = new Set<Promise<void>>()

  constructor(parts: ChannelServerParts) {
    this.#parts = parts
    parts.closing.addEventListener("abort", () => {
      for (const socket of this.#sockets.clients) socket.close(closeCodes.closing, "the host ends")
    })
  }

  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const checked = this.#check(incoming)
    if ("refusal" in checked) decline(socket, checked.refusal)
    else this.#sockets.handleUpgrade(incoming, socket, head, (opened) => this.#connect(opened, checked.grant))
  }

  /** Resolves when every lost connection is a fact. */
  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    while (this.#ending.size > 0) await Promise.all(this.#ending)
  }

  #check(incoming: IncomingMessage): { grant: Grant } | { refusal: Answer } {
    const { site, gate, closing } = this.#parts
    const foreign = foreignSite(incoming, site)
    if (foreign !== undefined) return { refusal: foreign }
    // As text: not everything that a client may send as an address is one.
    if (incoming.url?.split("?", 1)[0] !== CHANNEL_PATH) {
      return { refusal: { code: "not_found", message: "Channels are at /v1/channels.", field: "path" } }
    }
    if (closing.aborted) return { refusal: { code: "unavailable", message: "The host is closing." } }
    const admission = gate.admit(incoming, tokenOf(incoming))
    if (!admission.ok) {
      const { reason } = admission
      if (reason.code === "unauthorized") return { refusal: reason.refusal }
      return { refusal: { code: "rate_limited", message: "Too many requests; wait and try again." } }
    }
    const { grant } = admission
    return may(grant, "read") ? { grant } : { refusal: lacking(grant, "read", "A channel") }
  }

  #connect(socket: WebSocket, grant: Grant): void {
    const { runtime, feeds, gate, leases, audit } = this.#parts
    const hold = (channel_id: string, next: Connection) => {
      clearTimeout(opening)
      const before = this.#byChannel.get(channel_id)
      if (before !== next) before?.replace()
      this.#byChannel.set(channel_id, next)
    }
    const connection = new Connection({ runtime, feeds, gate, grant, socket, hold, audit })
    const release = leases.take(grant, () => socket.close(closeCodes.unauthorized, "the token is not valid"))
    const opening = setTimeout(() => socket.close(closeCodes.not_opened, "nothing was opened"), OPENING_MS)
    socket.on("error", () => socket.terminate())
    socket.on("close", (code, reason) => {
      clearTimeout(opening)
      release()
      const { channel_id } = connection
      if (channel_id !== undefined && this.#byChannel.get(channel_id) === connection) {
        this.#byChannel.delete(channel_id)
      }
      const ending = connection
        .lost(reason.toString() || `closed with ${code}`)
        .catch((error: unknown) => console.error(error))
        .finally(() => this.#ending.delete(ending))
      this.#ending.add(ending)
    })
  }
}

/** A browser cannot set headers on a WebSocket, so that it offers its token beside the protocol. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
  if (bearer !== undefined) return bearer
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim())
  return offered.find((name) => name.startsWith("bearer."))?.slice("bearer.".length)
}

function decline(socket: Duplex, refusal: Answer): void {
  const body = JSON.stringify({ ok: false, refusal })
  const head = [
    `HTTP/1.1 ${refusalStatus[refusal.code]} Refused`,
    "content-type: application/json",
    "cache-control: no-store",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}
