import { type Fact, isFact } from "./facts.ts"
import { backoff, sleep } from "./pause.ts"
import { createEventParser, type ServerEvent } from "./server-events.ts"

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  | { state: "lost"; since: number }
  | { state: "refused"; status: number }

/** The host writes every 15 s at least; a stream that is quiet for longer than this is dead. */
const longestQuiet = 40_000

export type FollowOptions<T> = {
  url?: string
  /** The stream's address with the cursor that it is resumed from, for example `/v1/sessions/ses_1/facts?after=7`. */
  path: (after: string) => string
  token: string
  /** Where to begin: the id of the last event that was seen. */
  after: string | number
  /** What an event carries, or nothing when it is of no use. */
  read: (data: unknown) => T | undefined
  onItems: (items: T[]) => void
  onConnection: (connection: Connection) => void
  fetcher?: typeof fetch
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  quiet?: number
}

/**
 * Follows a stream until `signal` aborts or the host refuses, resuming after the last event that arrived. It rejects
 * only with what one of the callbacks threw, and has then ended.
 */
export async function follow<T>(options: FollowOptions<T>, signal: AbortSignal): Promise<Connection> {
  const { url = "", path, token, read, onItems, fetcher = fetch, pause = sleep } = options
  let cursor = String(options.after)
  let lostSince: number | undefined
  let connection: Connection = { state: "connecting" }
  const tell = (now: Connection): Connection => {
    connection = now
    options.onConnection(now)
    return now
  }
  tell(connection)
  for (let attempt = 0; !signal.aborted; attempt++) {
    const watch = watchdog(options.quiet ?? longestQuiet, signal)
    try {
      const headers = { Authorization: `Bearer ${token}` }
      const request = { headers, cache: "no-store", signal: watch.signal } as const
      const response = await fetcher(url + path(cursor), request).catch(() => undefined)
      if (response !== undefined && isFinal(response.status))
        return tell({ state: "refused", status: response.status })
      if (response?.ok && response.body !== null) {
        lostSince = undefined
        tell({ state: "live" })
        for await (const events of eventsOf(response.body, watch.seen)) {
          if (signal.aborted) return connection
          const items = events.flatMap(({ data }) => read(data) ?? [])
          if (items.length > 0) onItems(items)
          attempt = 0
          cursor = events.at(-1)?.id || cursor
        }
      }
    } finally {
      watch.end()
    }
    if (signal.aborted) return connection
    lostSince ??= Date.now()
    tell({ state: "lost", since: lostSince })
    await pause(backoff(attempt), signal)
  }
  return connection
}

/** Asked too often is no refusal for good. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 429

export type FollowFacts = Omit<FollowOptions<Fact>, "path" | "read" | "onItems"> & {
  session_id: string
  onFacts: (facts: Fact[]) => void
}

/** The facts of one session, past and live. */
export const factsOf = ({ session_id, onFacts, ...rest }: FollowFacts): FollowOptions<Fact> => ({
  ...rest,
  path: (after) => `/v1/sessions/${session_id}/facts?after=${after}`,
  read: (data) => (isFact(data) ? data : undefined),
  onItems: onFacts,
})

type Item = { id: string; data: unknown }

/** Any break is the same to the reader: the stream ends, and is resumed from the cursor. */
async function* eventsOf(body: ReadableStream<Uint8Array>, seen: () => void): AsyncGenerator<Item[], void> {
  const parse = createEventParser()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const read = await reader.read().catch(() => undefined)
      if (read?.value === undefined) return
      seen()
      const events = parsed(parse(decoder.decode(read.value, { stream: true })))
      if (events === undefined) return
      if (events.length > 0) yield events
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

function parsed(events: readonly ServerEvent[]): Item[] | undefined {
  try {
    return events.map(({ id, data }) => ({ id, data: JSON.parse(data) }))
  } catch {
    return undefined
  }
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
