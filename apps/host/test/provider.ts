import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export type Asked = { url: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }
/** What one request is answered with: a text, a call of a tool, or nothing at all. */
export type Answer = { text: string } | { tool: string; input: unknown } | "silence"

/** A real HTTP server on loopback that speaks Chat Completions: one answer after the other. */
export async function serveChat(...answers: readonly Answer[]) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const bytes: Buffer[] = []
    for await (const chunk of request) bytes.push(chunk)
    const answer = answers[asked.length] ?? { text: "Nothing more." }
    const body: Record<string, unknown> = JSON.parse(Buffer.concat(bytes).toString() || "{}")
    asked.push({ url: request.url ?? "", headers: request.headers, body })
    response.writeHead(200, { "content-type": "text/event-stream" })
    if (answer === "silence") return void response.flushHeaders()
    for (const frame of frames(answer)) response.write(frame)
    response.end("data: [DONE]\n\n")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/v1`, asked, close, [Symbol.asyncDispose]: close }
}

function frames(answer: Exclude<Answer, "silence">): string[] {
  const head = { id: "chat_1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" }
  const frame = (value: object) => `data: ${JSON.stringify({ ...head, ...value })}\n\n`
  const chunk = (delta: object, finish_reason: string | null = null) =>
    frame({ choices: [{ index: 0, delta, finish_reason }] })
  const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 }
  const end = frame({ choices: [], usage })
  if ("text" in answer) {
    const at = Math.ceil(answer.text.length / 2)
    const pieces = [answer.text.slice(0, at), answer.text.slice(at)]
    return [...pieces.map((content) => chunk({ content })), chunk({}, "stop"), end]
  }
  const call = { name: answer.tool, arguments: JSON.stringify(answer.input) }
  const tool_calls = [{ index: 0, id: "call_1", type: "function", function: call }]
  return [chunk({ tool_calls }), chunk({}, "tool_calls"), end]
}
