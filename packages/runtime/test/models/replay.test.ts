import { describe, expect, it } from "vitest"
import { offerOf } from "../../src/routing/index.ts"
import { done, ends, submit, temporaryDirectory, until } from "../harness.ts"
import { agentWith, asking, fakeTool, of, reader } from "../loop/given.ts"
import { openModels } from "../loop/models.ts"
import { modelOf } from "./asking.ts"
import { type Reply, serve } from "./server.ts"
import { type Dialect, dialects, type Said } from "./wire.ts"

const named = (name: string): Dialect => {
  const dialect = dialects.find((one) => one.name === name)
  if (dialect === undefined) throw new Error(`no dialect ${name}`)
  return dialect
}
const thinks: readonly Said[] = [
  { reasoning: ["Let me", " think"] },
  { hidden: "unseen" },
  { call: "c1", tool: "look", pieces: ["{}"] },
]
const first = ({ frames }: Dialect): Reply => ({ frames: frames(thinks) })
const last = ({ frames }: Dialect): Reply => ({ frames: frames([{ text: ["Done"] }]) })
/** What only the model that gave it can read. */
const marks = /signed|sealed|unseen|Let me think/

/** The part of a second request that says again what was thought, by dialect. */
const again: Readonly<Record<string, unknown>> = {
  "anthropic messages": {
    messages: [
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Let me think", signature: "signed" },
          { type: "redacted_thinking", data: "unseen" },
          { type: "tool_use", id: "c1", name: "look" },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1" }] },
    ],
  },
  "openai responses": {
    store: false,
    input: [
      { role: "user" },
      { type: "reasoning", encrypted_content: "sealed" },
      { type: "function_call", call_id: "c1" },
      { type: "function_call_output", call_id: "c1" },
    ],
  },
  google: {
    contents: [
      { role: "user" },
      {
        role: "model",
        parts: [
          { text: "Let me think", thought: true },
          { functionCall: { name: "look" }, thoughtSignature: "signed" },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: "look" } }] },
    ],
  },
}
const signing = dialects.filter(({ name }) => again[name] !== undefined)
const open = dialects.filter(({ name }) => again[name] === undefined)

const agent = agentWith([reader("look")])

describe("signed reasoning", () => {
  it.each(signing)("goes back to $name with what its call gave, and nowhere else", async (dialect) => {
    await using server = await serve(first(dialect), last(dialect), last(dialect))
    const { runtime, store } = await openModels([offerOf(modelOf(dialect.config(server.url)))], { agent })
    const { session_id, thread_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(server.received[1]?.body).toMatchObject(again[dialect.name] ?? {})

    const [completed] = of(seen, "model.completed")
    const ref = completed?.payload.replay_ref
    const [digest = ""] = /sha256:[0-9a-f]{64}/.exec(JSON.stringify(ref)) ?? []
    expect(ref).toMatchObject({ uri: `blob:${digest}`, digest, kind: "provider" })
    expect(Buffer.from(store.blobs.get(digest) ?? []).toString()).toMatch(marks)
    // A fact says what was thought where it may be seen, and nothing of the seals.
    expect(JSON.stringify(seen)).not.toMatch(/"signed"|sealed|unseen/)

    await submit(runtime, "And now?", { session_id, thread_id })
    await until(runtime, session_id, ends("turn.completed", 2))
    expect(JSON.stringify(server.received[2]?.body)).not.toMatch(marks)
  })

  it.each(open)("is none where $name signs none", async (dialect) => {
    await using server = await serve(first(dialect), last(dialect))
    const { runtime } = await openModels([offerOf(modelOf(dialect.config(server.url)))], { agent })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "model.completed")[0]?.payload.replay_ref).toBeUndefined()
    expect(server.received[1]?.body.messages).toMatchObject([{}, { tool_calls: [{ id: "c1" }] }, {}])
    expect(JSON.stringify(server.received[1]?.body)).not.toMatch(marks)
  })

  it.each(signing)("goes back to $name after a restart of the runtime", async (dialect) => {
    await using server = await serve(first(dialect), last(dialect))
    const directory = temporaryDirectory()
    const asked = agentWith([fakeTool("look")], asking)
    const more = { directory, agent: asked }
    const offers = () => [offerOf(modelOf(dialect.config(server.url)))]
    const before = await openModels(offers(), more)
    const { session_id } = await submit(before.runtime, "Go")
    const waiting = await until(before.runtime, session_id, ends("action.required"))
    await before.runtime.close()

    const after = await openModels(offers(), more)
    const action_id = of(waiting, "action.required")[0]?.action_id
    await done(after.runtime, "respond_action", { action_id, decision: "allow" })
    await until(after.runtime, session_id, ends("turn.completed"))
    expect(server.received).toHaveLength(2)
    expect(server.received[1]?.body).toMatchObject(again[dialect.name] ?? {})
  })

  const changes = signing.flatMap((from) => [
    { from, to: from, model: "n", how: "another model of it" },
    ...dialects.filter((to) => to !== from).map((to) => ({ from, to, model: "m", how: to.name })),
  ])
  it.each(changes)("of $from.name is not told to $how after a change", async ({ from, to, model }) => {
    const refusal = { status: 400, frames: [JSON.stringify(from.refusal("No."))] }
    await using one = await serve(first(from), refusal)
    await using other = await serve(last(to))
    const offers = [
      offerOf(modelOf({ ...from.config(one.url), name: "first" })),
      offerOf(modelOf({ ...to.config(other.url), name: from === to ? "first" : "second", model })),
    ]
    const { runtime } = await openModels(offers, { agent })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(JSON.stringify(one.received[1]?.body)).toMatch(/signed|sealed/)
    expect(other.received).toHaveLength(1)
    expect(JSON.stringify(other.received[0]?.body)).toContain("look done")
    expect(JSON.stringify(other.received[0]?.body)).not.toMatch(marks)
  })

  it("is not told to another dialect that has taken its provider's name", async () => {
    const [from, to] = [named("anthropic messages"), named("openai-compatible chat")]
    await using one = await serve(first(from))
    await using other = await serve(last(to))
    const directory = temporaryDirectory()
    const more = { directory, agent: agentWith([fakeTool("look")], asking) }
    const before = await openModels([offerOf(modelOf({ ...from.config(one.url), name: "p" }))], more)
    const { session_id } = await submit(before.runtime, "Go")
    const waiting = await until(before.runtime, session_id, ends("action.required"))
    await before.runtime.close()

    const after = await openModels([offerOf(modelOf({ ...to.config(other.url), name: "p" }))], more)
    const action_id = of(waiting, "action.required")[0]?.action_id
    await done(after.runtime, "respond_action", { action_id, decision: "allow" })
    await until(after.runtime, session_id, ends("turn.completed"))
    expect(other.received).toHaveLength(1)
    expect(JSON.stringify(other.received[0]?.body)).not.toMatch(marks)
  })

  it("with a secret in it is not kept: the model hears the masked parts", async () => {
    const dialect = named("anthropic messages")
    const secret = 'hun"ter2-hunter2'
    const said: readonly Said[] = [
      { reasoning: ["The password is ", secret] },
      { call: "c1", tool: "look", pieces: ["{}"] },
    ]
    await using server = await serve({ frames: dialect.frames(said) }, last(dialect))
    const model = modelOf(dialect.config(server.url))
    const { runtime } = await openModels([offerOf(model)], { agent, secrets: { password: secret } })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "model.completed")[0]?.payload.replay_ref).toBeUndefined()
    expect(server.received[1]?.body.messages).toMatchObject([
      {},
      { role: "assistant", content: [{ type: "tool_use", id: "c1" }] },
      {},
    ])
    expect(JSON.stringify([seen, server.received[1]?.body])).not.toContain("ter2-hunter2")
  })
})
