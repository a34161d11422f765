import { fork } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type Figure, figure, median } from "./measure.ts"

const subscribers = 1000
const rounds = 3
const patienceMs = 60_000

type Side = "ours" | "bare"
type Round = { rate: number; memory: number }

/** One session, a thousand subscribers, a thousand facts a second: what a second of one core delivers, and what each holds. */
export async function delivery(): Promise<Figure[]> {
  const pairs: Record<Side, Round>[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ bare: await delivered("bare"), ours: await delivered("ours") })
  }
  const side = (of: (round: Round) => number) => {
    const bare = median(pairs.map((pair) => of(pair.bare)))
    return { bare, ours: bare * median(pairs.map((pair) => of(pair.ours) / of(pair.bare))) }
  }
  const rate = side((round) => round.rate)
  const memory = median(pairs.map((pair) => pair.ours.memory))
  return [
    figure(
      "facts to 1,000 subscribers of a session at 1,000 facts/s",
      "deliveries per second of one core",
      rate.ours,
      "a bare node:http server doing the same writes",
      rate.bare,
      { at_least: 0.85 },
    ),
    figure("memory per subscriber that waits", "kB of heap and buffers", memory, "limit", 64, { at_most: 1 }),
  ]
}

async function delivered(side: Side): Promise<Round> {
  const args = ["--expose-gc"]
  const child = fork(fileURLToPath(new URL("subscribers-child.ts", import.meta.url)), [side], {
    execArgv: args,
  })
  const [{ port, token, stream }] = await once(child, "message")
  const got = new Map<Socket, number>()
  try {
    for (let i = 0; i < subscribers; i++) {
      const socket = connect(port, "127.0.0.1")
      await once(socket, "connect")
      socket.write(
        `GET /v1/sessions/${stream}/facts?after=1 HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
      )
      await once(socket, "data")
      got.set(socket, 0)
      socket.on("data", (bytes: Buffer) => got.set(socket, (got.get(socket) ?? 0) + bytes.length))
      socket.on("error", () => undefined)
    }
    child.send("go")
    const [{ bytes, memory }] = await once(child, "message")
    const short = await behind(got, bytes)
    child.send("enough")
    const [{ written, active }] = await once(child, "message")
    // What did not arrive counts as not delivered, and the other figures are still told.
    if (short > 0)
      console.error(`${short} of ${subscribers} subscribers of ${side} lack facts after a minute`)
    await once(child, "exit")
    return { rate: (written * (subscribers - short)) / (active / 1000), memory: memory / 1000 / subscribers }
  } finally {
    for (const socket of got.keys()) socket.destroy()
    child.kill()
  }
}

/** How many have not got everything, once all have or the time is up. */
async function behind(got: ReadonlyMap<Socket, number>, bytes: number): Promise<number> {
  const lacking = () => [...got.values()].filter((count) => count < bytes).length
  for (const deadline = performance.now() + patienceMs; lacking() > 0 && performance.now() < deadline; )
    await pause(20)
  return lacking()
}
