import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { appendFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  cassetteModel,
  digestOf,
  parseCassette,
  recordingModel,
  type Take,
} from "../../src/adapters/models/cassette.ts"
import { createRedactor, type Model, type ModelCall, type ModelChunk } from "../../src/index.ts"
import { listen, modelOf } from "./asking.ts"
import { type Reply, serve } from "./server.ts"
import { dialects } from "./wire.ts"

const secret = "hunter2-hunter2"
const redactor = createRedactor({ password: secret })
let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cassette-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

function takesIn(text: string): readonly Take[] {
  const parsed = parseCassette(text)
  if (!parsed.ok) throw new Error(`line ${parsed.line}: ${parsed.message}`)
  return parsed.takes
}

function said(...chunks: readonly ModelChunk[]): Model {
  return {
    provider: "p",
    name: "m",
    async *stream() {
      yield* chunks
    },
  }
}

async function recorded(model: Model, call: Partial<ModelCall> = {}) {
  let text = ""
  const write = async (more: string) => {
    text += more
  }
  const given = await listen(recordingModel(model, { redactor, write }), call)
  return { given, text }
}

const finish: ModelChunk = { kind: "finish", finish: "stop", usage: { input_tokens: 1, output_tokens: 2 } }
const text = (part_id: string, text: string): ModelChunk => ({ kind: "text", part_id, text })

describe("a cassette", () => {
  it.each(dialects)("plays what $name said, without a network", async ({ config, frames }) => {
    const path = join(folder, "tape.jsonl")
    const reply: Reply = {
      frames: frames([{ text: ["Hel", "lo"] }, { call: "c1", tool: "read", pieces: ['{"a"', ":1}"] }]),
    }
    await using server = await serve(reply)
    const model = modelOf(config(server.url))
    const recording = recordingModel(model, { redactor, write: (more) => appendFile(path, more) })
    const live = await listen(recording)
    const replay = cassetteModel(takesIn(readFileSync(path, "utf8")), { redactor })
    expect(replay).toMatchObject({ provider: model.provider, name: "m" })
    expect(await listen(replay)).toEqual(live)
    expect(server.received).toHaveLength(1)
  })

  it("keeps a secret out that the borders of chunks cut in two", async () => {
    const { given, text: tape } = await recorded(
      said(text("p1", "It is hun"), text("p2", "other"), text("p1", "ter2-hunter2."), finish),
    )
    expect(given.filter(({ kind }) => kind === "text")).toHaveLength(3)
    expect(tape).not.toContain("hunter2")
    expect(takesIn(tape)[0]?.chunks).toEqual([
      text("p1", "It is [redacted:password]."),
      text("p2", "other"),
      finish,
    ])
  })

  it("keeps secrets out of arguments, reasons, replays and questions", async () => {
    const call: ModelChunk = { kind: "tool_call", part_id: "p1", call_id: "c", tool: "t", arguments: secret }
    const { text: tape } = await recorded(said(call, { ...finish, replay: secret }), {
      messages: [{ role: "user", parts: `my password is ${secret}` }],
    })
    const error = { kind: "error", category: "provider_error", reason: secret, retryable: false } as const
    const { text: failed } = await recorded(said(error))
    expect(tape + failed).not.toContain(secret)
    expect(takesIn(tape)[0]).toMatchObject({ asked: "my password is [redacted:password]" })
    expect(takesIn(failed)[0]?.chunks).toMatchObject([{ reason: "[redacted:password]" }])
  })

  it("[RT-MOD-3] keeps a cut answer cut", async () => {
    const { text: tape } = await recorded(said(text("p1", "Hel")))
    expect(await listen(cassetteModel(takesIn(tape), { redactor }))).toEqual([text("p1", "Hel")])
  })

  it("does not keep an answer that was stopped from here", async () => {
    const signal = AbortSignal.abort()
    expect(await recorded(said(text("p1", "Hel")), { signal })).toMatchObject({ text: "" })
  })

  it("says when it cannot be written", async () => {
    const write = () => Promise.reject(new Error("disk full"))
    expect(await listen(recordingModel(said(finish), { redactor, write }))).toMatchObject([
      { kind: "error", retryable: false, reason: "The cassette could not be written: disk full" },
    ])
  })

  it("finds the take of the same question, whatever the order, each once", async () => {
    const ask = (words: string) => ({ messages: [{ role: "user" as const, parts: words }] })
    const one = await recorded(said(text("p1", "1"), finish), ask("one"))
    const two = await recorded(said(text("p1", "2"), finish), ask("two"))
    const again = await recorded(said(text("p1", "1b"), finish), ask("one"))
    const model = cassetteModel(takesIn(one.text + two.text + again.text), { redactor })
    expect(await listen(model, ask("two"))).toEqual([text("p1", "2"), finish])
    expect(await listen(model, ask("one"))).toEqual([text("p1", "1"), finish])
    expect(await listen(model, ask("one"))).toEqual([text("p1", "1b"), finish])
    expect(await listen(model, ask("one"))).toMatchObject([{ kind: "error", retryable: false }])
  })

  it("accepts the files that were part of its questions, and no others", async () => {
    const image = { kind: "file" as const, media_type: "image/png", bytes: new Uint8Array([1]) }
    const recording = recordingModel(
      { ...said(finish), accepts: (type) => type === "image/png" },
      { redactor, write: async () => {} },
    )
    expect([recording.accepts?.("image/png"), recording.accepts?.("audio/wav")]).toEqual([true, false])
    const { text: tape } = await recorded(said(text("p1", "1"), finish), {
      messages: [{ role: "user", parts: [image] }],
    })
    expect(takesIn(tape)[0]?.files).toEqual(["image/png"])
    const played = cassetteModel(takesIn(tape), { redactor })
    expect([played.accepts?.("image/png"), played.accepts?.("audio/wav")]).toEqual([true, false])
  })

  it("plays in order when it shall not look at the question", async () => {
    const tape = (await recorded(said(text("p1", "1"), finish))).text
    const model = cassetteModel(takesIn(tape), { redactor, match: "order" })
    expect(await listen(model, { system: "something else" })).toEqual([text("p1", "1"), finish])
  })

  it("stops with the signal", async () => {
    const tape = (await recorded(said(text("p1", "1"), finish))).text
    expect(await listen(cassetteModel(takesIn(tape), { redactor }), { signal: AbortSignal.abort() })).toEqual(
      [],
    )
  })

  it.each([
    ["no JSON", '{"request":{"digest":"d","provider":"p","model":"m"}}\nnope', 2],
    ["no chunk", '{"request":{"digest":"d","provider":"p","model":"m"}}\n\n{"kind":"dance"}', 3],
    ["a chunk first", '// hello\n{"kind":"text","part_id":"p","text":"x"}', 2],
  ])("refuses %s and names the line", (_, tape, line) => {
    expect(parseCassette(tape)).toMatchObject({ ok: false, line })
  })
})

describe("the digest of a request", () => {
  const base: ModelCall = {
    model: "m",
    messages: [
      { role: "user", parts: [{ kind: "file", media_type: "image/png", bytes: new Uint8Array([1]) }] },
    ],
    signal: new AbortController().signal,
    tools: [{ name: "t", description: "d", input_schema: { type: "object", title: "x" } }],
  }
  const digest = (call: ModelCall) => digestOf(call, redactor)

  it("does not depend on the order of keys, on replays, or on secrets", () => {
    const tools = [{ input_schema: { title: "x", type: "object" }, name: "t", description: "d" }]
    expect(digest({ ...base, tools })).toBe(digest(base))
    const messages = base.messages.map((message) => ({ ...message, replay: "x" }))
    expect(digest({ ...base, messages })).toBe(digest(base))
    expect(digest({ ...base, system: secret })).toBe(digest({ ...base, system: "[redacted:password]" }))
  })

  it.each([
    ["system", { system: "x" }],
    ["temperature", { temperature: 1 }],
    ["tools", { tools: [] }],
    [
      "bytes",
      {
        messages: [
          { role: "user", parts: [{ kind: "file", media_type: "image/png", bytes: new Uint8Array([2]) }] },
        ],
      },
    ],
  ] as const)("depends on %s", (_, change) => {
    expect(digest({ ...base, ...change })).not.toBe(digest(base))
  })
})
