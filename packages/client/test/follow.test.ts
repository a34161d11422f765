import fc from "fast-check"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Fact } from "../src/facts.ts"
import { type Connection, factsOf, follow as followStream } from "../src/follow.ts"
import { backoff } from "../src/pause.ts"
import { createEventParser } from "../src/server-events.ts"

const cutAt = (text: string, places: readonly number[]): string[] => {
  const marks = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...marks].map((from, at) => text.slice(from, marks[at] ?? text.length))
}

describe("the event parser", () => {
  const value = fc.string({ unit: "grapheme" }).map((s) => s.replace(/[\r\n\0]/g, ""))
  const event = fc.record({
    id: fc.nat().map(String),
    lines: fc.array(value, { minLength: 1, maxLength: 3 }),
  })
  const lineEnd = fc.constantFrom("\n", "\r\n", "\r")

  it("gives the same events wherever the text is cut", () => {
    fc.assert(
      fc.property(fc.array(event), lineEnd, fc.array(fc.nat()), (events, end, places) => {
        const frames = events.map(({ id, lines }) => {
          const data = lines.map((line) => `data: ${line}${end}`).join("")
          return `: ping${end}${end}id: ${id}${end}${data}${end}`
        })
        // The last line end may be half of a CRLF; a comment settles it.
        const parse = createEventParser()
        const got = cutAt(`${frames.join("")}: end`, places).flatMap(parse)
        expect(got).toEqual(events.map(({ id, lines }) => ({ id, data: lines.join("\n") })))
      }),
    )
  })

  it("takes one space off a value and knows a field without a colon", () => {
    expect(createEventParser()("data:  two\ndata\ndata:none\n\n")).toEqual([{ id: "", data: " two\n\nnone" }])
  })

  it("keeps an event that is not ended", () => {
    const parse = createEventParser()
    expect(parse("id: 7\ndata: a\n")).toEqual([])
    expect(parse("\n")).toEqual([{ id: "7", data: "a" }])
  })
})

describe("waiting before an attempt", () => {
  it("doubles up to four seconds and takes off at most a quarter", () => {
    expect([0, 1, 2, 3, 4, 9].map((n) => backoff(n, 0))).toEqual([250, 500, 1000, 2000, 4000, 4000])
    expect(backoff(2, 1)).toBe(750)
  })
})

describe("following facts", () => {
  const facts = ["session.created", "thread.started", "turn.submitted"].map((type, at) => ({
    type,
    sequence: at + 1,
    payload: { text: "Ä 你好 🙂" },
  })) as unknown as Fact[]
  const frames = (some: readonly Fact[]) =>
    some.map((fact) => `id: ${fact.sequence}\ndata: ${JSON.stringify(fact)}\n\n`).join("")

  /** Answers each request with the next of `replies`; ends the follower when they are used up. */
  function follow(replies: (() => Response | Promise<Response>)[], options: { quiet?: number } = {}) {
    const ending = new AbortController()
    const asked: string[] = []
    const connections: Connection["state"][] = []
    const got: Fact[] = []
    const fetcher: typeof fetch = async (url, init) => {
      asked.push(String(url))
      const reply = replies.shift()
      if (reply === undefined) {
        ending.abort()
        throw new Error("no more")
      }
      const response = await reply()
      // A fetch that was aborted breaks its body too, as the browser's does.
      init?.signal?.addEventListener("abort", () => abortBody.get(response)?.())
      return response
    }
    const done = followStream(
      factsOf({
        session_id: "ses_1",
        token: "secret",
        after: 0,
        onFacts: (some) => got.push(...some),
        onConnection: ({ state }) => connections.push(state),
        fetcher,
        pause: () => Promise.resolve(),
        ...options,
      }),
      ending.signal,
    )
    return done.then(() => ({ asked, connections, got }))
  }
  const abortBody = new WeakMap<Response, () => void>()
  const url = (after: number) => `/v1/sessions/ses_1/facts?after=${after}`

  it("resumes after the last fact that arrived, also from a stream cut inside of one", async () => {
    const all = frames(facts)
    const { asked, got, connections } = await follow([
      () => new Response(all.slice(0, all.indexOf("id: 2") + 40)),
      () => new Response(frames(facts.slice(1))),
    ])
    expect(asked).toEqual([url(0), url(1), url(3)])
    expect(got).toEqual(facts)
    expect(connections).toEqual(["connecting", "live", "lost", "live", "lost"])
  })

  it("joins characters whose bytes came apart", async () => {
    const bytes = new TextEncoder().encode(frames(facts))
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const { got } = await follow([() => new Response(body)])
    expect(got).toEqual(facts)
  })

  it.each([401, 404, 422])("a refusal with %i ends it", async (status) => {
    const { asked, connections } = await follow([() => new Response("{}", { status })])
    expect(asked).toHaveLength(1)
    expect(connections).toEqual(["connecting", "refused"])
  })

  it.each([500, 503])("an answer with %i is a lost connection, tried again", async (status) => {
    const { asked, got } = await follow([
      () => new Response("", { status }),
      () => new Response(frames(facts)),
    ])
    expect(asked).toEqual([url(0), url(0), url(3)])
    expect(got).toEqual(facts)
  })

  it("a network error is a lost connection, tried again", async () => {
    const { got, connections } = await follow([
      () => Promise.reject(new TypeError("failed")),
      () => new Response(frames(facts)),
    ])
    expect(got).toEqual(facts)
    expect(connections).toEqual(["connecting", "lost", "live", "lost"])
  })

  it("a stream that stays quiet too long is dead", async () => {
    const silent = () => {
      let close = () => {}
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          close = () => controller.error(new Error("aborted"))
        },
      })
      const response = new Response(body)
      abortBody.set(response, () => close())
      return response
    }
    const { asked, got } = await follow([silent, () => new Response(frames(facts))], { quiet: 5 })
    expect(asked).toEqual([url(0), url(0), url(3)])
    expect(got).toEqual(facts)
  })

  it("what a callback throws reaches the caller, and nothing is taken for read", async () => {
    const asked: string[] = []
    const follow = (wrong: Partial<Parameters<typeof factsOf>[0]>) =>
      followStream(
        factsOf({
          session_id: "ses_1",
          token: "",
          after: 0,
          onFacts: () => undefined,
          onConnection: () => undefined,
          fetcher: async (url) => {
            asked.push(String(url))
            return new Response(frames(facts))
          },
          ...wrong,
        }),
        new AbortController().signal,
      )
    const fails = () => {
      throw new Error("my own mistake")
    }
    await expect(follow({ onFacts: fails })).rejects.toThrow("my own mistake")
    await expect(follow({ onConnection: ({ state }) => state === "live" && fails() })).rejects.toThrow(
      "my own mistake",
    )
    expect(asked).toEqual([url(0), url(0)])
  })

  it("an event that is no JSON is a break, tried again", async () => {
    const { asked, got } = await follow([
      () => new Response(`${frames(facts.slice(0, 1))}id: 9\ndata: {\n\n`),
      () => new Response(frames(facts)),
    ])
    expect(asked).toEqual([url(0), url(0), url(3)])
    expect(got).toEqual(facts)
  })

  it("a stream that says something now and then lives on, and is left when it stops", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let say = (_: string) => {}
    let cut = 0
    let abort = () => {}
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        say = (text) => controller.enqueue(new TextEncoder().encode(text))
        abort = () => {
          cut++
          controller.error(new Error("aborted"))
        }
      },
    })
    const response = new Response(body)
    abortBody.set(response, () => abort())
    const followed = follow([() => response])
    for (let minute = 0; minute < 3; minute++) {
      await vi.advanceTimersByTimeAsync(39_000)
      say(": ping\n\n")
    }
    await vi.advanceTimersByTimeAsync(39_000)
    expect(cut).toBe(0)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(cut).toBe(1)
    expect((await followed).connections).toEqual(["connecting", "live", "lost"])
  })
})
