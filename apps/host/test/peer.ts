import { WebSocket } from "ws"
import { token } from "./hosting.ts"

export type Told = { type: string; [field: string]: unknown }
type Fact = { sequence: number; type: string; action_id?: string }

/** A peer of a channel that keeps what it was told. */
export class Peer {
  readonly socket: WebSocket
  readonly told: Told[] = []
  readonly closed: Promise<number>
  readonly #checks = new Set<() => void>()

  constructor(url: string, options: { token?: string; origin?: string; protocols?: string[] } = {}) {
    const { origin, protocols = [] } = options
    const headers = protocols.length > 0 ? {} : { authorization: `Bearer ${options.token ?? token}` }
    this.socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/channels`, protocols, {
      headers,
      ...(origin && { origin }),
    })
    this.closed = new Promise((resolve) => this.socket.on("close", resolve))
    this.socket.on("error", () => undefined)
    this.socket.on("message", (bytes) => {
      this.told.push(JSON.parse(bytes.toString()))
      for (const check of this.#checks) check()
    })
  }

  async opened(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.socket.once("open", resolve)
      this.socket.once("unexpected-response", (_, response) =>
        reject(new Error(`status ${response.statusCode}`)),
      )
      this.socket.once("error", reject)
    })
    return this
  }

  say(message: object): void {
    this.socket.send(JSON.stringify(message))
  }

  until<T>(find: (told: readonly Told[]) => T | undefined | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find(this.told)
        if (found === undefined || found === false) return
        this.#checks.delete(look)
        resolve(found)
      }
      this.#checks.add(look)
      this.closed.then((code) =>
        reject(new Error(`closed with ${code} after ${JSON.stringify(this.told).slice(-500)}`)),
      )
      look()
    })
  }

  next = (type: string, after = 0): Promise<Told> =>
    this.until((told) => told.slice(after).find((one) => one.type === type))

  /** Every fact that came, in the order in which it came. */
  facts(): Fact[] {
    return this.told.flatMap((one) =>
      one.type === "facts" ? (one.facts as Fact[]) : ((one.events ?? []) as Fact[]),
    )
  }

  cut(): void {
    this.socket.terminate()
  }
}

export const connected = (url: string, options?: ConstructorParameters<typeof Peer>[1]): Promise<Peer> =>
  new Peer(url, options).opened()
