import { describe, expect, it } from "vitest"
import { World, words } from "./world.ts"

type Entry = { session_id: string; thread_id: string; queued_turn_id: string }

/** A running turn with three behind it. */
function busy() {
  const world = new World()
  const submit = (turn_id: string) => {
    const where = turn_id === "t0" ? { create: "session" } : {}
    return world.command("submit_turn", { session_id: "s", turn_id, ...where, input: words(turn_id) })
  }
  submit("t0")
  world.start("s", "t0")
  const entries = ["t1", "t2", "t3"].map((turn_id): Entry => {
    const decision = submit(turn_id)
    if (!decision.ok) throw new Error(JSON.stringify(decision.refusal))
    const { session_id, thread_id, queued_turn_id } = decision.result as Entry
    return { session_id, thread_id, queued_turn_id }
  })
  const [a, b, c] = entries
  if (a === undefined || b === undefined || c === undefined) throw new Error("three were queued")
  return { world, a, b, c, order: () => orderIn(world, a.thread_id) }
}

const orderIn = (world: World, thread_id: string) =>
  world.state("s").entities.queues[thread_id]?.order.map((entry) => entry.turn_id)

describe("remove_queued_turn", () => {
  it("[RT-CMD-25] a turn removed from the queue ends as cancelled and never starts", () => {
    const { world, a, b, c, order } = busy()
    const decision = world.command("remove_queued_turn", b)
    expect(decision).toMatchObject({
      ok: true,
      result: { status: "removed", order: [a.queued_turn_id, c.queued_turn_id] },
    })
    expect(order()).toEqual(["t1", "t3"])
    expect(world.types("t2")).toEqual(["turn.submitted", "turn.failed"])
    const [change, failed] = world.facts.slice(-2)
    expect(change?.payload).toMatchObject({
      change: "removed",
      queued_turn_id: b.queued_turn_id,
      policy: "fifo",
    })
    expect(failed?.payload).toMatchObject({ status: "cancelled", category: "interrupted", by: "user" })
  })

  it("[RT-CMD-25] a repeat is a no-op that tells the order", () => {
    const { world, a, b, c } = busy()
    world.command("remove_queued_turn", b)
    const before = world.facts.length
    const again = world.command("remove_queued_turn", b)
    expect(again).toMatchObject({ result: { status: "no_op", order: [a.queued_turn_id, c.queued_turn_id] } })
    expect(world.facts).toHaveLength(before)
  })

  it("[RT-CMD-25] a turn that has left the queue to start is refused in the state that it has", () => {
    const { world, a } = busy()
    world.end("s", "t0")
    for (const name of ["remove_queued_turn", "promote_queued_turn"]) {
      const decision = world.command(name, a)
      expect(decision).toMatchObject({ ok: false, refusal: { code: "wrong_state", state: "started" } })
    }
  })
})

describe("promote_queued_turn", () => {
  it("[RT-CMD-26] puts the turn first and leaves the active one alone", () => {
    const { world, a, b, c, order } = busy()
    const decision = world.command("promote_queued_turn", c)
    const ids = [c, a, b].map((entry) => entry.queued_turn_id)
    expect(decision).toMatchObject({ ok: true, result: { status: "promoted", order: ids } })
    expect(order()).toEqual(["t3", "t1", "t2"])
    expect(world.facts.at(-1)?.payload).toMatchObject({
      change: "promoted",
      queued_turn_id: c.queued_turn_id,
    })
    expect(world.state("s").entities.turns.t0?.status).toBe("running")
  })

  it("[RT-CMD-26] the first one is promoted already", () => {
    const { world, a } = busy()
    const before = world.facts.length
    expect(world.command("promote_queued_turn", a)).toMatchObject({ result: { status: "no_op" } })
    expect(world.facts).toHaveLength(before)
  })

  it("a removed turn cannot be promoted", () => {
    const { world, b } = busy()
    world.command("remove_queued_turn", b)
    const decision = world.command("promote_queued_turn", b)
    expect(decision).toMatchObject({ ok: false, refusal: { code: "wrong_state", state: "cancelled" } })
    expect(decision).toMatchObject({ refusal: { id: b.queued_turn_id } })
  })
})

describe("both", () => {
  it.each(["remove_queued_turn", "promote_queued_turn"])(
    "[RT-ID-3] %s refuses unknown and foreign targets",
    (name) => {
      const { world, a } = busy()
      world.command("submit_turn", { session_id: "o", thread_id: "ot", create: "session", input: words("x") })
      const codes = [
        { ...a, queued_turn_id: "x" },
        { ...a, thread_id: "x" },
        { ...a, thread_id: "ot" },
        { ...a, session_id: "o", thread_id: "ot" },
      ].map((input) => {
        const decision = world.command(name, input)
        return decision.ok ? "accepted" : `${decision.refusal.code} ${decision.refusal.field}`
      })
      expect(codes).toEqual([
        "not_found queued_turn_id",
        "not_found thread_id",
        "scope_mismatch thread_id",
        "scope_mismatch queued_turn_id",
      ])
    },
  )
})
