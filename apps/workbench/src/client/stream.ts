import { type Fact, isFact } from "./facts.ts"

export type ServerEvent = { id: string; data: string }
export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  | { state: "lost"; since: number }
  | { state: "refused"; status: number }

/** Reads server-sent events from text that may be cut anywhere. */
export function createEventParser(): (chunk: string) => ServerEvent[] {
  let rest = ""
  let id = ""
  let data: string[] = []
  return (chunk) => {
    rest += chunk
    const events: ServerEvent[] = []
    // A trailing CR may be half of a CRLF: it waits for the next chunk.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) events.push({ id, data: data.join("\n") })
        data = []
        continue
      }
      const colon = line.indexOf(":")
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
      if (field === "data") data.push(value)
      if (field === "id") id = value
    }
    return events
  }
}

/** Waits before attempt n (0, 1, 2 …): doubling to 4 s, with up to a quarter off so that tabs do not march. */
export const backoff = (attempt: number, random = Math.random()): number =>
  Math.round(Math.min(4000, 250 * 2 ** attempt) * (1 - random / 4))

/** The host writes every 15 s at least; a stream that is quiet for longer than this is dead. */
const longestQuiet = 40_000

export type StreamOptions = {
  session_id: string
  token: string
  after: number
  onFacts: (facts: Fact[]) => void
  onConnection: (connection: Connection) => void
  fetcher?: typeof fetch
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  quiet?: number
}

/** Follows the facts of a session until `signal` aborts, resuming after the last one that arrived. */
export async function followFacts(options: StreamOptions, signal: AbortSignal): Promise<void> {
  const { session_id, token, onFacts, onConnection, fetcher = fetch, pause = sleep } = options
  let cursor = options.after
  let lostSince: number | undefined
  onConnection({ state: "connecting" })
  for (let attempt = 0; !signal.aborted; attempt++) {
    const watch = watchdog(options.quiet ?? longestQuiet, signal)
    try {
      const response = await fetcher(`/v1/sessions/${session_id}/facts?after=${cursor}`, {
        headers: { Authorization: `Bearer ${token}` },
        cache: "no-store",
        signal: watch.signal,
      })
      if (response.status >= 400 && response.status < 500) {
        return onConnection({ state: "refused", status: response.status })
      }
      if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
      lostSince = undefined
      onConnection({ state: "live" })
      for await (const facts of factsOf(response.body, watch.seen)) {
        attempt = 0
        cursor = Math.max(cursor, ...facts.map((fact) => fact.sequence))
        if (signal.aborted) return
        onFacts(facts)
      }
    } catch {
      // Any break is the same to the reader: say so, wait, resume from the cursor.
    } finally {
      watch.end()
    }
    if (signal.aborted) return
    lostSince ??= Date.now()
    onConnection({ state: "lost", since: lostSince })
    await pause(backoff(attempt), signal)
  }
}

async function* factsOf(body: ReadableStream<Uint8Array>, seen: () => void): AsyncGenerator<Fact[]> {
  const parse = createEventParser()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      seen()
      const facts = parse(decoder.decode(value, { stream: true })).flatMap(factIn)
      if (facts.length > 0) yield facts
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

function factIn(event: ServerEvent): Fact[] {
  const value: unknown = JSON.parse(event.data)
  return isFact(value) ? [value] : []
}

/** Aborts with `outer`, or when nothing has been seen for so long. */
function watchdog(milliseconds: number, outer: AbortSignal) {
  const quiet = new AbortController()
  const bark = () => quiet.abort()
  let timer = setTimeout(bark, milliseconds)
  return {
    signal: AbortSignal.any([outer, quiet.signal]),
    seen: () => {
      clearTimeout(timer)
      timer = setTimeout(bark, milliseconds)
    },
    end: () => clearTimeout(timer),
  }
}

/** Ends early when the machine comes back online or `signal` aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      globalThis.removeEventListener?.("online", end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener("abort", end)
    globalThis.addEventListener?.("online", end)
  })
}
