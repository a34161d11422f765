import { type QueueSnapshot, queueSnapshot } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { restore } from "../src/journal.ts"
import { done, ends, facts, handModel, type Opened, openRuntime, submit, until } from "./harness.ts"

const snapshot = (
  { runtime }: Pick<Opened, "runtime">,
  session_id: string,
  thread_id: string,
): QueueSnapshot => queueSnapshot(restore(runtime.log, session_id).state, thread_id)

describe("the queue", () => {
  it("[RT-QUE-1] 20 concurrent submissions run one at a time, in queue order, each exactly once", async () => {
    const { model, call, calls } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id, turn_id } = await submit(runtime, "0")
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => submit(runtime, String(index + 1), { session_id, thread_id })),
    )
    expect(all.every((turn) => turn.status === "queued")).toBe(true)
    const order = snapshot({ runtime }, session_id, thread_id).queued.map((entry) => entry.turn_id)
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

  it("[RT-QUE-2] every mutation survives a restart with order, source, policy and resume state", async () => {
    const { model, call } = handModel()
    let opened = await openRuntime(model)
    const { session_id, thread_id } = await submit(opened.runtime, "busy")
    await call(0)
    const add = (source: string) => submit(opened.runtime, source, { session_id, source })
    const target = (queued_turn_id: string | undefined) => ({ session_id, thread_id, queued_turn_id })
    const [a, b, c] = [await add("cli"), await add("workbench"), await add("cli")]
    const mutations = [
      () => done(opened.runtime, "promote_queued_turn", target(c.queued_turn_id)),
      () => done(opened.runtime, "remove_queued_turn", target(a.queued_turn_id)),
    ]
    const expected = [
      [c, a, b],
      [c, b],
    ]
    for (const [index, mutate] of mutations.entries()) {
      await mutate()
      const before = snapshot(opened, session_id, thread_id)
      expect(before).toMatchObject({
        queued: expected[index]?.map((turn) => ({
          turn_id: turn.turn_id,
          queued_turn_id: turn.queued_turn_id,
        })),
        policy: "fifo",
        resume_state: "ready",
      })
      const kept = JSON.stringify(before)
      // Read from the file by another reader, as after a kill: what was answered is there.
      expect(JSON.stringify(snapshot(opened, session_id, thread_id))).toBe(kept)
    }
    expect(snapshot(opened, session_id, thread_id).queued.map((entry) => entry.source)).toEqual([
      "cli",
      "workbench",
    ])
    await opened.runtime.close()

    const again = handModel()
    opened = await openRuntime(again.model, { directory: opened.directory })
    // The turn of the dead loop ends, and the queue goes on in its order.
    const first = await again.call(0)
    expect(snapshot(opened, session_id, thread_id)).toMatchObject({
      queued: [{ turn_id: b.turn_id, source: "workbench" }],
    })
    first.finish()
    ;(await again.call(1)).finish()
    const seen = await until(opened.runtime, session_id, ends("turn.completed", 2))
    const starts = seen.filter((fact) => fact.type === "turn.started").map((fact) => fact.turn_id)
    expect(starts.slice(1)).toEqual([c.turn_id, b.turn_id])
  })

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
    expect(of.slice(-3).map((fact) => fact.type)).toEqual(["model.failed", "run.status", "turn.failed"])
    expect(of.at(-3)?.payload).toMatchObject({ category: "interrupted", parts: [{ text: "partial" }] })
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
