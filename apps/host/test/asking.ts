import { type IncomingHttpHeaders, request } from "node:http"
import { token } from "./hosting.ts"

export type Asked = {
  method?: string
  headers?: Record<string, string | undefined>
  body?: string | Buffer
  /** Sent in pieces without an announced length. */
  chunks?: Iterable<Buffer>
}
export type Answered = { status: number; headers: IncomingHttpHeaders; bytes: Buffer; json: unknown }

/** By node:http, because fetch does not let a test say a false Host, Origin or length. */
export function ask(url: string, asked: Asked = {}): Promise<Answered> {
  const { body, chunks } = asked
  const method = asked.method ?? (body === undefined && chunks === undefined ? "GET" : "POST")
  const given = { authorization: `Bearer ${token}`, "content-type": "application/json", ...asked.headers }
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: headers as Record<string, string>, agent: false })
    outgoing.on("response", (response) => {
      const parts: Buffer[] = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("error", reject)
      response.on("end", () => {
        const bytes = Buffer.concat(parts)
        const isJson = response.headers["content-type"]?.startsWith("application/json")
        const json: unknown = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, json })
      })
    })
    outgoing.on("error", reject)
    if (chunks) {
      for (const chunk of chunks) outgoing.write(chunk)
      outgoing.end()
    } else outgoing.end(body)
  })
}

export function command(url: string, name: string, input: unknown, command_id?: string): Promise<Answered> {
  return ask(`${url}/v1/commands/${name}`, { body: JSON.stringify({ command_id, input }) })
}

/** The result of a command that must succeed. */
export async function result(answer: Promise<Answered>): Promise<Record<string, string>> {
  const { status, json } = await answer
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`)
  return (json as { result: Record<string, string> }).result
}

export const saying = (text: string) => [{ kind: "text", text }]
