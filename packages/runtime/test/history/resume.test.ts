import { expect, test } from "vitest"
import type { Runtime } from "../../src/index.ts"
import { patience } from "../../src/routing/index.ts"
import { done, ends, facts, handModel, openRuntime, refused, submit, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of } from "../loop/given.ts"

type Read = { read_model: { resume_token: string; status: string } }
const tokenOf = async (runtime: Runtime, place: { session_id: string; thread_id: string }) =>
  (await done<Read>(runtime, "get_thread_read", place)).read_model.resume_token

/** A model without its key until somebody gives it one. */
function keyless() {
  const state = { key: false, asked: 0 }
  const model = {
    provider: "p",
    name: "m",
    async *stream() {
      state.asked++
      if (!state.key) {
        const missing = "credential" as const
        yield {
          kind: "error" as const,
          category: "provider_error" as const,
          reason: "no key",
          retryable: false,
          missing,
        }
        return
      }
      yield { kind: "text" as const, part_id: "a", text: "Hi." }
      yield { kind: "finish" as const, finish: "stop" as const, usage: { input_tokens: 1, output_tokens: 1 } }
    },
  }
  return { model, state }
}

async function blocked() {
  const { model, state } = keyless()
  const opened = await openRuntime(model, { patience: { ...patience, tries: 1 } })
  const { session_id, thread_id } = await submit(opened.runtime, "Hello")
  await until(opened.runtime, session_id, (all) =>
    all.some(({ type, payload }) => type === "thread.updated" && payload.status === "blocked"),
  )
  return { ...opened, state, place: { session_id, thread_id }, session_id }
}

test("[RT-CMD-9] resumed: a blocked thread is tried again, with thread.updated, and goes on", async () => {
  const { runtime, state, place, session_id } = await blocked()
  state.key = true
  const result = await done(runtime, "resume_thread", {
    ...place,
    resume_token: await tokenOf(runtime, place),
  })
  expect([result.status, result.reason]).toEqual(["resumed", expect.stringContaining("no key")])
  const all = await until(runtime, session_id, ends("turn.completed"))
  expect(of(all, "thread.updated").map(({ payload }) => [payload.status, payload.reason])).toContainEqual([
    "active",
    "resumed",
  ])
})

test("[RT-CMD-9] resumed in vain it is blocked again, with a fresh token", async () => {
  const { runtime, place, session_id, state } = await blocked()
  const first = await tokenOf(runtime, place)
  await done(runtime, "resume_thread", place)
  await until(
    runtime,
    session_id,
    (all) =>
      all.filter(({ type, payload }) => type === "thread.updated" && payload.status === "blocked").length ===
      2,
  )
  expect(state.asked).toBe(2)
  expect(await tokenOf(runtime, place)).not.toBe(first)
  expect((await done(runtime, "resume_thread", place)).status).toBe("resumed")
})

test("[RT-CMD-9] a false or used token is bad_cursor, and nothing is written", async () => {
  const { runtime, place, session_id } = await blocked()
  const token = await tokenOf(runtime, place)
  const head = runtime.log.head(session_id)
  for (const resume_token of ["nonsense", `${place.thread_id}~99`, `thr_other~1`])
    expect((await refused(runtime, "resume_thread", { input: { ...place, resume_token } })).code).toBe(
      "bad_cursor",
    )
  expect(runtime.log.head(session_id)).toBe(head)
  await done(runtime, "resume_thread", { ...place, resume_token: token })
  const used = await refused(runtime, "resume_thread", { input: { ...place, resume_token: token } })
  expect([used.code, used.field]).toEqual(["bad_cursor", "input.resume_token"])
})

test("[RT-CMD-9] no_op: a running thread is left alone", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id, thread_id } = await submit(runtime, "Hello")
  await call(0)
  const head = runtime.log.head(session_id)
  expect((await done(runtime, "resume_thread", { session_id, thread_id })).status).toBe("no_op")
  expect(runtime.log.head(session_id)).toBe(head)
})

test("[RT-CMD-9] still_waiting: the open action is named and not answered", async () => {
  const write = fakeTool("write")
  const { model } = linesModel([{ calls: [{ id: "c", tool: "write" }] }])
  const { runtime } = await openRuntime(model, { agent: agentWith([write], asking) })
  const { session_id, thread_id } = await submit(runtime, "Write")
  await until(runtime, session_id, ends("action.required"))
  const result = await done(runtime, "resume_thread", { session_id, thread_id })
  expect([result.status, result.reason]).toEqual(["still_waiting", expect.stringContaining("Allow write?")])
  expect(of(facts(runtime, session_id), "action.resolved")).toEqual([])
})

test("[RT-ACT-2] resume_thread does not take work up that waits for a person, also after a restart", async () => {
  const write = fakeTool("write")
  const { model } = linesModel([{ calls: [{ id: "c", tool: "write" }] }])
  const before = await openRuntime(model, { agent: agentWith([write], asking) })
  const { session_id, thread_id } = await submit(before.runtime, "Write")
  await until(before.runtime, session_id, ends("action.required"))
  await before.runtime.close()
  const { directory } = before
  const { runtime } = await openRuntime(linesModel([]).model, {
    directory,
    agent: agentWith([write], asking),
  })
  const result = await done(runtime, "resume_thread", { session_id, thread_id })
  expect(result.status).toBe("still_waiting")
  expect([of(facts(runtime, session_id), "action.resolved"), write.runs]).toEqual([[], []])
})

test("[RT-CMD-9] still_waiting: a limit that is not over yet is waited for", async () => {
  const model = {
    provider: "p",
    name: "m",
    async *stream() {
      const retry_after_ms = 3_600_000
      yield {
        kind: "error" as const,
        category: "rate_limited" as const,
        reason: "slow down",
        retryable: true,
        retry_after_ms,
      }
    },
  }
  const { runtime } = await openRuntime(model, { patience })
  const { session_id, thread_id } = await submit(runtime, "Hello")
  await until(runtime, session_id, (all) =>
    all.some(({ type, payload }) => type === "run.status" && payload.phase === "waiting_resource"),
  )
  const result = await done(runtime, "resume_thread", { session_id, thread_id })
  expect(result.status).toBe("still_waiting")
})

test("[RT-CMD-9] nothing_to_resume: a thread whose last turn completed", async () => {
  const { runtime } = await openRuntime(linesModel([]).model)
  const { session_id, thread_id } = await submit(runtime, "Hello")
  await until(runtime, session_id, ends("turn.completed"))
  expect((await done(runtime, "resume_thread", { session_id, thread_id })).status).toBe("nothing_to_resume")
})

test("[RT-CMD-9] not_possible: a turn that ended does not go on, and the reason says what to do", async () => {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id, thread_id } = await submit(runtime, "Hello")
  await call(0)
  await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
  const result = await done(runtime, "resume_thread", { session_id, thread_id })
  expect([result.status, result.reason]).toEqual([
    "not_possible",
    expect.stringContaining("Send the message again"),
  ])
})

test("[RT-CMD-9] refused for what is not known or elsewhere", async () => {
  const { runtime } = await openRuntime(linesModel([]).model)
  const { session_id } = await submit(runtime, "Hello")
  const other = await submit(runtime, "Other")
  const code = async (input: object) => (await refused(runtime, "resume_thread", { input })).code
  expect(await code({ session_id: "ses_none", thread_id: "thr_none" })).toBe("not_found")
  expect(await code({ session_id, thread_id: "thr_none" })).toBe("not_found")
  expect(await code({ session_id, thread_id: other.thread_id })).toBe("scope_mismatch")
})
