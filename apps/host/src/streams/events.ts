import type { ServerResponse } from "node:http"
import type { Feeds, Followed, FollowedSink } from "./follow.ts"
import type { Source } from "./source.ts"
import type { View } from "./view.ts"

export const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
}

/** How long the last words may take to reach a reader that is slow. */
const GRACE_MS = 2000

/** Server-sent events until the reader leaves, is too slow, or the host closes. */
export async function streamEvents(
  feeds: Feeds,
  source: Source,
  view: View,
  after: number,
  outgoing: ServerResponse,
): Promise<void> {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  outgoing.on("close", leave)
  // A reader that is gone is no error of the host.
  outgoing.on("error", leave)
  outgoing.flushHeaders()
  try {
    end(outgoing, await feeds.follow(source, view, after, responseSink(outgoing, view), leaving.signal))
  } catch (error) {
    // The reader sees a cut stream and resumes; an end would look like nothing more to come.
    outgoing.destroy(error instanceof Error ? error : undefined)
    console.error(error)
  }
}

function end(outgoing: ServerResponse, { why, cursor }: Followed): void {
  if (why === "ended") outgoing.end()
  else if (why === "failed") outgoing.destroy()
  else if (why === "slow") {
    const told = { after: cursor, reason: "The reader is too slow; read on after this cursor." }
    outgoing.end(`event: behind\ndata: ${JSON.stringify(told)}\n\n`)
    setTimeout(() => outgoing.destroy(), GRACE_MS).unref()
  }
}

function responseSink(outgoing: ServerResponse, { isWhole }: View): FollowedSink {
  return {
    write(batch) {
      if (!outgoing.destroyed) outgoing.write(batch)
    },
    waiting: () => outgoing.writableLength,
    // An id without data moves the cursor of a reader that is told of few facts, and is no event to it.
    beat(at) {
      if (!outgoing.destroyed) outgoing.write(isWhole ? ": still here\n\n" : `: still here\nid: ${at}\n\n`)
    },
    drained: (signal) => once(outgoing, signal),
  }
}

function once(outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done)
      signal.removeEventListener("abort", done)
      resolve()
    }
    if (signal.aborted) return resolve()
    outgoing.on("drain", done)
    signal.addEventListener("abort", done)
  })
}
