import { type IncomingMessage, request } from "node:http"
import { token } from "./hosting.ts"

export type FactStream = {
  response: IncomingMessage
  /** The ids of the events that arrived whole, in order. */
  ids(): number[]
  text(): string
  /** Resolves when the condition holds; checked whenever something arrives. */
  until(holds: () => boolean): Promise<void>
  ended: Promise<void>
  cut(): void
}

export async function openStream(url: string, headers: Record<string, string> = {}): Promise<FactStream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = { headers: { authorization: `Bearer ${token}`, ...headers }, agent: false } as const
    request(url, asked).on("response", resolve).on("error", reject).end()
  })
  let text = ""
  const checks = new Set<() => void>()
  const check = () => {
    for (const holds of checks) holds()
  }
  response.setEncoding("utf8")
  response.on("data", (part: string) => {
    text += part
    check()
  })
  const ended = new Promise<void>((resolve) => response.on("close", () => resolve()))
  response.on("error", () => undefined)
  return {
    response,
    ids: () => wholeEvents(text).map((event) => Number(/^id: (\d+)$/m.exec(event)?.[1])),
    text: () => text,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!holds()) return
          checks.delete(look)
          resolve()
        }
        checks.add(look)
        ended.then(() => reject(new Error(`The stream ended with ${text.slice(-200)}`)))
        look()
      }),
    ended,
    cut: () => response.destroy(),
  }
}

function wholeEvents(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf("\n\n") + 2)
    .split("\n\n")
    .filter((event) => event.startsWith("id: "))
}

export const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, i) => from + i)
