import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { PlacedFact } from "@factum/runtime"
import { afterEach, describe, expect, it, vi } from "vitest"
import { streamEvents } from "../src/streams/events.ts"
import { Feeds } from "../src/streams/follow.ts"
import { frameEvents } from "../src/streams/frames.ts"
import { type Pace, usualPace } from "../src/streams/pace.ts"
import type { Source } from "../src/streams/source.ts"
import { factEvents } from "../src/streams/view.ts"
import { ask, command, result, saying } from "./asking.ts"
import { appendFacts, factOf, type Hosting, startTestHost, type TestHost } from "./hosting.ts"
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

  it.each([factEvents, frameEvents])("$name that come one by one share writes, in order", async (view) => {
    const { stream, writes } = await followed({ gapMs: 200 }, oneByOne(200), undefined, view)
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
  const [factSize, total] = [4096, 6000]
  const waitingBytes = 256 * 1024
  const history: Played = {
    head: total,
    read: (after, limit) => page(after, Math.min(limit, total - after), factSize),
  }

  it("holds up its own reading of the log, so that what waits for it stays bounded", async () => {
    let most = 0
    let furthest = 0
    let waiting = () => 0
    const { stream, outgoing } = await followed(
      { waitingBytes },
      {
        ...history,
        read(after, limit) {
          furthest = after
          most = Math.max(most, waiting())
          return history.read(after, limit)
        },
      },
      (made) => made.response.pause(),
    )
    waiting = () => outgoing().writableLength
    while (waiting() <= waitingBytes) await new Promise(setImmediate)
    const heldAt = furthest
    for (let i = 0; i < 100; i++) await new Promise(setImmediate)
    expect(furthest).toBe(heldAt)
    expect(furthest).toBeLessThan(total)
    let got = 0
    stream.response.on("data", (part: string) => {
      got += part.length
    })
    const lines = history.read(0, total).map((fact) => factEvents.line(fact, fact.sequence) ?? "")
    const whole = lines.reduce((sum, line) => sum + line.length, 0)
    stream.response.resume()
    // Counted, since looking at so long a text again and again would take minutes.
    while (got < whole) await new Promise(setImmediate)
    expect(stream.ids()).toEqual(upTo(total))
    expect(most).toBeLessThan(waitingBytes + 64 * 1024 + 2 * factSize)
  })

  it.each([factEvents, frameEvents])(
    "of $name is sent away with a cursor to resume from when it takes nothing",
    async (view) => {
      const { stream, outgoing, done } = await followed(
        { waitingBytes, stallMs: 50 },
        history,
        (made) => made.response.pause(),
        view,
      )
      await done()
      expect(outgoing().writableLength).toBeLessThan(waitingBytes + 128 * 1024)
      stream.response.resume()
      await stream.ended
      const told = /^event: behind\ndata: (.+)$/m.exec(stream.text())?.[1] ?? "{}"
      const { after } = JSON.parse(told)
      expect(stream.ids()).toEqual(upTo(after))
      expect(after).toBeLessThan(total)
    },
  )

  it("in the shared feed goes back to reading by itself, and the others do not wait for it", async () => {
    const host = await hostWith(1, { pace: { gapMs: 0, waitingBytes: 64 * 1024 } })
    const [slow, quick] = [await streamOf(host), await streamOf(host)]
    await slow.until(() => slow.ids().length === 1)
    await quick.until(() => quick.ids().length === 1)
    slow.response.pause()
    for (let i = 0; i < 60; i++) await appendFacts(host, session, 100, 2000)
    const head = host.runtime.log.head(session)
    await quick.until(() => quick.ids().at(-1) === head)
    slow.response.resume()
    await slow.until(() => slow.ids().at(-1) === head)
    expect(slow.ids()).toEqual(upTo(head))
    expect(quick.ids()).toEqual(upTo(head))
  })

  it("and leaves no reading behind when it goes", async () => {
    const { stream, outgoing, done, feeds } = await followed({ waitingBytes }, history, (made) =>
      made.response.pause(),
    )
    while (outgoing().writableLength <= waitingBytes) await new Promise(setImmediate)
    stream.cut()
    await done()
    expect(feeds.count).toBe(0)
  })
})

describe("many readers", () => {
  it("of one session share one feed, which ends with the last of them", async () => {
    const host = await hostWith(5)
    const streams = await Promise.all(upTo(20).map((i) => streamOf(host, `?after=${i % 6}`)))
    await appendFacts(host, session, 1)
    for (const stream of streams) await stream.until(() => stream.ids().at(-1) === 6)
    expect(host.feeds.count).toBe(1)
    for (const [i, stream] of streams.entries()) expect(stream.ids()).toEqual(upTo(6, ((i + 1) % 6) + 1))
    for (const stream of streams) stream.cut()
    while (host.feeds.count > 0) await new Promise(setImmediate)
  })
})

describe("families", () => {
  it("types= gives only facts of these families or types, and the cursor goes on", async () => {
    const host = await startTestHost({ pace: { heartbeatMs: 5 } })
    ends.push(() => host.stop())
    const facts = ["turn.started", "tool.started", "model.delta", "tool.result", "run.status"].map(
      (type, i) => ({
        event_id: `evt_${i}`,
        text: JSON.stringify({ type, event_id: `evt_${i}` }),
      }),
    )
    await host.runtime.log.append({ stream: session, expected: 0, facts })
    const stream = await streamOf(host, "?types=tool,run.status")
    await stream.until(() => /^id: 5$/m.test(stream.text()) && stream.text().includes(": still here\nid: 5"))
    expect(stream.text().match(/"type":"[^"]+"/g)).toEqual([
      '"type":"tool.started"',
      '"type":"tool.result"',
      '"type":"run.status"',
    ])
  })

  it.each(["", ",", "a b", "x".repeat(121)])("types=%s is refused", async (types) => {
    const host = await hostWith(1)
    const answer = await ask(`${host.url}/v1/sessions/${session}/facts?types=${encodeURIComponent(types)}`)
    expect(answer).toMatchObject({
      status: 400,
      json: { refusal: { code: "invalid_input", field: "types" } },
    })
  })
})

describe("all sessions", () => {
  const all = async (host: TestHost, query = "", headers = {}) => {
    const stream = await openStream(`${host.url}/v1/facts${query}`, headers)
    ends.push(() => stream.cut())
    return stream
  }

  it("come by position, history and live, and resume after any of them", async () => {
    const host = await hostWith(2)
    await appendFacts(host, "ses_other", 2)
    const stream = await all(host)
    await stream.until(() => stream.ids().length === 4)
    await appendFacts(host, session, 1)
    await stream.until(() => stream.ids().length === 5)
    expect(stream.ids()).toEqual(upTo(5))
    const later = await all(host, "?after=1", { "last-event-id": "3" })
    await later.until(() => later.ids().length === 2)
    expect(later.ids()).toEqual([4, 5])
  })

  it("of one workspace are told alone", async () => {
    const host = await startTestHost({ workspace: "/work/a" })
    ends.push(() => host.stop())
    const { session_id = "" } = await result(
      command(host.url, "submit_turn", { create: "session", input: saying("hi") }),
    )
    await appendFacts(host, "ses_elsewhere", 3)
    await factOf(host, session_id, "turn.completed")
    const stream = await all(host, `?workspace=${encodeURIComponent("/work/a")}`)
    await stream.until(() => stream.text().includes("turn.completed"))
    expect(stream.text()).not.toContain("filling")
    const { json } = await ask(`${host.url}/v1/sessions?workspace=${encodeURIComponent("/work/a")}`)
    expect(json).toMatchObject({ result: { sessions: [{ session_id, workspace: "/work/a" }] } })
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
    const said = vi.spyOn(console, "error").mockReturnValue(undefined)
    ends.push(() => said.mockRestore())
    async function* tail(): AsyncGenerator<PlacedFact[]> {
      yield page(0, 1, 10)
      throw new Error("the disk is gone")
    }
    const { stream } = await followed({}, { head: 0, read: () => [], tail })
    await stream.ended
    expect(stream.response.complete).toBe(false)
    expect(said).toHaveBeenCalledExactlyOnceWith(new Error("the disk is gone"))
  })
})

type Played = {
  head: number
  read: (after: number, limit: number) => PlacedFact[]
  tail?: (signal: AbortSignal) => AsyncIterable<PlacedFact[]>
}

/** A stream alone behind a real server, on a log that the test plays. */
async function followed(
  pace: Partial<Pace>,
  played: Played,
  onOpen?: (stream: FactStream) => void,
  view = factEvents,
) {
  let answering: ServerResponse | undefined
  let writes = 0
  let following: Promise<void> | undefined
  const feeds = new Feeds({ ...usualPace, heartbeatMs: anHour, ...pace }, new AbortController().signal)
  const source: Source = {
    key: "played",
    at: ({ sequence }) => sequence,
    head: () => played.head,
    read: played.read,
    tail: (_, signal) => played.tail?.(signal) ?? silent(signal),
  }
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
    following = streamEvents(feeds, source, view, 0, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  ends.push(() => new Promise((resolve) => server.close(resolve)))
  const stream = await openStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  onOpen?.(stream)
  ends.push(() => stream.cut())
  return { stream, outgoing, writes: () => writes, done: () => following, feeds }
}

function oneByOne(count: number): Played {
  async function* tail(signal: AbortSignal) {
    for (let i = 0; i < count; i++) {
      yield page(i, 1, 10)
      await new Promise(setImmediate)
    }
    yield* silent(signal)
  }
  return { head: 0, read: () => [], tail }
}

async function* silent(signal: AbortSignal): AsyncGenerator<PlacedFact[]> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve))
}

function page(after: number, count: number, size: number): PlacedFact[] {
  return upTo(after + count, after + 1).map((sequence) => ({
    stream: session,
    sequence,
    position: sequence,
    text: JSON.stringify({
      type: "runtime.warning",
      event_id: `evt_${sequence}`,
      timestamp: "2026-01-01T00:00:00.000Z",
      sequence,
      schema_version: 1,
      session_id: session,
      payload: { code: "filled", message: "x".repeat(size), affected: [] },
    }),
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
