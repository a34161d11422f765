import { fork } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { type Figure, figure, median } from "./measure.ts"

const subscribers = 1000
const rounds = 3

/** One session, a thousand subscribers, a thousand facts a second: what a second of one core delivers. */
export async function delivery(): Promise<Figure[]> {
  const pairs: { ours: number; bare: number }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ bare: await delivered("bare"), ours: await delivered("ours") })
  }
  const bare = median(pairs.map((pair) => pair.bare))
  const ratio = median(pairs.map((pair) => pair.ours / pair.bare))
  return [
    figure(
      "facts to 1,000 subscribers of a session at 1,000 facts/s",
      "deliveries per second of one core",
      bare * ratio,
      "a bare node:http server doing the same writes",
      bare,
      { at_least: 0.85 },
    ),
  ]
}

async function delivered(side: "ours" | "bare"): Promise<number> {
  const child = fork(fileURLToPath(new URL("subscribers-child.ts", import.meta.url)), [side])
  const [{ port, token, stream }] = await once(child, "message")
  const got = new Map<Socket, number>()
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
  const [{ written, bytes, active }] = await once(child, "message")
  const short = [...got.values()].filter((count) => count < bytes)
  if (short.length > 0) throw new Error(`${short.length} of ${subscribers} subscribers of ${side} lack facts`)
  child.send("enough")
  await once(child, "exit")
  for (const socket of got.keys()) socket.destroy()
  return (written * subscribers) / (active / 1000)
}
