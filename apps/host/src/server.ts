import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { getRequestListener, RequestError } from "@hono/node-server"
import type { createApp } from "./app.ts"
import { type AnswerCode, refusalStatus } from "./refusal-status.ts"

const LOOPBACK = "127.0.0.1"
/** How long a reader that takes nothing may hold up the end. */
const GRACE_MS = 2000

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

export type Bound = { port: number; serve(app: ReturnType<typeof createApp>): void; close(): Promise<void> }

/** Takes the port before anything is begun that its loss would cut short; requests wait for the app. */
export async function bind(port: number): Promise<Bound | { taken: string }> {
  const ready = Promise.withResolvers<Listener>()
  const server = createServer(async (incoming, outgoing) => (await ready.promise)(incoming, outgoing))
  try {
    await listen(server, port)
  } catch (error) {
    return { taken: error instanceof Error ? error.message : String(error) }
  }
  const address = server.address()
  return {
    port: typeof address === "object" && address ? address.port : port,
    serve: (app) => ready.resolve(getRequestListener(app.fetch, { errorHandler })),
    close: () => close(server),
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, LOOPBACK, () => {
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
