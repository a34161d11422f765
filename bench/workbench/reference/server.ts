import { readFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join } from "node:path"
import type { UIMessage, UIMessageChunk } from "ai"
import { model, said } from "../agent.ts"

export type Reference = { url: string; close(): void }

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".html": "text/html",
}

/** Serves a built page, the messages of its session, and the stream that our model gives, in the AI SDK's words. */
export async function serve(folder: string, messages: readonly UIMessage[]): Promise<Reference> {
  const history = JSON.stringify(messages)
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1")
    if (pathname === "/messages") response.setHeader("content-type", "application/json").end(history)
    else if (pathname === "/chat") void stream(response)
    else file(join(folder, pathname), response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function file(path: string, response: ServerResponse): void {
  try {
    const bytes = readFileSync(path)
    response.setHeader("content-type", types[extname(path)] ?? "application/octet-stream").end(bytes)
  } catch {
    response.writeHead(404).end()
  }
}

/** The pieces of one moment in one write, as our host does it. */
async function stream(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" })
  const ending = new AbortController()
  response.on("close", () => ending.abort())
  let waiting = ""
  const write = (chunk: UIMessageChunk) => {
    if (waiting === "") setImmediate(flush)
    waiting += `data: ${JSON.stringify(chunk)}\n\n`
  }
  const flush = () => {
    response.write(waiting)
    waiting = ""
  }
  write({ type: "start" })
  for (let round = 0; !ending.signal.aborted; round++) {
    write({ type: "start-step" })
    if (!(await answer(round, ending.signal, write))) break
  }
  write({ type: "finish" })
  await new Promise(setImmediate)
  response.end("data: [DONE]\n\n")
}

/** One request to the model; whether it is asked again. */
async function answer(
  round: number,
  signal: AbortSignal,
  write: (chunk: UIMessageChunk) => void,
): Promise<boolean> {
  const open = new Set<string>()
  const calls: { toolCallId: string; toolName: string }[] = []
  // What the model knows of the turn is how often it was asked.
  const before = Array.from({ length: round }, () => ({ role: "assistant" as const, parts: "" }))
  const messages = [{ role: "user" as const, parts: said.stream }, ...before]
  for await (const chunk of model.stream({ model: model.name, messages, signal })) {
    if (chunk.kind === "text") {
      const id = `${round}.${chunk.part_id}`
      if (!open.has(id)) write({ type: "text-start", id })
      open.add(id)
      write({ type: "text-delta", id, delta: chunk.text })
    }
    if (chunk.kind === "tool_call") {
      const call = { toolCallId: `${round}.${chunk.call_id}`, toolName: chunk.tool }
      calls.push(call)
      write({ type: "tool-input-available", ...call, input: JSON.parse(chunk.arguments) })
    }
  }
  for (const id of open) write({ type: "text-end", id })
  for (const { toolCallId } of calls) write({ type: "tool-output-available", toolCallId, output: "read" })
  write({ type: "finish-step" })
  return calls.length > 0
}
