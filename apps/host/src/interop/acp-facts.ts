import { type Client, type Fact, factsOf } from "@factum/client"

/** How long a host may be away before an editor is told. */
const PATIENCE_MS = 20_000

/** The host does not come back; the turn is in its log and goes on with the next one. */
export class HostGone extends Error {
  constructor() {
    super("The host does not answer any more. What was done is kept: load the session again to go on.")
  }
}

/** The facts of a session after a sequence, past and live, until the signal aborts. */
export async function* factsAfter(
  host: Client,
  session_id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Fact, void> {
  const come: Fact[] = []
  let woken = Promise.withResolvers<void>()
  let isOver = false
  let isGone = false
  const leaving = new AbortController()
  void host
    .follow(
      factsOf({
        session_id,
        token: "",
        after,
        onFacts(facts) {
          come.push(...facts)
          woken.resolve()
        },
        onConnection(connection) {
          const isLost = connection.state === "lost" && Date.now() - connection.since > PATIENCE_MS
          if (!isLost && connection.state !== "refused") return
          isGone = true
          leaving.abort()
        },
      }),
      AbortSignal.any([signal, leaving.signal]),
    )
    .finally(() => {
      isOver = true
      woken.resolve()
    })
  try {
    for (;;) {
      await woken.promise
      woken = Promise.withResolvers()
      yield* come.splice(0)
      if (isGone) throw new HostGone()
      if (isOver) return
    }
  } finally {
    leaving.abort()
  }
}
