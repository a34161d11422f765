import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { StoredFact } from "@factum/runtime"
import { afterEach, describe, expect, it, vi } from "vitest"
import { follow } from "../src/follow.ts"
import type { Pace } from "../src/paced-writer.ts"
import { appendFacts, type Hosting, startTestHost, type TestHost } from "./hosting.ts"
import { type FactStream, openStream, upTo } from "./stream.ts"

const session = "ses_followed"
const anHour = 3_600_000
const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function hostWith(count: number, hosting: Hosting = {}, size?: number): Promise<TestHost> {
  const host = await startTestHost(hosting)
  ends.push(() => host.stop())
  await appendFacts(host, session, count, size)
  return host
}

async function streamOf(host: TestHost, query = "", headers = {}): Promise<FactStream> {
  const stream = await openStream(`${host.url}/v1/sessions/${session}/facts${query}`, headers)
  ends.push(() => stream.cut())
  return stream
}

describe("what a reader gets", () => {
  it("history and live facts, each with its sequence as id and its stored text as data", async () => {
    const host = await hostWith(3)
    const stream = await streamOf(host)
    await stream.until(() => stream.ids().length === 3)
    await appendFacts(host, session, 2)
    await stream.until(() => stream.ids().length === 5)
    const stored = host.runtime.log.read(session, 0, 10)
    expect(stream.text()).toBe(
      stored.map(({ sequence, text }) => `id: ${sequence}\ndata: ${text}\n\n`).join(""),
    )
    expect(stream.response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    })
  })

  it("only facts of the session that it named", async () => {
    const host = await hostWith(1)
    const stream = await streamOf(host)
    await appendFacts(host, "ses_other", 5)
    await appendFacts(host, session, 1)
    await stream.until(() => stream.ids().length >= 2)
    expect(stream.ids()).toEqual([1, 2])
  })

  it("nothing but an open stream when it has seen everything", async () => {
    const host = await hostWith(4)
    const stream = await streamOf(host, "?after=4")
    await appendFacts(host, session, 1)
    await stream.until(() => stream.ids().length > 0)
    expect(stream.ids()).toEqual([5])
  })

  it("HEAD is answered without a stream", async () => {
    const host = await hostWith(1)
    const headers = { authorization: "Bearer a-token-for-tests" }
    const answer = await fetch(`${host.url}/v1/sessions/${session}/facts`, { method: "HEAD", headers })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe("")
  })
})

describe("resuming", () => {
  it("after=", async () => {
    const host = await hostWith(9)
    const stream = await streamOf(host, "?after=6")
    await stream.until(() => stream.ids().length === 3)
    expect(stream.ids()).toEqual([7, 8, 9])
  })

  it("Last-Event-ID wins over after=, which is older", async () => {
    const host = await hostWith(9)
    const stream = await streamOf(host, "?after=2", { "last-event-id": "7" })
    await stream.until(() => stream.ids().length === 2)
    expect(stream.ids()).toEqual([8, 9])
  })

  it.each([
    ["Last-Event-ID", 1],
    ["after", 2],
  ])("by %s, cut at many points while facts go on arriving: no gap, no repeat", async (way, seed) => {
    const random = seeded(seed)
    const host = await hostWith(50, { pace: { gapMs: 1 } })
    const seen: number[] = []
    for (let connection = 0; connection < 60; connection++) {
      const last = String(seen.at(-1) ?? 0)
      const stream =
        way === "after"
          ? await streamOf(host, `?after=${last}`)
          : await streamOf(host, "?after=0", { "last-event-id": last })
      const wanted = random(12)
      const appended = appendFacts(host, session, 1 + random(12), random(400))
      await stream.until(
        () => stream.ids().length >= Math.min(wanted, host.runtime.log.head(session) - Number(last)),
      )
      stream.cut()
      seen.push(...stream.ids())
      await appended
    }
    const head = host.runtime.log.head(session)
    const rest = await streamOf(host, `?after=${seen.at(-1) ?? 0}`)
    await rest.until(() => rest.ids().at(-1) === head || seen.at(-1) === head)
    seen.push(...rest.ids())
    expect(seen).toEqual(upTo(head))
  })
})

describe("pace", () => {
  it("the first fact after a quiet time waits for nothing", async () => {
    const host = await hostWith(1, { pace: { gapMs: anHour } })
    const stream = await streamOf(host, "?after=1")
    await appendFacts(host, session, 1)
    await stream.until(() => stream.ids().length === 1)
  })

  it("facts that come one by one share writes, and all arrive in order", async () => {
    const { stream, writes } = await followed({ gapMs: 200 }, oneByOne(200))
    await stream.until(() => stream.ids().length === 200)
    expect(stream.ids()).toEqual(upTo(200))
    expect(writes()).toBeLessThan(20)
  })

  it("a quiet stream is kept open by comments, which are no events", async () => {
    const host = await hostWith(1, { pace: { heartbeatMs: 5 } })
    const stream = await streamOf(host)
    await stream.until(() => (stream.text().match(/^: .+$/gm)?.length ?? 0) >= 3)
    await appendFacts(host, session, 1)
    await stream.until(() => stream.ids().length === 2)
    expect(stream.text().replaceAll(": still here\n\n", "")).toBe(
      host.runtime.log
        .read(session, 0, 2)
        .map(({ sequence, text }) => `id: ${sequence}\ndata: ${text}\n\n`)
        .join(""),
    )
  })
})

describe("a reader that is slow", () => {
  const [pageSize, factSize, pages] = [32, 4096, 400]
  const waitingBytes = 256 * 1024

  it("holds up its own reading of the log, so that what waits for it stays bounded", async () => {
    let most = 0
    let pulled = 0
    async function* tail(outgoing: () => ServerResponse) {
      for (; pulled < pages; pulled++) {
        most = Math.max(most, outgoing().writableLength)
        yield page(pulled * pageSize, pageSize, factSize)
        await new Promise(setImmediate)
      }
    }
    const { stream, outgoing } = await followed({ gapMs: 0, waitingBytes }, tail, (made) =>
      made.response.pause(),
    )
    const isHeld = () => outgoing().writableLength > waitingBytes || pulled === pages
    while (!isHeld()) await new Promise(setImmediate)
    const heldAt = pulled
    for (let i = 0; i < 100; i++) await new Promise(setImmediate)
    expect(pulled).toBe(heldAt)
    expect(pulled).toBeLessThan(pages)
    stream.response.resume()
    await stream.ended
    expect(stream.ids()).toEqual(upTo(pages * pageSize))
    expect(most).toBeLessThan(waitingBytes + 2 * factSize)
  })

  it("and leaves no reading behind when it goes", async () => {
    let ended = false
    async function* tail(_: unknown, signal: AbortSignal) {
      try {
        for (let i = 0; !signal.aborted; i++) yield page(i * pageSize, pageSize, factSize)
      } finally {
        ended = true
      }
    }
    const { stream, outgoing, done } = await followed({ waitingBytes }, tail, (made) => made.response.pause())
    while (outgoing().writableLength <= waitingBytes) await new Promise(setImmediate)
    stream.cut()
    await done()
    expect(ended).toBe(true)
  })
})

describe("the end", () => {
  it("closing the host ends the streams, with what was appended before", async () => {
    const host = await hostWith(2, { pace: { gapMs: anHour } })
    const streams = await Promise.all(upTo(12).map(() => streamOf(host)))
    for (const stream of streams) await stream.until(() => stream.ids().length === 2)
    await appendFacts(host, session, 1)
    await new Promise(setImmediate)
    host.beginClosing()
    await Promise.all(streams.map(({ ended }) => ended))
    for (const stream of streams) {
      expect(stream.ids()).toEqual([1, 2, 3])
      expect(stream.response.complete).toBe(true)
    }
  })

  it("a log that fails cuts the stream instead of ending it", async () => {
    async function* tail(): AsyncGenerator<StoredFact[]> {
      yield page(0, 1, 10)
      throw new Error("the disk is gone")
    }
    const said = vi.spyOn(console, "error").mockReturnValue(undefined)
    ends.push(() => said.mockRestore())
    const { stream } = await followed({}, tail)
    await stream.ended
    expect(stream.response.complete).toBe(false)
    expect(said).toHaveBeenCalledExactlyOnceWith(new Error("the disk is gone"))
  })
})

type Tail = (outgoing: () => ServerResponse, signal: AbortSignal) => AsyncIterable<StoredFact[]>

/** `follow` alone behind a real server, on a log that the test plays. */
async function followed(pace: Partial<Pace>, tail: Tail, onOpen?: (stream: FactStream) => void) {
  let answering: ServerResponse | undefined
  let writes = 0
  let following: Promise<void> | undefined
  const outgoing = () => {
    if (!answering) throw new Error("Nobody has asked yet.")
    return answering
  }
  const server = createServer((_, response) => {
    answering = response
    const write = response.write.bind(response)
    response.write = ((text: string) => {
      writes++
      return write(text)
    }) as typeof response.write
    const log = { tail: (_session: string, _after: number, signal: AbortSignal) => tail(outgoing, signal) }
    const whole = { gapMs: 20, heartbeatMs: anHour, waitingBytes: 1024 * 1024, ...pace }
    following = follow(log, session, 0, response, new AbortController().signal, whole)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  ends.push(() => new Promise((resolve) => server.close(resolve)))
  const stream = await openStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  onOpen?.(stream)
  ends.push(() => stream.cut())
  return { stream, outgoing, writes: () => writes, done: () => following }
}

function oneByOne(count: number): Tail {
  return async function* (_, signal) {
    for (let i = 0; i < count; i++) {
      yield page(i, 1, 10)
      await new Promise(setImmediate)
    }
    await new Promise((resolve) => signal.addEventListener("abort", resolve))
  }
}

function page(after: number, count: number, size: number): StoredFact[] {
  return upTo(after + count, after + 1).map((sequence) => ({
    sequence,
    position: sequence,
    text: "x".repeat(size),
  }))
}

/** Random numbers below a limit, the same in every run. */
function seeded(seed: number) {
  let state = seed
  return (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % limit
  }
}
