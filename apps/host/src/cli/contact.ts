import type { Connection } from "@factum/client"
import { exits, Stopped } from "./command.ts"
import { say } from "./words.ts"

/** How long a host may be away before a command gives up. */
const PATIENCE_MS = 20_000

type Parts = {
  url: string
  session_id: string
  line: (text: string) => void
  /** Told once why there is nothing more to wait for. */
  over: (why: Stopped) => void
}

/** Whether the host of a watched turn is there: says that it is not, waits a while, and then gives up. */
export class Contact {
  readonly #parts: Parts
  #patience: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** How one of its streams fares. */
  readonly see = (connection: Connection): void => {
    if (connection.state === "lost") this.#lost()
    if (connection.state === "live" && this.#patience !== undefined) {
      this.close()
      this.#parts.line(say("back"))
    }
    if (connection.state === "refused") {
      const { url, session_id, over } = this.#parts
      this.close()
      over(new Stopped(`The host at ${url} shows ${session_id} no longer (status ${connection.status}).`))
    }
  }

  close(): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
  }

  #lost(): void {
    if (this.#patience !== undefined) return
    const { url, session_id, line, over } = this.#parts
    line(say("lost"))
    this.#patience = setTimeout(() => {
      const next = `What was done is kept; when a host runs again: factum attach ${session_id}`
      over(new Stopped(`The host at ${url} does not answer any more. ${next}`, exits.noHost))
    }, PATIENCE_MS)
  }
}
