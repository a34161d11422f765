import type { IncomingMessage } from "node:http"
import type { Checked } from "./refusal.ts"

const DEEPEST = 64

/** Counts while it reads: the announced length may be missing or false. */
export async function readBody(
  incoming: IncomingMessage,
  limit: number,
  fix: string,
): Promise<Checked<Buffer>> {
  const message = `The body is larger than ${limit} bytes.`
  const tooLarge = { ok: false, refusal: { code: "too_large", message, field: "body", fix } } as const
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
    return unreadable("The body was cut off.", "Send the whole body.")
  }
  return { ok: true, value: Buffer.concat(chunks, size) }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

export function parseJson(bytes: Buffer): Checked<unknown> {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return unreadable("The body is not valid UTF-8.", "Encode the JSON text as UTF-8.")
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable"
    return unreadable(`The body is not valid JSON: ${reason}`, 'Send a JSON object {"input": …}.')
  }
  // Whatever walks the value later may do so by recursion.
  if (isDeeper(value, DEEPEST)) {
    return unreadable(`The body is nested deeper than ${DEEPEST} levels.`, "Send flatter input.")
  }
  return { ok: true, value }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

function unreadable(message: string, fix: string): Checked<never> {
  return { ok: false, refusal: { code: "invalid_input", message, field: "body", fix } }
}
