import { describe, expect, it } from "vitest"
import { createHarness, type HarnessOptions, manualClock, memoryStore } from "../../src/harness/index.ts"
import { type Action, foldRun, type RunRecord } from "../../src/index.ts"
import { act, execute, graphOf } from "./build.ts"
import { gate } from "./gate.ts"

const durable = (actions: readonly Action[]) =>
  execute(
    graphOf(
      actions.map((action) => ({ ...action, persist: true })),
      { persist: true, mode: "durable" },
    ),
  )
const statuses = (record: RunRecord | undefined) =>
  Object.fromEntries(Object.values(record?.state.actions ?? {}).map(({ id, status }) => [id, status]))

/** Two lives over one store. */
function lives(over: Partial<HarnessOptions> = {}) {
  const store = memoryStore()
  const work = gate()
  const open = () => createHarness({ clock: manualClock(), store, executors: { work: work.work }, ...over })
  return { store, work, first: open(), open }
}

describe("durability", () => {
  it("[MP-PERSIST-1] a run that is not durable is not resumed: it is reported as ended", async () => {
    const { store, work, first, open } = lives()
    void first.run(execute(graphOf([act("a"), act("b", { depends_on: ["a"] })])))
    await work.started("a")
    first.crash()
    const second = open()
    await second.resume()
    expect(second.record("run_1")?.state).toMatchObject({
      status: "failed",
      canceled: { reason: "The runtime was restarted, and this run was not stored." },
    })
    expect(statuses(second.record("run_1"))).toEqual({ a: "canceled", b: "canceled" })
    expect(work.ids()).toEqual(["a"])
    expect(store.runs.get("run_1")?.events).toEqual([{ type: "run.accepted", run_id: "run_1", at: 0 }])
  })

  it("[MP-PERSIST-2] a durable run is stored before its first action starts", async () => {
    const store = memoryStore()
    const order: string[] = []
    const of = createHarness({
      clock: manualClock(),
      store: {
        ...store,
        create: async (run) => {
          order.push("create")
          await store.create(run)
        },
        append: async (id, events) => {
          order.push(...events.map(({ type }) => type))
          await store.append(id, events)
        },
      },
      executors: {
        work: () => {
          order.push("work")
          return "ok"
        },
      },
    })
    await of.run(durable([act("a")]))
    expect(order).toEqual(["create", "action.started", "work", "action.ended"])
    expect(store.runs.get("run_1")?.events).toEqual(of.events("run_1"))
  })

  it("[MP-PERSIST-2] if storing fails nothing starts", async () => {
    const { store, work, first } = lives()
    store.failing = true
    expect(await first.run(durable([act("a")]))).toEqual({
      ok: false,
      issues: [
        {
          code: "not_permitted",
          path: "persist",
          message: "The run could not be stored, so nothing was started.",
          fix: "Try again.",
        },
      ],
    })
    expect(work.ids()).toEqual([])
    expect(first.record("run_1")).toBeUndefined()
  })

  it("[MP-PERSIST-2] a store that fails later stops further starts", async () => {
    const { store, work, first } = lives()
    const running = first.run(durable([act("a"), act("b", { depends_on: ["a"] })]))
    await work.started("a")
    store.failing = true
    work.finish("a")
    expect(await running).toMatchObject({
      record: { state: { status: "failed", canceled: { reason: "The run could not be stored." } } },
    })
    expect(work.ids()).toEqual(["a"])
  })

  it("[MP-PERSIST-1] a run that is not durable does not need the store", async () => {
    const store = memoryStore()
    store.failing = true
    const of = createHarness({ clock: manualClock(), store, executors: { work: () => "ok" } })
    expect(await of.run(execute(graphOf([act("a")])))).toMatchObject({
      record: { state: { status: "completed" } },
    })
  })

  it("[MP-PERSIST-3] after a crash between actions, completed ones are not run again and the others run", async () => {
    const { work, first, open } = lives()
    void first.run(
      durable([act("a"), act("b", { depends_on: ["a"], idempotent: true }), act("c", { depends_on: ["b"] })]),
    )
    await work.started("a")
    work.finish("a", "kept")
    await work.started("b")
    first.crash()
    work.finish("b", "lost")
    const second = open()
    const resumed = second.resume()
    await work.started("b", 2)
    work.finish("b", "again", 2)
    await work.started("c")
    work.finish("c")
    await resumed
    expect(work.ids()).toEqual(["a", "b", "b", "c"])
    expect(second.record("run_1")?.state.status).toBe("completed")
    expect(second.record("run_1")?.state.actions.a?.attempts[0]?.outcome?.output).toBe("kept")
    expect(second.record("run_1")?.state.actions.b?.attempts).toEqual([
      { started: 0 },
      { started: 0, outcome: { status: "completed", output: "again" } },
    ])
    expect(second.artifacts.get("artifact://run_1/a")?.text).toBe("kept")
  })

  it("[MP-PERSIST-4] what was in flight and is idempotent runs again", async () => {
    const { work, first, open } = lives()
    void first.run(durable([act("a", { idempotent: true, side_effects: ["write"] })]))
    await work.started("a")
    first.crash()
    const second = open()
    const resumed = second.resume()
    await work.started("a", 2)
    work.finish("a", "ok", 2)
    await resumed
    expect(statuses(second.record("run_1"))).toEqual({ a: "completed" })
  })

  it.each([false, "unknown"] as const)(
    "[MP-PERSIST-4] idempotent %s: the run is blocked for a decision",
    async (idempotent) => {
      const { work, first, open } = lives()
      void first.run(
        durable([act("a", { idempotent, side_effects: ["write"] }), act("b", { depends_on: ["a"] })]),
      )
      await work.started("a")
      first.crash()
      const second = open()
      await second.resume()
      expect(second.record("run_1")?.state).toMatchObject({
        status: "blocked",
        actions: { a: { status: "blocked", reason: { code: "outcome_unknown" } }, b: { status: "pending" } },
      })
      expect(work.ids()).toEqual(["a"])
      const third = open()
      await third.resume()
      expect(third.record("run_1")?.state).toEqual(second.record("run_1")?.state)
    },
  )

  it("[MP-PERSIST-3] what waited for a person waits again, and is answered", async () => {
    const { work, first, open } = lives()
    await first.run(durable([act("a", { requires_approval: true })]))
    first.crash()
    const second = open()
    await second.resume()
    expect(second.record("run_1")?.state.status).toBe("waiting")
    void second.answer("run_1", "a", true)
    await work.started("a")
    work.finish("a")
    await second.rest("run_1")
    expect(second.record("run_1")?.state.status).toBe("completed")
  })

  it("[MP-PERSIST-5] an action's own persist overrides the envelope's", async () => {
    const store = memoryStore()
    const of = createHarness({ clock: manualClock(), store, executors: { work: () => "ok" } })
    const mixed = [act("kept", { persist: true }), act("gone", { persist: false })]
    await of.run(execute(graphOf(mixed)))
    await of.run(execute(graphOf(mixed, { persist: true, mode: "durable" })))
    for (const run_id of ["run_1", "run_2"]) {
      const listing = store.runs
        .get(run_id)
        ?.events.map((event) => ("id" in event ? `${event.type} ${event.id}` : event.type))
      expect(listing).toEqual(["run.accepted", "action.started kept", "action.ended kept"])
    }
  })

  it("[MP-PERSIST-5] what was not stored and may have run needs a decision, unless it is safe to repeat", async () => {
    const { work, first, open } = lives()
    const actions = [
      act("x", { persist: false }),
      act("safe", { persist: false, idempotent: true }),
      act("later", { persist: false, depends_on: ["a"] }),
      act("reads", { persist: false, context_refs: ["action:a.output"] }),
      act("a", { persist: true, requires_approval: true }),
    ]
    void first.run(execute(graphOf(actions, { persist: true, mode: "durable" })))
    await work.started("safe")
    first.crash()
    const second = open()
    const resumed = second.resume()
    await expect.poll(() => work.ids().length).toBe(3)
    work.finish("safe")
    await resumed
    expect(work.ids()).toEqual(["x", "safe", "safe"])
    expect(statuses(second.record("run_1"))).toEqual({
      x: "blocked",
      safe: "completed",
      later: "pending",
      reads: "pending",
      a: "waiting",
    })
    expect(second.record("run_1")?.state.actions.x?.reason).toEqual({
      code: "outcome_unknown",
      message: "Whether x ran before the restart is not known.",
      action_id: "x",
    })
  })

  it("[MP-PERSIST-6] the stored events rebuild the same run", async () => {
    const store = memoryStore()
    const of = createHarness({
      clock: manualClock(5),
      store,
      executors: { work: ({ action }) => (action.id === "b" ? { status: "failure", message: "no" } : "ok") },
    })
    const declaration = durable([
      act("a"),
      act("b"),
      act("c", { depends_on: ["b"] }),
      act("d", { depends_on: ["a"] }),
    ])
    await of.run(declaration)
    const stored = store.runs.get("run_1")
    if (stored === undefined) throw new Error("Nothing was stored.")
    expect(foldRun(stored.graph, stored.events)).toEqual(of.record("run_1")?.state)
    const second = createHarness({ clock: manualClock(9), store, executors: { work: () => "never" } })
    await second.resume()
    expect(second.record("run_1")).toEqual(of.record("run_1"))
  })
})
