import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { builtinTools } from "../../src/adapters/tools/index.ts"
import { type Runtime, speaker } from "../../src/index.ts"
import { delegating, hand } from "../delegation/given.ts"
import {
  done,
  ends,
  facts,
  handModel,
  openRuntime,
  refused,
  submit,
  temporaryDirectory,
  until,
} from "../harness.ts"
import { agentWith, fakeTool, linesModel, of, reader } from "../loop/given.ts"

const back = "x-factum.roll_back_thread"

async function say(runtime: Runtime, words: string, session_id?: string) {
  const turn = await submit(runtime, words, session_id === undefined ? {} : { session_id })
  await until(runtime, turn.session_id, (all) =>
    all.some((fact) => fact.turn_id === turn.turn_id && /turn.(completed|failed)/.test(fact.type)),
  )
  return turn
}

test("[RT-CTX-4] rolled back over a file write: it is listed as not undone, the log is intact, the model told no more", async () => {
  const root = temporaryDirectory()
  const { model, calls } = linesModel([
    { text: "One." },
    { calls: [{ id: "w", tool: "write_file", args: { path: "a.txt", content: "new" } }] },
    { text: "Written." },
    { text: "Three." },
  ])
  const { runtime } = await openRuntime(model, {
    agent: (world) => ({
      ...speaker,
      tools: builtinTools(world),
      policy: { version: "1", mode: "full", rules: [] },
      workspace: { cwd: root, roots: [root] },
    }),
  })
  const first = await say(runtime, "First")
  const { session_id, thread_id } = first
  const second = await say(runtime, "Write it", session_id)
  const before = facts(runtime, session_id)
  const result = await done<Record<string, unknown>>(runtime, back, {
    session_id,
    thread_id,
    turn_id: first.turn_id,
    reason: "not this way",
  })
  expect(result).toMatchObject({ turn_ids: [second.turn_id], boundary: { turn_id: first.turn_id } })
  const call = of(before, "tool.started")[0]
  const effect = { kind: "file", tool_call_id: call?.tool_call_id, detail: expect.stringContaining("a.txt") }
  expect(result.not_undone).toEqual([effect])
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("new")

  const after = facts(runtime, session_id)
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after.slice(before.length).map(({ type }) => type)).toEqual([
    "history.rollback.started",
    "history.rollback.completed",
  ])
  expect(after.at(-1)?.payload).toMatchObject({
    boundary: { turn_id: first.turn_id },
    left: { to: before.length },
    not_undone: [effect],
  })
  const { snapshot } = await done<{ snapshot: { recent: { turn_id: string }[] } }>(runtime, "get_session", {
    session_id,
  })
  expect(new Set(snapshot.recent.map(({ turn_id }) => turn_id))).toEqual(new Set([first.turn_id]))
  await say(runtime, "Third", session_id)
  const told = JSON.stringify(calls.at(-1)?.messages)
  expect([told.includes("First"), told.includes("Write it"), told.includes("Third")]).toEqual([
    true,
    false,
    true,
  ])
})

test("[RT-CTX-4] what only looked is not listed, what may have happened is", async () => {
  const look = reader("look")
  const send = fakeTool("send", { does: () => ({ ok: false, category: "tool_error", message: "cut" }) })
  const { model } = linesModel([
    {
      calls: [
        { id: "a", tool: "look" },
        { id: "b", tool: "send" },
        { id: "c", tool: "nothing" },
      ],
    },
  ])
  const { runtime } = await openRuntime(model, { agent: agentWith([look, send]) })
  const { session_id, thread_id } = await say(runtime, "Go")
  const result = await done<{ not_undone: object[]; boundary: object }>(runtime, back, {
    session_id,
    thread_id,
    turn_id: null,
    reason: "begin anew",
  })
  expect(result.boundary).toEqual({ sequence: 0 })
  expect(result.not_undone).toEqual([
    expect.objectContaining({ kind: "external", detail: expect.stringContaining("may have had its effect") }),
  ])
})

test("[RT-CTX-4] refused while a turn in the range is active or queued; nothing is written", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id, thread_id, turn_id } = await submit(runtime, "One")
  ;(await call(0)).finish()
  await until(runtime, session_id, ends("turn.completed"))
  const second = await submit(runtime, "Two", { session_id })
  await call(1)
  const head = runtime.log.head(session_id)
  const input = { session_id, thread_id, turn_id, reason: "back" }
  const busy = await refused(runtime, back, { input })
  expect([busy.code, busy.id]).toEqual(["wrong_state", second.turn_id])
  const open = await refused(runtime, back, { input: { ...input, turn_id: second.turn_id } })
  expect(open.code).toBe("wrong_state")
  expect((await refused(runtime, back, { input: { ...input, turn_id: "trn_none" } })).code).toBe("not_found")
  expect((await refused(runtime, back, { input: { ...input, thread_id: "thr_none" } })).code).toBe(
    "not_found",
  )
  expect((await refused(runtime, back, { input: { ...input, session_id: "ses_none" } })).code).toBe(
    "not_found",
  )
  expect((await refused(runtime, back, { input: { session_id } })).code).toBe("invalid_input")
  expect(runtime.log.head(session_id)).toBe(head)
})

test("[RT-CTX-4] nothing after the boundary is nothing to roll back", async () => {
  const { model } = linesModel([])
  const { runtime } = await openRuntime(model)
  const { session_id, thread_id, turn_id } = await say(runtime, "One")
  const none = await refused(runtime, back, { input: { session_id, thread_id, turn_id, reason: "x" } })
  expect(none.code).toBe("wrong_state")
})

test("[RT-CTX-4] the read model after a restart is the same, and a repeat changes nothing", async () => {
  const { model } = linesModel([])
  const { runtime, directory } = await openRuntime(model)
  const first = await say(runtime, "One")
  const { session_id, thread_id } = first
  await say(runtime, "Two", session_id)
  const input = { session_id, thread_id, turn_id: first.turn_id, reason: "x" }
  const result = await done(runtime, back, input, "cmd_back")
  const read = async (of: Runtime) => ({
    session: await done(of, "get_session", { session_id }),
    thread: await done(of, "get_thread_read", { session_id, thread_id }),
  })
  const before = await read(runtime)
  await runtime.close()
  const again = await openRuntime(model, { directory })
  expect(await done(again.runtime, back, input, "cmd_back")).toEqual(result)
  expect(await read(again.runtime)).toEqual(before)
})

test("[RT-EVT-30] a rollback is told by its start and its end, with one id", async () => {
  const { model } = linesModel([])
  const { runtime } = await openRuntime(model)
  const { session_id, thread_id } = await say(runtime, "One")
  const { rollback_id } = await done(runtime, back, { session_id, thread_id, turn_id: null, reason: "x" })
  const all = facts(runtime, session_id).filter(({ type }) => type.startsWith("history."))
  expect(all.map(({ type, payload }) => [type, payload.rollback_id])).toEqual([
    ["history.rollback.started", rollback_id],
    ["history.rollback.completed", rollback_id],
  ])
})

test("[RT-CTX-4] what agents did to whom the work was handed is listed as not undone, under their names", async () => {
  const write = fakeTool("send")
  const { runtime, session_id } = await delegating(
    { main: [hand()], scout: [{ calls: [{ id: "s", tool: "send", args: { to: "b@example.org" } }] }] },
    [write],
  )
  const all = await until(runtime, session_id, ends("turn.completed"))
  const thread_id = all.find((fact) => fact.thread_id !== undefined)?.thread_id
  const result = await done<{ not_undone: unknown[] }>(runtime, back, {
    session_id,
    thread_id,
    turn_id: null,
    reason: "not this way",
  })
  expect(result.not_undone).toEqual([
    expect.objectContaining({
      kind: "external",
      detail: expect.stringMatching(/^scout: send .*b@example\.org/),
    }),
  ])
})
