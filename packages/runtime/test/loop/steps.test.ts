import { type Envelope, type Step, type StepKind, stepKind, stepKinds } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { done, ends, openRuntime, type Submitted, submit, until } from "../harness.ts"
import { openWork, policy } from "../people/given.ts"
import { agentWith, linesModel, of, reader } from "./given.ts"

const write = { id: "w", tool: "write_artifact", args: { title: "Report", content: "One line." } }

/** A turn that is told of, speaks, calls, is allowed by a person and makes something. */
async function workedTurn() {
  const { model } = linesModel([{ text: "I write.", calls: [write] }, { text: "Written." }])
  const opened = await openWork(model, { agent: { policy: policy("ask") } })
  const turn = await submit(opened.runtime, "Write a report")
  const waits = await until(opened.runtime, turn.session_id, ends("action.required"))
  await done(opened.runtime, "respond_action", {
    action_id: of(waits, "action.required")[0]?.action_id,
    decision: "allow",
  })
  const seen = await until(opened.runtime, turn.session_id, ends("turn.completed"))
  return { ...opened, turn, seen }
}

const openersOf = (facts: readonly Envelope[], kind?: StepKind): Envelope[] =>
  facts.filter((fact) => (kind === undefined ? stepKind(fact) !== undefined : stepKind(fact) === kind))

describe("steps", () => {
  it.each(stepKinds)("[RT-ID-7] each %s of a turn is a step with an id of its own", async (kind) => {
    const { seen, turn } = await workedTurn()
    const steps = openersOf(seen, kind)
    expect(steps.length).toBeGreaterThan(0)
    for (const step of steps)
      expect(step).toMatchObject({ turn_id: turn.turn_id, step_id: expect.stringMatching(/^stp_/) })
    const ids = openersOf(seen).map(({ step_id }) => step_id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("[RT-ID-7] every step of the log is opened by one fact, and has one parent", async () => {
    const { seen, turn } = await workedTurn()
    const ids = openersOf(seen).map(({ step_id = "" }) => step_id)
    const parents = Map.groupBy(
      seen.filter(({ step_id }) => step_id !== undefined),
      ({ step_id }) => step_id,
    )
    for (const [, facts] of parents)
      expect([...new Set(facts.map(({ turn_id }) => turn_id))]).toEqual([turn.turn_id])
    expect([...parents.keys()].toSorted()).toEqual(ids.toSorted())
  })

  it("[RT-ID-7] an answer belongs to the step of its question, leave to that of the call", async () => {
    const { seen } = await workedTurn()
    const step = (type: string) => of(seen, type)[0]?.step_id
    expect(step("action.resolved")).toBe(step("action.required"))
    expect(step("action.required")).not.toBe(step("tool.started"))
    for (const type of ["permission.requested", "permission.resolved", "tool.result"])
      expect(step(type)).toBe(step("tool.started"))
    expect(step("artifact.changed")).not.toBe(step("tool.started"))
  })

  it("[RT-ID-7] the read model tells them in their order, of the statuses the last", async () => {
    const { runtime, turn, seen } = await workedTurn()
    const read = await done<{ snapshot: { recent: Step[] } }>(runtime, "get_session", {
      session_id: turn.session_id,
    })
    const { recent } = read.snapshot
    expect(recent.map(({ kind }) => kind)).toEqual([
      "input",
      "output",
      "tool",
      "action",
      "artifact",
      "output",
      "status",
    ])
    const ids = recent.map(({ step_id }) => step_id)
    const opened = openersOf(seen).map(({ step_id }) => step_id)
    expect(opened.filter((id) => ids.includes(id))).toEqual(ids)
    expect(recent.at(-1)).toMatchObject({ kind: "status", status: "completed", title: "Done" })
  })

  it("[RT-ID-7] what is said to a running turn is a message of it", async () => {
    let place: Submitted | undefined
    const look = reader("look", {
      does: async () => {
        await done(runtime, "submit_turn", {
          ...{ session_id: place?.session_id, thread_id: place?.thread_id, when: "steer" },
          input: [{ kind: "text", text: "Only the tests" }],
        })
        return { ok: true, output: "much" }
      },
    })
    const { model } = linesModel([{ calls: [{ id: "a", tool: "look" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([look]) })
    place = await submit(runtime, "Look")
    const seen = await until(runtime, place.session_id, ends("turn.completed"))
    const steered = of(seen, "queue.changed").find(({ payload }) => payload.change === "steered")
    expect(steered).toMatchObject({ turn_id: place.turn_id, step_id: expect.stringMatching(/^stp_/) })
  })

  it("[RT-ID-7] what belongs to no turn, task or run is no step", async () => {
    const { runtime, turn, seen } = await workedTurn()
    const artifact_id = String(of(seen, "artifact.changed")[0]?.payload.artifact_id)
    const about = { session_id: turn.session_id }
    await runtime.artifacts?.write({
      ...{ about, author: "person", artifact_id, base_version: "1" },
      content: Buffer.from("Two lines.\n"),
    })
    const after = await until(runtime, turn.session_id, ends("artifact.changed", 2))
    expect(of(after, "artifact.changed")[1]?.step_id).toBeUndefined()
  })
})
