import { type Client, type Connection, factsOf } from "@factum/client"

/** Prints the facts of a session as they come, one a line. */
export function printFacts(
  client: Client,
  session_id: string,
  after: number,
  onConnection: (connection: Connection) => void,
) {
  const leaving = new AbortController()
  let printed = after
  let waiting: { upTo: number; done: () => void } | undefined
  const followed = client.follow(
    factsOf({
      session_id,
      token: "",
      after,
      onConnection,
      onFacts(facts) {
        for (const fact of facts) process.stdout.write(`${JSON.stringify(fact)}\n`)
        printed = facts.at(-1)?.sequence ?? printed
        if (waiting !== undefined && printed >= waiting.upTo) waiting.done()
      },
    }),
    leaving.signal,
  )
  return {
    /** Resolves when everything up to a sequence was printed, or nothing more will be. */
    until: (upTo: number) =>
      printed >= upTo
        ? Promise.resolve()
        : Promise.race([followed, new Promise<void>((done) => (waiting = { upTo, done }))]),
    close: () => leaving.abort(),
  }
}
