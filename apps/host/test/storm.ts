import { once } from "node:events"
import { request } from "node:http"
import { command, result, saying } from "./asking.ts"
import { someFacts, type TestHost, token } from "./hosting.ts"
import { connected, type Peer } from "./peer.ts"
import { openStream } from "./stream.ts"

export type Storm = { clients: number; drops: number; sessions: number }
export type Weathered = { clients: number; connections: number; facts: number; wrong: string[] }

/** Clients are dropped and resume, again and again, while facts go on arriving; half by SSE, half by channel. */
export async function storm(host: TestHost, { clients, drops, sessions }: Storm): Promise<Weathered> {
  const streams = Array.from({ length: sessions }, (_, i) => `ses_storm${i}`)
  const writing = new AbortController()
  const writers = streams.map((stream) => writeOn(host, stream, writing.signal))
  const rooms = await Promise.all(streams.map(() => newSession(host)))
  const readers = Array.from({ length: Math.ceil(clients / 2) }, (_, i) =>
    reader(host, streams[i % sessions] ?? "", drops, i),
  )
  const peers = Array.from({ length: Math.floor(clients / 2) }, (_, i) =>
    peer(host, rooms[i % sessions] ?? "", drops, i),
  )
  const dropped = await Promise.all([...readers, ...peers])
  writing.abort()
  await Promise.all(writers)
  const seen = await Promise.all(dropped.map((finish) => finish()))
  const wrong = seen.flatMap(({ name, from, sequences }) => {
    const at = sequences.findIndex((sequence, i) => sequence !== from + i)
    return at === -1 ? [] : [`${name}: ${sequences[at]} where ${from + at} was to come`]
  })
  const facts = seen.reduce((sum, { sequences }) => sum + sequences.length, 0)
  return { clients: seen.length, connections: seen.length * (drops + 1), facts, wrong }
}

type Seen = { name: string; from: number; sequences: number[] }

/** Gives, when it was dropped as often as wanted, how to read the rest. */
async function reader(
  host: TestHost,
  stream: string,
  drops: number,
  seed: number,
): Promise<() => Promise<Seen>> {
  const sequences: number[] = []
  const random = seeded(seed)
  const connect = () =>
    openStream(`${host.url}/v1/sessions/${stream}/facts`, { "last-event-id": String(sequences.at(-1) ?? 0) })
  for (let i = 0; i < drops; i++) {
    const open = await connect()
    const wanted = random(40)
    await open.until(() => open.ids().length >= wanted)
    open.cut()
    sequences.push(...open.ids())
  }
  return async () => {
    const head = host.runtime.log.head(stream)
    const last = await connect()
    await last.until(() => (last.ids().at(-1) ?? sequences.at(-1) ?? 0) === head)
    last.cut()
    sequences.push(...last.ids())
    if (sequences.at(-1) !== head) sequences.push(-1)
    return { name: `reader ${seed}`, from: 1, sequences }
  }
}

async function peer(
  host: TestHost,
  session_id: string,
  drops: number,
  seed: number,
): Promise<() => Promise<Seen>> {
  const sequences: number[] = []
  const first = await connected(host.url)
  first.say({ type: "open", session_id, native_peer_id: `peer-${seed}` })
  const { channel_id, resume_token, cursor } = await first.next("opened")
  const take = async (from: Peer) => {
    const closed = from.closed
    from.cut()
    await closed
    sequences.push(...from.facts().map(({ sequence }) => sequence))
  }
  const resume = async () => {
    const again = await connected(host.url)
    again.say({ type: "resume", channel_id, resume_token, cursor: sequences.at(-1) ?? Number(cursor) })
    await again.next("resumed")
    return again
  }
  await first.until(() => first.facts().length > 0)
  await take(first)
  for (let i = 1; i < drops; i++) {
    const again = await resume()
    if ((i + seed) % 10 === 0) {
      again.say({ type: "message", native_message_id: `m${seed}`, input: saying("on we go") })
      await again.next("taken")
    }
    await take(again)
  }
  return async () => {
    const last = await resume()
    const head = host.runtime.log.head(session_id)
    await last.until(() => (last.facts().at(-1)?.sequence ?? 0) >= head)
    await take(last)
    return { name: `peer ${seed}`, from: Number(cursor) + 1, sequences }
  }
}

async function writeOn(host: TestHost, stream: string, signal: AbortSignal): Promise<void> {
  for (let head = 0; !signal.aborted; head += 5) {
    await host.runtime.log.append({ stream, expected: head, facts: someFacts(5) })
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function newSession(host: TestHost): Promise<string> {
  const made = await result(command(host.url, "submit_turn", { create: "session", input: saying("hi") }))
  return made.session_id ?? ""
}

/** Opens so many streams at once; gives how to end them. */
export async function crowd(url: string, count: number): Promise<() => void> {
  const open = new Set<{ destroy(): void }>()
  for (let made = 0; made < count; made += 200) {
    const some = Array.from({ length: Math.min(200, count - made) }, async () => {
      const headers = { authorization: `Bearer ${token}` }
      const asked = request(url, { headers, agent: false }).end()
      asked.on("error", () => undefined)
      const [response] = await once(asked, "response")
      response.on("error", () => undefined)
      response.resume()
      open.add(asked)
    })
    await Promise.all(some)
  }
  return () => {
    for (const one of open) one.destroy()
  }
}

function seeded(seed: number) {
  let state = seed + 1
  return (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % limit
  }
}
