import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { Duplex } from "node:stream"
import { getRequestListener, RequestError } from "@hono/node-server"
import type { App } from "./app.ts"
import { type AnswerCode, refusalStatus } from "./refusal-status.ts"

export const LOOPBACK = "127.0.0.1"
/** How long a reader that takes nothing may hold up the end. */
const GRACE_MS = 2000

export type Listening = {
  port: number
  /** The address to listen on; loopback when it is not said. */
  address?: string
  tls?: { cert: string; key: string }
  times?: Times
  /** How many connections may be open at once. */
  mostConnections?: number
}

/** How long a request may take to arrive: who sends slowly must not hold what others need. */
export type Times = { headersMs: number; requestMs: number; checkEveryMs: number }
const usualTimes: Times = { headersMs: 10_000, requestMs: 120_000, checkEveryMs: 5_000 }
const usualConnections = 20_000

export type Bound = { port: number; serve(app: App): void; close(): Promise<void> }

type Serving = {
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown
  upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Takes the port before anything is begun that its loss would cut short; requests wait for the app. */
export async function bind(listening: Listening): Promise<Bound | { taken: string }> {
  const ready = Promise.withResolvers<Serving>()
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    ready.promise
      .then(({ listener }) => listener(incoming, outgoing))
      .catch((error: unknown) => {
        console.error(error)
        outgoing.destroy()
      })
  }
  const { headersMs, requestMs, checkEveryMs } = listening.times ?? usualTimes
  const limits = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
  }
  const { tls } = listening
  const server = tls ? createSecureServer({ ...limits, ...tls }, answer) : createServer(limits, answer)
  server.maxConnections = listening.mostConnections ?? usualConnections
  server.on("upgrade", (incoming, socket, head) => {
    // Whoever leaves before there is an answer, or was refused, concerns nobody.
    socket.on("error", () => socket.destroy())
    ready.promise
      .then(({ upgrade }) => upgrade(incoming, socket, head))
      .catch((error: unknown) => {
        console.error(error)
        socket.destroy()
      })
  })
  try {
    await listen(server, listening)
  } catch (error) {
    return { taken: error instanceof Error ? error.message : String(error) }
  }
  const bound = server.address()
  return {
    port: typeof bound === "object" && bound ? bound.port : listening.port,
    serve: ({ http, channels }) =>
      ready.resolve({
        listener: getRequestListener(http.fetch, { errorHandler }),
        upgrade: (incoming, socket, head) => channels.upgrade(incoming, socket, head),
      }),
    close: () => close(server),
  }
}

function listen(server: Server, { port, address = LOOPBACK }: Listening): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, address, () => {
      server.off("error", reject)
      resolve()
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** What goes wrong before a route can see the request. */
function errorHandler(error: unknown): Response {
  if (error instanceof RequestError) {
    return answer({
      code: "invalid_input",
      message: "The Host header or the address is not valid.",
      field: "Host",
    })
  }
  console.error(error)
  return answer({ code: "internal_error", message: "The host met an error of its own." })
}

function answer(refusal: { code: AnswerCode; message: string; field?: string }): Response {
  const headers = { "cache-control": "no-store" }
  return Response.json({ ok: false, refusal }, { status: refusalStatus[refusal.code], headers })
}
