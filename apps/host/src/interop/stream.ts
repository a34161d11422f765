import type { AgentUiEvent } from "@factum/agent-ui"
import { readRuntime } from "@factum/agent-ui/adapters/runtime"
import type { Runtime } from "@factum/runtime"

const HEARTBEAT_MS = 15_000
const encoder = new TextEncoder()

/** Turns the events of one turn into another protocol's; it ends the stream when it is over. */
export type TurnWriter = {
  readonly over: boolean
  push(event: AgentUiEvent): { events: readonly unknown[] }
  rest(): { events: readonly unknown[] }
}

/** The events of one turn after a cursor, in batches; each says whether the log had no more at that moment. */
export async function* turnEvents(
  runtime: Runtime,
  { session, turn, after }: { session: string; turn: string; after: number },
  signal: AbortSignal,
): AsyncGenerator<{ events: readonly AgentUiEvent[]; isCaughtUp: boolean }> {
  for await (const facts of runtime.log.tail(session, after, signal)) {
    const events = facts
      .flatMap(({ text }) => readRuntime(JSON.parse(text)).events)
      .filter((event) => event.runId === turn || event.runId === undefined)
    yield { events, isCaughtUp: (facts.at(-1)?.sequence ?? 0) >= runtime.log.head(session) }
  }
}

/** Server-sent events, read from the log only as fast as the reader takes them. */
export function serverEvents(
  source: (signal: AbortSignal) => AsyncGenerator<{ events: readonly AgentUiEvent[]; isCaughtUp: boolean }>,
  writer: TurnWriter,
  closing: AbortSignal,
  last = "",
): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  closing.addEventListener("abort", leave)
  const batches = source(leaving.signal)
  let next: ReturnType<typeof batches.next> | undefined
  /** Whoever reads no more leaves no reading of the log behind, also when it stopped between two batches. */
  const finish = () => {
    leave()
    closing.removeEventListener("abort", leave)
    batches.return(undefined).catch((error: unknown) => console.error(error))
  }
  return new ReadableStream({
    async pull(controller) {
      next ??= batches.next()
      const batch = await soon(next).catch((error: unknown) => {
        finish()
        throw error
      })
      if (batch === "quiet") return controller.enqueue(encoder.encode(": still here\n\n"))
      next = undefined
      const text = batch.done ? "" : written(writer, batch.value)
      if (text !== "") controller.enqueue(encoder.encode(text))
      if (!batch.done && !writer.over) {
        // Without a chunk nobody would pull again.
        if (text === "") controller.enqueue(encoder.encode(": \n\n"))
        return
      }
      finish()
      if (last !== "") controller.enqueue(encoder.encode(last))
      controller.close()
    },
    cancel: finish,
  })
}

function written(
  writer: TurnWriter,
  batch: { events: readonly AgentUiEvent[]; isCaughtUp: boolean },
): string {
  const made = batch.events.flatMap((event) => writer.push(event).events)
  const rest = batch.isCaughtUp ? writer.rest().events : []
  return [...made, ...rest].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
}

/** What comes, or word that nothing came for a while. */
async function soon<T>(next: Promise<T>): Promise<T | "quiet"> {
  let timer: NodeJS.Timeout | undefined
  const quiet = new Promise<"quiet">((resolve) => {
    timer = setTimeout(() => resolve("quiet"), HEARTBEAT_MS)
  })
  return Promise.race([next, quiet]).finally(() => clearTimeout(timer))
}

/** What the reader said itself is on its page already. */
export const isSaidByReader = (event: AgentUiEvent): boolean =>
  event.type === "text.final" && (event.payload as { role?: string } | undefined)?.role === "user"
