import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export type Received = { url: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }

/** What one request is answered with. `cut` drops the connection, `hold` leaves it open until the client goes. */
export type Reply = {
  status?: number
  headers?: Readonly<Record<string, string>>
  frames: readonly string[]
  end?: "close" | "cut" | "hold"
}

/** A real HTTP server on loopback that answers one reply after the other, and remembers what it was asked. */
export async function serve(...replies: readonly Reply[]) {
  const received: Received[] = []
  const gone = Promise.withResolvers<void>()
  let next = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Record<string, unknown>
    received.push({ url: request.url ?? "", headers: request.headers, body })
    response.on("close", () => gone.resolve())
    const reply = replies[next++]
    if (reply === undefined) response.writeHead(500).end("no reply left")
    else await answer(response, reply)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    /** The client has closed a connection. */
    gone: gone.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(response: ServerResponse, reply: Reply): Promise<void> {
  const { status = 200, headers = {}, frames, end = "close" } = reply
  const kind = status === 200 ? "text/event-stream" : "application/json"
  response.writeHead(status, { "content-type": kind, ...headers })
  for (const frame of frames) {
    await new Promise<void>((resolve) => response.write(frame, () => resolve()))
    // One network packet a frame, as a streaming provider sends them.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  if (end === "close") response.end()
  else if (end === "cut") response.destroy()
}

export const refusal = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  frames: [JSON.stringify(body)],
})
