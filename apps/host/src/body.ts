import type { IncomingMessage } from "node:http"
import type { HostRefusal } from "./refusal.ts"

export type Body = { ok: true; bytes: Buffer } | { ok: false; refusal: HostRefusal }

/** Counts while it reads: the announced length may be missing or false. */
export async function readBody(incoming: IncomingMessage, limit: number, fix: string): Promise<Body> {
  const tooLarge: Body = {
    ok: false,
    refusal: { code: "too_large", message: `The body is larger than ${limit} bytes.`, field: "body", fix },
  }
  if (Number(incoming.headers["content-length"] ?? 0) > limit) return tooLarge
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The socket must outlive an early return, because the refusal goes out on it.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > limit) return tooLarge
      chunks.push(chunk)
    }
  } catch {
    const refusal = { code: "invalid_input", message: "The body was cut off.", field: "body" } as const
    return { ok: false, refusal }
  }
  return { ok: true, bytes: Buffer.concat(chunks, size) }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

export function parseJson(bytes: Buffer): { ok: true; value: unknown } | { ok: false; refusal: HostRefusal } {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return unreadable("The body is not valid UTF-8.", "Encode the JSON text as UTF-8.")
  }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable"
    return unreadable(`The body is not valid JSON: ${reason}`, 'Send a JSON object {"input": …}.')
  }
}

function unreadable(message: string, fix: string): { ok: false; refusal: HostRefusal } {
  return { ok: false, refusal: { code: "invalid_input", message, field: "body", fix } }
}
