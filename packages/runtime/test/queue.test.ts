import { type QueueSnapshot, queueSnapshot } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { openSqliteStore } from "../src/adapters/sqlite/index.ts"
import type { FactLog } from "../src/index.ts"
import { restore } from "../src/journal.ts"
import { done, ends, facts, handModel, openRuntime, type Submitted, submit, until } from "./harness.ts"

type Change = (name: string, index: number) => Promise<unknown>

const snapshot = (log: FactLog, session_id: string, thread_id: string): QueueSnapshot =>
  queueSnapshot(restore(log, session_id).state, thread_id)

describe("the queue", () => {
  it("[RT-QUE-1] 20 concurrent submissions run one at a time, in queue order, each exactly once", async () => {
    const { model, call, calls } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id, turn_id } = await submit(runtime, "0")
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => submit(runtime, String(index + 1), { session_id, thread_id })),
    )
    expect(all.every((turn) => turn.status === "queued")).toBe(true)
    const order = snapshot(runtime.log, session_id, thread_id).queued.map((entry) => entry.turn_id)
    for (let index = 0; index <= 20; index++) {
      const provider = await call(index)
      expect(calls).toHaveLength(index + 1)
      provider.text("x")
      provider.finish()
    }
    const seen = await until(runtime, session_id, ends("turn.completed", 21))
    const starts = seen.filter((fact) => fact.type === "turn.started").map((fact) => fact.turn_id)
    expect(starts).toEqual([turn_id, ...order])
    let active = 0
    for (const fact of seen) {
      if (fact.type === "turn.started") expect(++active).toBe(1)
      if (fact.type === "turn.completed") active--
    }
  })

  /** A busy thread with three turns behind it, from two sources. */
  async function crowded() {
    const opened = await openRuntime(handModel().model)
    const { runtime } = opened
    const { session_id, thread_id } = await submit(runtime, "busy")
    const turns: Submitted[] = []
    for (const source of ["cli", "workbench", "cli"]) {
      turns.push(await submit(runtime, source, { session_id, source }))
    }
    const change = (name: string, index: number) =>
      done(runtime, name, { session_id, thread_id, queued_turn_id: turns[index]?.queued_turn_id })
    return { ...opened, session_id, thread_id, turns, change }
  }

  it.each([
    ["a turn was queued", async () => {}, [0, 1, 2]],
    ["a turn was promoted", (change: Change) => change("promote_queued_turn", 2), [2, 0, 1]],
    ["a turn was removed", (change: Change) => change("remove_queued_turn", 1), [0, 2]],
  ])(
    "[RT-QUE-2] after %s, a restart finds order, source, policy and resume state",
    async (_, mutate, order) => {
      const { runtime, directory, session_id, thread_id, turns, change } = await crowded()
      await mutate(change)
      const before = snapshot(runtime.log, session_id, thread_id)
      expect(before).toMatchObject({ policy: "fifo", resume_state: "ready" })
      expect(before.queued).toEqual(
        order.map((index) => ({
          queued_turn_id: turns[index]?.queued_turn_id,
          turn_id: turns[index]?.turn_id,
          source: index === 1 ? "workbench" : "cli",
          state: "waiting",
        })),
      )
      await runtime.close()
      const store = await openSqliteStore(directory)
      if (!store.ok) throw new Error(store.message)
      expect(snapshot(store.log, session_id, thread_id).queued).toEqual(before.queued)
      await store.log.close()

      const again = handModel()
      const second = await openRuntime(again.model, { directory })
      for (let index = 0; index < order.length; index++) (await again.call(index)).finish()
      const seen = await until(second.runtime, session_id, ends("turn.completed", order.length))
      const starts = seen.filter((fact) => fact.type === "turn.started").map((fact) => fact.turn_id)
      expect(starts.slice(1)).toEqual(order.map((index) => turns[index]?.turn_id))
    },
  )

  it("[RT-CMD-8] an interrupt stops the provider, keeps the text, and the next turn starts", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id, turn_id } = await submit(runtime, "one")
    const next = await submit(runtime, "two", { session_id })
    const provider = await call(0)
    provider.text("partial")
    await until(runtime, session_id, ends("model.delta"))
    const stopped = await done<{ turn_ids: string[] }>(runtime, "interrupt_turn", {
      session_id,
      reason: "stop",
    })
    expect(stopped.turn_ids).toEqual([turn_id])
    const second = await call(1)
    expect(provider.signal.aborted).toBe(true)
    provider.text("too late")
    second.finish()
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const of = seen.filter((fact) => fact.turn_id === turn_id)
    expect(of.slice(-4).map((fact) => fact.type)).toEqual([
      "model.failed",
      "cost.recorded",
      "run.status",
      "turn.failed",
    ])
    expect(of.at(-4)?.payload).toMatchObject({ category: "interrupted", parts: [{ text: "partial" }] })
    expect(seen.findLast((fact) => fact.type === "turn.completed")?.turn_id).toBe(next.turn_id)
    expect(JSON.stringify(facts(runtime, session_id))).not.toContain("too late")
  })

  it("[RT-ID-15] a queued turn keeps one turn id from the queue to its end", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id } = await submit(runtime, "one")
    const queued = await submit(runtime, "two", { session_id })
    ;(await call(0)).finish()
    ;(await call(1)).finish()
    const seen = await until(runtime, session_id, ends("turn.completed", 2))
    const changes = seen.filter((fact) => fact.payload.queued_turn_id === queued.queued_turn_id)
    expect(changes.map((fact) => fact.payload.change)).toEqual(["enqueued", "dequeued"])
    expect(seen.filter((fact) => fact.turn_id === queued.turn_id).at(-1)?.type).toBe("turn.completed")
  })
})
