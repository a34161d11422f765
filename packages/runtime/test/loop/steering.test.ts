import { applyFacts, emptySession, sessionSnapshot, supersededBy } from "@factum/facts"
import { expect, test } from "vitest"
import type { ModelCall } from "../../src/ports/model.ts"
import { done, ends, facts, handModel, openRuntime, refused, submit, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of, reader } from "./given.ts"

const text = (words: string) => [{ kind: "text", text: words }]
const steer = (words: string) => ({ input: text(words), when: "steer" })
/** Who said what, in order. */
const told = (call: ModelCall | undefined) =>
  call?.messages.map(({ role, parts }) => {
    if (typeof parts === "string") return [role, parts]
    return [role, ...parts.map((part) => (part.kind === "text" ? part.text : part.kind))]
  })

test("[RT-CMD-7] input for the active turn is told in its next request, after the answer that it came into", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id, thread_id, turn_id } = await submit(runtime, "Write a poem")
  const first = await call(0)
  first.text("Roses")
  await until(runtime, session_id, ends("model.delta"))
  const answer = await done(runtime, "submit_turn", { session_id, ...steer("About the sea") })
  expect(answer).toEqual({ session_id, thread_id, turn_id, status: "steered" })
  first.finish()
  const second = await call(1)
  expect(second.messages).toEqual([
    { role: "user", parts: text("Write a poem") },
    { role: "assistant", parts: "Roses" },
    { role: "user", parts: text("About the sea") },
  ])
  second.text("Waves")
  second.finish()
  const all = await until(runtime, session_id, ends("turn.completed"))
  expect(
    [of(all, "turn.submitted"), of(all, "turn.started"), of(all, "turn.completed")].map((one) => one.length),
  ).toEqual([1, 1, 1])
})

test("input that comes into an answer which is then cut is answered, and the cut calls are not executed", async () => {
  const { model, call } = handModel()
  const write = fakeTool("write")
  const { runtime } = await openRuntime(model, { agent: agentWith([write]) })
  const { session_id } = await submit(runtime, "Write all of it")
  const first = await call(0)
  first.text("All")
  await until(runtime, session_id, ends("model.delta"))
  await done(runtime, "submit_turn", { session_id, ...steer("Only the title") })
  const usage = { input_tokens: 1, output_tokens: 1 }
  first.give(
    { kind: "tool_call", part_id: "c", call_id: "c", tool: "write", arguments: '{"path":"a"}' },
    { kind: "finish", finish: "length", usage },
  )
  const second = await call(1)
  expect(JSON.stringify(second.messages)).toContain("the answer that asked for it was cut off")
  second.text("Waves")
  second.finish()
  await until(runtime, session_id, ends("turn.completed"))
  expect(write.runs).toEqual([])
})

test("a steer adds nothing to the queue, and a queued turn nothing to the active one", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id, turn_id } = await submit(runtime, "First")
  await call(0)
  const queued = await submit(runtime, "Second", { session_id, when: "queue" })
  expect(queued.status).toBe("queued")
  await done(runtime, "submit_turn", { session_id, ...steer("Also this") })
  const changes = of(facts(runtime, session_id), "queue.changed")
  expect(changes.map(({ turn_id: of, payload }) => [of, payload.change, payload.order])).toEqual([
    [undefined, "enqueued", [expect.objectContaining({ turn_id: queued.turn_id })]],
    [turn_id, "steered", [expect.objectContaining({ turn_id: queued.turn_id })]],
  ])
  expect(changes[1]?.payload.steer).toEqual({ input: text("Also this"), source: "client" })
  const all = facts(runtime, session_id)
  const { state } = applyFacts(emptySession, all, supersededBy(all))
  const inputs = sessionSnapshot(state).recent.filter(({ kind }) => kind === "input")
  expect(inputs.map((one) => [one.turn_id, "steered" in one])).toEqual([
    [turn_id, false],
    [turn_id, true],
    [queued.turn_id, false],
  ])
})

test("said while a tool runs, it comes after the tool's result", async () => {
  let begun = () => {}
  let release = () => {}
  const running = new Promise<void>((resolve) => {
    begun = resolve
  })
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const look = reader("look", {
    async does() {
      begun()
      await gate
      return { ok: true, output: "seen" }
    },
  })
  const { model, calls } = linesModel([{ calls: [{ id: "c", tool: "look" }] }, { text: "Done." }])
  const { runtime } = await openRuntime(model, { agent: agentWith([look]) })
  const { session_id } = await submit(runtime, "Look")
  await running
  await done(runtime, "submit_turn", { session_id, ...steer("Only the top") })
  release()
  await until(runtime, session_id, ends("turn.completed"))
  expect(told(calls[1])).toEqual([
    ["user", "Look"],
    ["assistant", "tool_call"],
    ["tool", "tool_result"],
    ["user", "Only the top"],
  ])
  expect(calls).toHaveLength(2)
})

test("an agent that declares is told it as a request of its own", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model, { agent: agentWith([], { protocol: true }) })
  const { session_id } = await submit(runtime, "Write a poem")
  const first = await call(0)
  await done(runtime, "submit_turn", { session_id, ...steer("About the sea") })
  first.text("Roses")
  first.finish()
  const second = await call(1)
  const [message] = second.messages as ModelCall["messages"]
  expect(String(message?.parts).match(/## (User request|Assistant answer)\n\n(.*)/g)).toEqual([
    "## User request\n\nWrite a poem",
    "## Assistant answer\n\nRoses",
    "## User request\n\nAbout the sea",
  ])
  second.finish()
  await until(runtime, session_id, ends("turn.completed"))
})

test("[RT-ACT-2] a steer that reads like consent answers nothing", async () => {
  const write = fakeTool("write")
  const { model } = linesModel([{ calls: [{ id: "c", tool: "write" }] }])
  const { runtime } = await openRuntime(model, { agent: agentWith([write], asking) })
  const { session_id } = await submit(runtime, "Write")
  await until(runtime, session_id, ends("action.required"))
  await done(runtime, "submit_turn", { session_id, ...steer("Yes, allow it") })
  expect(of(facts(runtime, session_id), "action.resolved")).toEqual([])
  expect(write.runs).toEqual([])
})

test("it survives a restart", async () => {
  const write = fakeTool("write")
  const lines = [{ calls: [{ id: "c", tool: "write" }] }]
  const before = await openRuntime(linesModel(lines).model, { agent: agentWith([write], asking) })
  const { session_id } = await submit(before.runtime, "Write")
  const all = await until(before.runtime, session_id, ends("action.required"))
  await done(before.runtime, "submit_turn", { session_id, ...steer("In blue") })
  await before.runtime.close()
  const { model, calls } = linesModel([{ text: "Done." }])
  const { directory } = before
  const { runtime } = await openRuntime(model, { directory, agent: agentWith([write], asking) })
  const action_id = all.find(({ type }) => type === "action.required")?.action_id
  await done(runtime, "respond_action", { action_id, decision: "allow" })
  await until(runtime, session_id, ends("turn.completed"))
  expect(told(calls[0])?.at(-1)).toEqual(["user", "In blue"])
})

test("the limit of requests ends also a turn that is steered", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model, { agent: agentWith([], { most_requests: 1 }) })
  const { session_id } = await submit(runtime, "Go")
  const first = await call(0)
  await done(runtime, "submit_turn", { session_id, ...steer("On") })
  first.text("a")
  first.finish()
  const all = await until(runtime, session_id, ends("turn.failed"))
  expect(of(all, "turn.failed")[0]?.payload.category).toBe("step_limit")
})

test("[RT-CMD-3] a steer without an active turn is refused and leaves no trace", async () => {
  const { model } = linesModel([{ text: "Hi." }])
  const { runtime } = await openRuntime(model)
  const { session_id, turn_id } = await submit(runtime, "Hello")
  await until(runtime, session_id, ends("turn.completed"))
  const head = runtime.log.head(session_id)
  const body = (more: object) => ({ input: { session_id, ...steer("More"), ...more } })
  const none = await refused(runtime, "submit_turn", body({}))
  expect([none.code, none.state, none.field]).toEqual(["wrong_state", "idle", "input.when"])
  expect((await refused(runtime, "submit_turn", body({ turn_id }))).code).toBe("wrong_state")
  expect((await refused(runtime, "submit_turn", body({ create: "thread" }))).code).toBe("invalid_input")
  expect((await refused(runtime, "submit_turn", body({ thread_id: "thr_none" }))).code).toBe("not_found")
  expect((await refused(runtime, "submit_turn", body({ session_id: "ses_none" }))).code).toBe("not_found")
  expect((await refused(runtime, "submit_turn", body({ context: [{ path: "a" }] }))).code).toBe(
    "invalid_input",
  )
  expect(runtime.log.head(session_id)).toBe(head)
})

test("a steer that means another turn than the active one is refused", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id, turn_id } = await submit(runtime, "First")
  await call(0)
  const { turn_id: other } = await submit(runtime, "Second", { session_id })
  const wrong = await refused(runtime, "submit_turn", {
    input: { session_id, ...steer("x"), turn_id: other },
  })
  expect([wrong.code, wrong.state]).toEqual(["wrong_state", "active"])
  const right = await done(runtime, "submit_turn", { session_id, ...steer("x"), turn_id })
  expect(right.turn_id).toBe(turn_id)
})

test("[RT-CMD-4] the same steer under one command id is taken once", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id } = await submit(runtime, "First")
  await call(0)
  const input = { session_id, ...steer("Again") }
  const first = await done(runtime, "submit_turn", input, "cmd_1")
  expect(await done(runtime, "submit_turn", input, "cmd_1")).toEqual(first)
  expect(of(facts(runtime, session_id), "queue.changed")).toHaveLength(1)
})

test.each([
  [
    "a path of the machine",
    { input: [{ kind: "image", ref: { uri: "file:///etc/passwd", kind: "blob" } }] },
    "not_permitted",
  ],
  [
    "bytes in a ref",
    { input: [{ kind: "image", ref: { uri: "data:text/plain,x", kind: "blob" } }] },
    "invalid_input",
  ],
  [
    "a blob that is not there",
    { input: [{ kind: "image", ref: { uri: `blob:sha256:${"0".repeat(64)}`, kind: "blob" } }] },
    "not_found",
  ],
  ["a text that is too long", { input: text("x".repeat(262_145)) }, "too_large"],
  ["options, which it could not heed", { input: text("Go"), options: { mode: "plan" } }, "invalid_input"],
])("[RT-CMD-7] a steer is refused with %s", async (_, wrong, code) => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id } = await submit(runtime, "First")
  await call(0)
  const before = facts(runtime, session_id).length
  const refusal = await refused(runtime, "submit_turn", { input: { session_id, when: "steer", ...wrong } })
  expect(refusal.code).toBe(code)
  expect(facts(runtime, session_id)).toHaveLength(before)
})
