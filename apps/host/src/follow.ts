import type { ServerResponse } from "node:http"
import type { FactLog, StoredFact } from "@factum/runtime"
import { type Pace, PacedWriter } from "./paced-writer.ts"

/** Streams the facts of a session after a cursor until the reader leaves or the host closes. */
export async function follow(
  log: Pick<FactLog, "tail">,
  session: string,
  after: number,
  outgoing: ServerResponse,
  closing: AbortSignal,
  pace: Pace,
): Promise<void> {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  outgoing.on("close", leave)
  // A reader that is gone is no error of the host.
  outgoing.on("error", leave)
  closing.addEventListener("abort", leave)
  if (closing.aborted) leave()
  const writer = new PacedWriter(outgoing, pace, leaving.signal)
  outgoing.flushHeaders()
  try {
    for await (const facts of log.tail(session, after, leaving.signal)) {
      for (const fact of facts) {
        writer.add(frame(fact))
        if (writer.isFull) await writer.drained()
      }
      writer.send()
    }
    writer.end()
  } catch (error) {
    // The reader sees a cut stream and resumes; an end would look like nothing more to come.
    outgoing.destroy(error instanceof Error ? error : undefined)
    console.error(error)
  } finally {
    closing.removeEventListener("abort", leave)
    writer.stop()
  }
}

/** JSON text has no line breaks outside its escapes, so one data line holds a fact. */
function frame({ sequence, text }: StoredFact): string {
  return `id: ${sequence}\ndata: ${text}\n\n`
}
