import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { sessionSnapshot, threadReadModel } from "@factum/facts"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createRuntime } from "../src/index.ts"
import { restore } from "../src/journal.ts"
import {
  done,
  echoModel,
  ends,
  facts,
  handModel,
  openRuntime,
  refused,
  submit,
  temporaryDirectory,
  types,
  until,
} from "./harness.ts"

const recoveryChild = fileURLToPath(new URL("./recovery-child.ts", import.meta.url))

describe("after a restart", () => {
  it("[RT-REC-1] replaying the log gives the same read models", async () => {
    const { model, call } = handModel()
    const { runtime, directory } = await openRuntime(model)
    const { session_id, thread_id } = await submit(runtime, "one")
    const provider = await call(0)
    provider.give({ kind: "reasoning", part_id: "r", text: "Hm" })
    provider.text("Hello")
    provider.finish()
    await until(runtime, session_id, ends("thread.updated", 2))
    const read = async (of: typeof runtime) => ({
      session: await done(of, "get_session", { session_id }),
      thread: await done(of, "get_thread_read", { session_id, thread_id }),
    })
    const before = await read(runtime)
    await runtime.close()
    const again = await openRuntime(echoModel(), { directory })
    expect(await read(again.runtime)).toEqual(before)
  })

  it("[RT-REC-1] a state rebuilt from the first fact equals the one kept in memory", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id, thread_id } = await submit(runtime, "one")
    for (let turn = 1; turn < 40; turn++) {
      await until(runtime, session_id, ends("turn.completed", turn))
      await submit(runtime, `turn ${turn}`, { session_id })
    }
    await until(runtime, session_id, ends("thread.updated", 80))
    const live = await done<{ snapshot: unknown }>(runtime, "get_session", { session_id, limit: 1 })
    const fromTheStart = {
      read: (...args: Parameters<typeof runtime.log.read>) => runtime.log.read(...args),
      loadState: () => undefined,
    }
    const { state } = restore(fromTheStart, session_id)
    expect(sessionSnapshot(state)).toEqual({ ...(live.snapshot as object), history_cursor: null })
    const read = await done<{ read_model: unknown }>(runtime, "get_thread_read", { session_id, thread_id })
    expect(threadReadModel(state, thread_id)).toEqual(read.read_model)
  })

  it("[RT-REC-4] a turn of the dead loop ends as runtime_restart and keeps its text", async () => {
    const { model, call } = handModel()
    const first = await openRuntime(model)
    const { session_id, turn_id } = await submit(first.runtime, "one")
    ;(await call(0)).text("partial")
    await until(first.runtime, session_id, ends("model.delta"))
    await first.runtime.close()
    const { runtime } = await openRuntime(echoModel(), { directory: first.directory })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(seen.findLast((fact) => fact.type === "model.failed")?.payload).toMatchObject({
      category: "runtime_restart",
      parts: [{ text: "partial" }],
    })
    expect(seen.at(-1)?.payload).toMatchObject({ status: "failed", category: "runtime_restart" })
    expect(seen.filter((fact) => fact.type === "model.requested")).toHaveLength(1)
    expect(seen.at(-1)?.turn_id).toBe(turn_id)
  })

  it("[RT-STAT-4] nothing reads running whose loop is not alive", async () => {
    const { model, call } = handModel()
    const first = await openRuntime(model)
    const { session_id, thread_id } = await submit(first.runtime, "one")
    await call(0)
    await first.runtime.close()
    const { runtime } = await openRuntime(echoModel(), { directory: first.directory })
    await until(runtime, session_id, ends("turn.failed"))
    const read = await done<{ read_model: { status: string } }>(runtime, "get_thread_read", {
      session_id,
      thread_id,
    })
    expect(["idle", "failed"]).toContain(read.read_model.status)
    expect(runtime.sessions({ limit: 1 }).sessions[0]?.status).toBe("idle")
  })

  it("[RT-STAT-14] a failed turn is not started again", async () => {
    const { model, call, calls } = handModel()
    const first = await openRuntime(model)
    const { session_id } = await submit(first.runtime, "one")
    ;(await call(0)).give({ kind: "error", category: "provider_error", reason: "fatal", retryable: false })
    await until(first.runtime, session_id, ends("thread.updated", 2))
    const head = first.runtime.log.head(session_id)
    await first.runtime.close()
    const { runtime } = await openRuntime(model, { directory: first.directory })
    expect(runtime.log.owing()).toEqual([])
    await submit(runtime, "other")
    await call(1)
    expect(calls).toHaveLength(2)
    expect(runtime.log.head(session_id)).toBe(head)
  })

  it("[RT-REC-6] recovery that is stopped and run again adds each fact once", async () => {
    const { model, call } = handModel()
    let opened = await openRuntime(model)
    const { session_id } = await submit(opened.runtime, "one")
    await submit(opened.runtime, "two", { session_id })
    await call(0)
    for (let round = 0; round < 4; round++) {
      await opened.runtime.close()
      opened = await openRuntime(handModel().model, { directory: opened.directory })
    }
    const seen = await until(opened.runtime, session_id, ends("turn.failed", 2))
    const terminal = seen.filter((fact) => fact.type === "turn.failed").map((fact) => fact.turn_id)
    expect(new Set(terminal).size).toBe(terminal.length)
    expect(seen.map((fact) => fact.sequence)).toEqual(seen.map((_, index) => index + 1))
  })

  it("[RT-REC-6] recovery that is killed after any of its appends adds each fact once", async () => {
    const { model, call } = handModel()
    const { runtime, directory } = await openRuntime(model)
    const { session_id } = await submit(runtime, "one")
    await submit(runtime, "two", { session_id })
    ;(await call(0)).text("Hel")
    await until(runtime, session_id, ends("model.delta"))
    await runtime.close()

    const recovered = async (at: string) => {
      const { runtime } = await openRuntime(handModel().model, { directory: at })
      const seen = await until(runtime, session_id, ends("turn.started", 2))
      await runtime.close()
      expect(seen.map((fact) => fact.sequence)).toEqual(seen.map((_, index) => index + 1))
      return types(seen)
    }
    const copy = () => {
      const at = temporaryDirectory()
      cpSync(directory, at, { recursive: true })
      return at
    }
    const whole = await recovered(copy())
    expect(whole.filter((type) => type === "turn.failed")).toHaveLength(1)
    for (const nth of ["1", "2", "3"]) {
      const at = copy()
      const child = spawn(process.execPath, [recoveryChild, at, nth], { stdio: "ignore" })
      onTestFinished(() => void child.kill("SIGKILL"))
      expect(await once(child, "exit")).toEqual([null, "SIGKILL"])
      // A start after a kill says so in the runtime's own stream; the session's has nothing twice.
      expect(await recovered(at)).toEqual(whole)
    }
  }, 90_000)

  it("[RT-REC-7] a damaged or outdated saved state is rebuilt from the log", async () => {
    const { runtime, directory } = await openRuntime(echoModel())
    const { session_id } = await submit(runtime, "one")
    await until(runtime, session_id, ends("thread.updated", 2))
    const before = await done(runtime, "get_session", { session_id })
    const { sequence } = restore(runtime.log, session_id).state
    for (const text of ['{"version":0,"state":{}}', "not json", '{"version":1}', "null"]) {
      await runtime.log.saveState({ stream: session_id, sequence, text })
      expect(restore(runtime.log, session_id).state.sequence).toBe(sequence)
    }
    await runtime.close()
    const again = await openRuntime(echoModel(), { directory })
    expect(await done(again.runtime, "get_session", { session_id })).toEqual(before)
  })

  it("[RT-ID-1] the runtime keeps its id, and another store has another", async () => {
    const first = await openRuntime(echoModel())
    const id = first.runtime.runtime_id
    await first.runtime.close()
    const again = await openRuntime(echoModel(), { directory: first.directory })
    expect(again.runtime.runtime_id).toBe(id)
    const other = await openRuntime(echoModel())
    expect(other.runtime.runtime_id).not.toBe(id)
  })
})

describe("command ids", () => {
  it("[RT-CMD-4] a repeat returns the first result and appends nothing, also after a restart", async () => {
    const { model, call } = handModel()
    const first = await openRuntime(model)
    const busy = await submit(first.runtime, "busy")
    const { session_id, thread_id } = busy
    await call(0)
    const queued = [
      await submit(first.runtime, "q1", { session_id }),
      await submit(first.runtime, "q2", { session_id }),
    ]
    const target = (index: number) => ({
      session_id,
      thread_id,
      queued_turn_id: queued[index]?.queued_turn_id,
    })
    const inputs: [string, Record<string, unknown>][] = [
      ["submit_turn", { create: "session", input: [{ kind: "text", text: "new" }] }],
      ["promote_queued_turn", target(1)],
      ["remove_queued_turn", target(0)],
      ["interrupt_turn", { session_id, reason: "stop" }],
    ]
    const results: unknown[] = []
    for (const [name, input] of inputs) {
      const result = await done(first.runtime, name, input, `c-${name}`)
      const head = first.runtime.log.head(session_id)
      const streams = first.runtime.log.streams({ limit: 100 }).length
      expect(await done(first.runtime, name, input, `c-${name}`)).toEqual(result)
      expect(first.runtime.log.streams({ limit: 100 })).toHaveLength(streams)
      if (name !== "interrupt_turn") expect(first.runtime.log.head(session_id)).toBe(head)
      results.push(result)
    }
    await first.runtime.close()
    const { runtime } = await openRuntime(handModel().model, { directory: first.directory })
    for (const [index, [name, input]] of inputs.entries()) {
      expect(await done(runtime, name, input, `c-${name}`)).toEqual(results[index])
      const other = { ...input, ...(name === "submit_turn" ? { title: "x" } : { session_id: "elsewhere" }) }
      const refusal = await refused(runtime, name, { input: other, command_id: `c-${name}` })
      expect(refusal).toMatchObject({ code: "conflict", field: "command_id" })
    }
  })

  it("[RT-CMD-4] a no-op is remembered too", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id } = await submit(runtime, "one")
    await until(runtime, session_id, ends("thread.updated", 2))
    const input = { session_id, reason: "late" }
    const head = runtime.log.head(session_id)
    expect(await done(runtime, "interrupt_turn", input, "c1")).toMatchObject({ status: "no_op" })
    expect(await done(runtime, "interrupt_turn", input, "c1")).toMatchObject({ status: "no_op" })
    expect(runtime.log.head(session_id)).toBe(head)
  })

  it("[RT-CMD-4] one id sent 20 times at once is carried out once", async () => {
    const { runtime } = await openRuntime(echoModel())
    const input = { create: "session", input: [{ kind: "text", text: "hi" }] }
    const results = await Promise.all(
      Array.from({ length: 20 }, () => done(runtime, "submit_turn", input, "c1")),
    )
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(runtime.sessions({ limit: 100 }).sessions).toHaveLength(1)
  })

  it("[RT-CMD-4] one id with the caller's own turn id, sent 20 times at once, is carried out once", async () => {
    const { runtime } = await openRuntime(echoModel())
    for (let round = 0; round < 10; round++) {
      const input = { create: "session", turn_id: `t${round}`, input: [{ kind: "text", text: "hi" }] }
      const sends = Array.from({ length: 20 }, (_, index) =>
        done(runtime, "submit_turn", input, index % 2 === 0 ? `c${round}` : undefined),
      )
      const results = await Promise.all(sends)
      expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    }
    expect(runtime.sessions({ limit: 100 }).sessions).toHaveLength(10)
  })

  it("[RT-CMD-5] of competing commands on one target exactly one wins", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id } = await submit(runtime, "busy")
    await call(0)
    for (let round = 0; round < 500; round++) {
      const { queued_turn_id } = await submit(runtime, "next", { session_id })
      const input = { session_id, thread_id, queued_turn_id }
      const both = await Promise.all(
        [1, 2].map(() => done<{ status: string }>(runtime, "remove_queued_turn", input)),
      )
      expect(both.map((result) => result.status).sort()).toEqual(["no_op", "removed"])
    }
  })

  it("[RT-CMD-5] what was answered is in the log", async () => {
    const { runtime } = await openRuntime(handModel().model)
    const { session_id, turn_id } = await submit(runtime, "one")
    expect(facts(runtime, session_id).find((fact) => fact.type === "turn.submitted")?.turn_id).toBe(turn_id)
  })
})

describe("refused writes", () => {
  it("a store that refuses everything keeps the runtime idle, and the turn runs when it takes writes again", async () => {
    const { model, call, calls } = handModel()
    const opened = await openRuntime(model)
    const { store } = opened
    let appends = 0
    let full = false
    const append: typeof store.log.append = (batch) => {
      appends++
      return full
        ? Promise.resolve({ ok: false, code: "write_failed", reason: "full" })
        : store.log.append(batch)
    }
    const log = new Proxy(store.log, {
      get: (target, name) => {
        if (name === "append") return append
        const value = Reflect.get(target, name, target)
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    const runtime = await createRuntime({ store: { ...store, log }, model })
    const { session_id } = await submit(runtime, "one")
    full = true
    await vi.waitUntil(() => appends >= 2)
    const before = appends
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(appends - before).toBeLessThan(3)
    expect(calls).toHaveLength(0)
    full = false
    ;(await call(0)).finish()
    await until(runtime, session_id, ends("turn.completed"))
  })

  it("[RT-REC-8] a full disk refuses the command and leaves no half state", async () => {
    const { runtime, store } = await openRuntime(handModel().model)
    const first = await submit(runtime, "one")
    await store.limitPages(1)
    const big = [{ kind: "text", text: "x".repeat(200_000) }]
    const body = { input: { session_id: first.session_id, input: big }, command_id: "c1" }
    expect(await refused(runtime, "submit_turn", body)).toMatchObject({ code: "write_failed" })
    await store.limitPages(1_000_000)
    const again = await runtime.execute("submit_turn", body)
    expect(again).toMatchObject({ ok: true })
    const seen = facts(runtime, first.session_id)
    expect(seen.map((fact) => fact.sequence)).toEqual(seen.map((_, index) => index + 1))
  })

  it("[RT-EVT-19] a turn whose writes are refused ends with an error once the store takes writes again", async () => {
    const { model, call } = handModel()
    const { runtime, store } = await openRuntime(model)
    const { session_id } = await submit(runtime, "one")
    const provider = await call(0)
    await store.limitPages(1)
    provider.text("x".repeat(200_000))
    await vi.waitUntil(() => {
      provider.text("more")
      return provider.left
    })
    await store.limitPages(1_000_000)
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(seen.at(-1)?.payload).toMatchObject({ status: "failed", category: "write_failed" })
    const errors = seen.filter(({ type }) => type === "runtime.error").map(({ payload }) => payload)
    const message = "The store refused to write: database or disk is full."
    const affected = [{ kind: "turn", id: seen.at(-1)?.turn_id }]
    expect(errors).toEqual([{ code: "write_failed", message, affected }])
  })
})
