import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Action,
  type ActionGraph,
  applyEvent,
  awaitsDecision,
  failureChoices,
  foldRun,
  isSettled,
  nextSteps,
  orderOf,
} from "../../src/index.ts"
import { act, broken, Drive, done, graphOf } from "./build.ts"

const ids = ["a", "b", "c", "d", "e", "f", "g", "h"] as const

/** None half of the time, so that many graphs go on to their end. */
const limit = fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined, freq: 2 })

/** Edges only go to actions made before; then all are shuffled, so that the order of declaration says nothing. */
const graphs: fc.Arbitrary<ActionGraph> = fc
  .record({
    actions: fc.array(
      fc.record({
        depends: fc.subarray([...ids]),
        on_failure: fc.constantFrom(...failureChoices),
        max_retries: fc.nat(2),
        writes: fc.subarray(["x", "y"]),
        side_effects: fc.subarray(["read", "write", "delete"] as const),
        idempotent: fc.constantFrom(true, false, "unknown" as const),
        approval: fc.boolean(),
        human: fc.boolean(),
        passes: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
        until: fc.option(fc.record({ at: fc.nat(7), status: fc.constantFrom("completed", "failed") }), {
          nil: undefined,
        }),
        when: fc.option(fc.record({ at: fc.nat(7), status: fc.constantFrom("completed", "failed") }), {
          nil: undefined,
          freq: 3,
        }),
      }),
      { maxLength: ids.length },
    ),
    strategy: fc.constantFrom("dag", "sequential"),
    cancellation: fc.constantFrom("drain", "abort"),
    max_parallel: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    max_retries: fc.option(fc.nat(3), { nil: undefined }),
    max_tokens: limit,
    max_cost: limit,
    max_time_ms: limit,
    shuffle: fc.infiniteStream(fc.nat(1000)),
  })
  .map(({ actions, strategy, cancellation, shuffle, ...limits }) => {
    const made = actions.map((of, index): Action => {
      const earlier = new Set<string>(ids.slice(0, index))
      const when = of.when === undefined ? undefined : ids[of.when.at]
      return act(ids[index] ?? "", {
        depends_on: of.depends.filter((id) => earlier.has(id)),
        failure_policy: { on_failure: of.on_failure, max_retries: of.max_retries },
        writes: of.writes,
        side_effects: of.side_effects,
        idempotent: of.idempotent,
        requires_approval: of.approval,
        executor: { type: of.human ? "human" : "tool", target: "work", capabilities: [] },
        ...(of.passes === undefined
          ? {}
          : { repeat: { max: of.passes, ...untilOf(of.until, actions.length) } }),
        ...(when === undefined || of.when === undefined || !earlier.has(when)
          ? {}
          : { when: { action: when, status: of.when.status as "completed" | "failed" } }),
      })
    })
    const keys = new Map(made.map(({ id }) => [id, shuffle.next().value ?? 0]))
    const sorted = made.toSorted((a, b) => (keys.get(a.id) ?? 0) - (keys.get(b.id) ?? 0))
    return graphOf(sorted, {
      strategy: strategy as "dag" | "sequential",
      cancellation: cancellation as "drain" | "abort",
      budget: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
    })
  })

/** A loop may look at any action of the graph, also at itself and at later ones. */
function untilOf(until: { at: number; status: string } | undefined, count: number) {
  const action = until === undefined ? undefined : ids[until.at % count]
  return action === undefined || until === undefined
    ? {}
    : { until: { action, status: until.status as "completed" | "failed" } }
}

type Chance = {
  at: number
  good: boolean
  choice: "retry" | "continue" | "abort"
  spent?: { tokens: number; cost: number; ms: number }
}
const chances = fc.array(
  fc.record({
    at: fc.nat(100),
    good: fc.boolean(),
    choice: fc.constantFrom("retry", "continue", "abort") as fc.Arbitrary<Chance["choice"]>,
    spent: fc.record({ tokens: fc.nat(5), cost: fc.nat(5), ms: fc.nat(5) }),
  }),
  { minLength: 20, maxLength: 60 },
)

/** Lets chance decide what ends next, how people answer and what the model decides, until nothing is left to do. */
function play(
  graph: ActionGraph,
  luck: readonly Chance[],
  look: (run: Drive) => void = () => {},
  retries = 0,
  run = new Drive(graph),
): Drive {
  look(run)
  for (let turn = 0; turn < 500; turn++) {
    const open = Object.values(run.state.actions).filter((one) => {
      // What a crash cut off gives nothing more.
      if (one.status === "running") return run.starts.includes(one.id)
      return one.status === "failed" ? turn < retries : !isSettled(one) && one.status !== "pending"
    })
    if (open.length === 0) return run
    const chance = luck[turn] ?? { at: turn, good: true, choice: "continue" as const }
    const one = open[chance.at % open.length]
    if (one === undefined) return run
    if (one.status === "running") {
      const { tokens = 0, cost = 0, ms = 0 } = chance.spent ?? {}
      run.now += ms
      run.events.push({ type: "run.spent", tokens, cost })
      run.end(one.id, chance.good ? done() : broken())
    } else if (one.status === "failed") run.take({ type: "run.decided", id: one.id, choice: "retry" })
    else if (awaitsDecision(one)) run.take({ type: "run.decided", id: one.id, choice: chance.choice })
    else if (one.reason?.code === "needs_input")
      run.take({ type: "action.answered", id: one.id, answer: { output: "yes" } })
    else
      run.take({
        type: "action.answered",
        id: one.id,
        answer: { approved: chance.good, input_hash: one.input_hash ?? "" },
      })
    look(run)
  }
  throw new Error("The run does not end.")
}

describe("every order of outcomes", () => {
  it("[MP-GRAPH-1] gives a legal schedule: nothing starts early, twice or beyond the limits", () => {
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        let seen = 0
        play(graph, luck, (run) => {
          const { needs } = orderOf(graph)
          for (const id of run.starts.slice(seen))
            for (const need of needs.get(id) ?? []) expect(run.state.actions[need]?.status).toBe("completed")
          seen = run.starts.length
          const limit = graph.strategy === "sequential" ? 1 : (graph.budget.max_parallel ?? Infinity)
          expect(run.running.length).toBeLessThanOrEqual(limit)
          for (const one of Object.values(run.state.actions)) {
            const open = one.attempts.filter(({ outcome }) => outcome === undefined).length
            expect(open).toBe(one.status === "running" ? 1 : 0)
          }
          const writing = run.running.flatMap((id) => graph.actions.find((a) => a.id === id)?.writes ?? [])
          expect(new Set(writing).size).toBe(writing.length)
        })
      }),
      { numRuns: 400, seed: 11 },
    )
  })

  it("[MP-GRAPH-1] runs an action once unless it is retried or repeated", () => {
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        const run = play(graph, luck)
        const decided = run.events.filter(({ type }) => type === "run.decided").length
        for (const action of graph.actions) {
          const started = run.starts.filter((id) => id === action.id).length
          const { on_failure, max_retries } = action.failure_policy
          const retries = on_failure === "retry" ? max_retries : 0
          expect(started).toBeLessThanOrEqual((action.repeat?.max ?? 1) + retries + decided)
        }
      }),
      { numRuns: 300, seed: 12 },
    )
  })

  it("[MP-GRAPH-1] forgets nothing that can run, and always ends", () => {
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        const run = play(graph, luck, (live) => {
          expect(nextSteps(graph, live.state, { now: live.now }).steps).toEqual([])
        })
        expect(Object.values(run.state.actions).every(isSettled)).toBe(true)
        expect(["completed", "failed"]).toContain(run.state.status)
        for (const one of Object.values(run.state.actions)) {
          if (one.status !== "blocked") continue
          expect(run.state.actions[one.reason?.action_id ?? ""]?.status).toBe("failed")
        }
      }),
      { numRuns: 400, seed: 13 },
    )
  })

  it("[MP-POLICY-4] nothing starts once a limit is reached, and what does not start says so", () => {
    let reached = 0
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        let seen = 0
        const { state } = play(graph, luck, (run) => {
          const { max_tokens = Infinity, max_cost = Infinity, max_time_ms = Infinity } = graph.budget
          const { tokens, cost } = run.state.spent
          const over = tokens >= max_tokens || cost >= max_cost || run.now >= max_time_ms
          if (over) expect(run.starts.length).toBe(seen)
          seen = run.starts.length
        })
        reached += Object.values(state.actions).filter(
          ({ reason }) => reason?.code === "budget_exceeded",
        ).length
      }),
      { numRuns: 400, seed: 21 },
    )
    expect(reached).toBeGreaterThan(30)
  })

  it("[MP-GRAPH-12] a loop stops at its bound, or at the first pass after which its condition holds", () => {
    let early = 0
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        const { events } = play(graph, luck)
        let state = foldRun(graph, [])
        for (const event of events) {
          const before = state
          state = applyEvent(graph, state, event)
          if (event.type !== "action.ended" || event.outcome.status !== "completed") continue
          const { id, repeat } = graph.actions.find((one) => one.id === event.id) ?? {}
          const [run, now] = [before.actions[id ?? ""], state.actions[id ?? ""]]
          if (repeat === undefined || run?.status !== "running" || now === undefined) continue
          const { until, max } = repeat
          // At the end of its pass an action that looks at itself is completed.
          const seen = until?.action === id ? "completed" : before.actions[until?.action ?? ""]?.status
          const met = until !== undefined && "status" in until && seen === until.status
          expect(now.passes).toBe(run.passes + 1)
          expect(now.status === "completed").toBe(met || now.passes === max)
          if (met && now.passes < max) early++
        }
      }),
      { numRuns: 800, seed: 22 },
    )
    expect(early).toBeGreaterThan(20)
  })

  it("[MP-GRAPH-2] whatever is pending at rest has a cause that can be pointed at", () => {
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        const limit = graph.strategy === "sequential" ? 1 : (graph.budget.max_parallel ?? Infinity)
        play(
          graph,
          luck,
          (run) => {
            const unsettled = graph.actions.filter(({ id }) => {
              const one = run.state.actions[id]
              return one !== undefined && !isSettled(one)
            })
            const open = new Set(unsettled.map(({ id }) => id))
            for (const action of unsettled.filter(({ id }) => run.status(id) === "pending")) {
              const waits = [...action.depends_on, action.when?.action ?? ""].some((id) => open.has(id))
              const others = unsettled.filter(({ id }) => id !== action.id)
              const conflict = others.some(({ writes }) => writes.some((one) => action.writes.includes(one)))
              expect(waits || conflict || run.running.length >= limit).toBe(true)
            }
          },
          15,
        )
      }),
      { numRuns: 400, seed: 20 },
    )
  })

  it("[MP-INTENT-5] all of it also holds where a model has failed actions retried meanwhile", () => {
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        const look = (run: Drive) => {
          const writing = run.running.flatMap((id) => graph.actions.find((a) => a.id === id)?.writes ?? [])
          expect(new Set(writing).size).toBe(writing.length)
          expect(nextSteps(graph, run.state, { now: run.now }).steps).toEqual([])
        }
        const { state } = play(graph, luck, look, 15)
        expect(Object.values(state.actions).every(isSettled)).toBe(true)
        for (const { status, reason } of Object.values(state.actions)) {
          const cause = state.actions[reason?.action_id ?? ""]
          if (status === "blocked") expect(cause?.status).toBe("failed")
          if (reason?.code === "condition_not_met" && cause?.status === "completed")
            expect(graph.actions.some(({ when }) => when?.action === cause.id)).toBe(true)
        }
      }),
      { numRuns: 400, seed: 19 },
    )
  })

  it("[MP-GRAPH-14] every action is in the result exactly once, in the order of declaration, with what completed", () => {
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        const { state } = play(graph, luck)
        expect(Object.keys(state.actions)).toEqual(graph.actions.map(({ id }) => id))
        for (const one of Object.values(state.actions)) {
          if (one.status === "completed") expect(one.attempts.at(-1)?.outcome?.status).toBe("completed")
          else expect(one.reason?.message).toMatch(/\w/)
        }
      }),
      { numRuns: 300, seed: 14 },
    )
  })

  it("[MP-GRAPH-15] the status is blocked, else failed, else completed", () => {
    fc.assert(
      fc.property(graphs, chances, (graph, luck) => {
        play(graph, luck, ({ state }) => {
          const all = Object.values(state.actions)
          if (all.some(awaitsDecision)) expect(state.status).toBe("blocked")
          else if (!all.every(isSettled)) expect(["running", "waiting"]).toContain(state.status)
          else
            expect(state.status).toBe(all.some(({ status }) => status === "failed") ? "failed" : "completed")
        })
      }),
      { numRuns: 300, seed: 15 },
    )
  })

  it("[MP-PERSIST-6] replaying the stored events rebuilds the same run, also in two parts", () => {
    fc.assert(
      fc.property(graphs, chances, fc.nat(), (graph, luck, cut) => {
        const run = play(graph, luck)
        const stored = JSON.parse(JSON.stringify(run.events))
        expect(foldRun(graph, stored)).toEqual(run.state)
        const at = cut % (stored.length + 1)
        let state = foldRun(graph, stored.slice(0, at))
        for (const event of stored.slice(at)) state = applyEvent(graph, state, event)
        expect(state).toEqual(run.state)
      }),
      { numRuns: 200, seed: 16 },
    )
  })

  it("[MP-PERSIST-3] a run cut anywhere goes on to an end, and completed actions are not run again", () => {
    fc.assert(
      fc.property(graphs, chances, fc.nat(), (graph, luck, cut) => {
        const whole = play(graph, luck)
        const stored = whole.events.slice(0, 1 + (cut % whole.events.length))
        const state = foldRun(graph, stored)
        const { steps } = nextSteps(graph, state, { now: 0, in_flight: [] })
        for (const step of steps) {
          const before = state.actions[step.id]
          expect(before === undefined || isSettled(before)).toBe(false)
          if (step.type === "start") expect(step.attempt).toBe((before?.attempts.length ?? 0) + 1)
        }
        const lost = Object.values(state.actions).filter(({ status }) => status === "running")
        const handled = new Set(steps.map(({ id }) => id))
        const limited = graph.strategy === "sequential" || graph.budget.max_parallel !== undefined
        for (const { id } of lost) if (!limited) expect(handled.has(id)).toBe(true)

        let again: Drive | undefined
        const resumed = new Drive(graph, {
          get in_flight(): readonly string[] {
            return again?.starts ?? ids
          },
        })
        again = resumed
        again.events.splice(0, again.events.length, ...stored)
        again.starts.length = 0
        again.take()
        play(graph, luck.toReversed(), () => {}, 0, again)
        expect(Object.values(again.state.actions).every(isSettled)).toBe(true)
        for (const { id, status, attempts } of Object.values(state.actions)) {
          if (status !== "completed") continue
          expect(again.state.actions[id]).toMatchObject({ status, attempts })
          expect(again.starts).not.toContain(id)
        }
      }),
      { numRuns: 300, seed: 17 },
    )
  })

  it("[MP-POLICY-5] a cancel at any time brings the run to an end and starts nothing", () => {
    fc.assert(
      fc.property(graphs, chances, fc.nat(), (graph, luck, cut) => {
        const whole = play(graph, luck)
        const stored = whole.events.slice(0, 1 + (cut % whole.events.length))
        const run = new Drive(graph)
        run.events.splice(0, run.events.length, ...stored, { type: "run.canceled", at: 1, reason: "stop" })
        run.starts.length = 0
        run.take()
        for (const id of run.running) run.end(id, broken())
        expect(run.starts).toEqual([])
        expect(Object.values(run.state.actions).every(isSettled)).toBe(true)
        const before = foldRun(graph, stored).status
        expect(run.state.status).toBe(before === "completed" ? "completed" : "failed")
      }),
      { numRuns: 300, seed: 18 },
    )
  })
})
