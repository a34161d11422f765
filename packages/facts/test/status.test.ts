import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  canMove,
  marks,
  states,
  terminalStates,
  transitions,
  type WorkKind,
  type WorkState,
  workStates,
} from "../src/index.ts"

const waits = "waiting_input waiting_permission waiting_resource"
const stops = "failed cancelled timed_out"

// The table of RT-STAT-19, written again from its words. "paused" and what follows "|" are for tasks only.
const legal: Readonly<Record<WorkState | "new", string>> = {
  new: "accepted",
  accepted: `queued preparing blocked ${stops} | paused`,
  queued: `preparing waiting_resource blocked ${stops} | paused`,
  preparing: `running ${waits} blocked retrying lost ${stops} | paused`,
  running: `streaming ${waits} blocked retrying lost completed ${stops} | paused`,
  streaming: `running ${waits} blocked retrying lost ${stops} | paused`,
  waiting_input: `preparing running blocked ${stops} | paused`,
  waiting_permission: `preparing running blocked ${stops} | paused`,
  waiting_resource: `queued preparing running retrying blocked lost ${stops} | paused`,
  blocked: `queued preparing running ${waits} ${stops} | paused`,
  retrying: `preparing running ${waits} blocked lost ${stops} | paused`,
  lost: `running retrying ${stops}`,
  failed: "| retrying",
  timed_out: "| retrying",
  cancelled: "| retrying",
  completed: "",
  paused: `| queued ${stops}`,
}

const froms = Object.keys(legal) as (WorkState | "new")[]
const pairs = froms.flatMap((from) => workStates.map((to) => [from, to] as const))

function allowed(from: WorkState | "new", kind: WorkKind): string[] {
  const [both = "", tasks = ""] = legal[from].split("|")
  return `${both} ${kind === "task" ? tasks : ""}`.split(" ").filter((word) => word !== "")
}

describe("states", () => {
  it.each([
    "accepted",
    "queued",
    "preparing",
    "running",
    "waiting_input",
    "waiting_permission",
    "waiting_resource",
    "blocked",
    "streaming",
    "retrying",
    "lost",
    "timed_out",
    "completed",
    "failed",
    "cancelled",
    "stale",
  ] as const)("%s is a state of the specification", (state) => expect(states).toContain(state))
  it("there are sixteen", () => expect(new Set(states).size).toBe(16))
  it("work is never stale, and only tasks are paused", () => {
    expect(workStates.filter((state) => !(states as readonly string[]).includes(state))).toEqual(["paused"])
    expect(
      (states as readonly string[]).filter((state) => !(workStates as readonly string[]).includes(state)),
    ).toEqual(["stale"])
  })
  it("a mark is no state", () => {
    expect(marks).toEqual(["unknown", "unavailable"])
    expect(marks.filter((mark) => (states as readonly string[]).includes(mark))).toEqual([])
  })
  it("four states are an end", () => {
    expect([...terminalStates].toSorted()).toEqual(["cancelled", "completed", "failed", "timed_out"])
  })
})

describe("transitions", () => {
  it.each(pairs)("[RT-STAT-19] turn: %s to %s", (from, to) => {
    expect(canMove(from, to, "turn")).toBe(allowed(from, "turn").includes(to))
  })
  it.each(pairs)("[RT-STAT-19] task: %s to %s", (from, to) => {
    expect(canMove(from, to, "task")).toBe(allowed(from, "task").includes(to))
  })
  it.each(workStates)("[RT-STAT-19] a paused task that was %s may return to it", (held) => {
    expect(canMove("paused", held, "task", held)).toBe(true)
    expect(canMove("paused", held, "turn", held)).toBe(false)
    for (const other of workStates) {
      const expected = other === held || allowed("paused", "task").includes(other)
      expect(canMove("paused", other, "task", held), other).toBe(expected)
    }
  })
  it("[RT-STAT-19] a new turn or task starts as accepted and as nothing else", () => {
    expect(transitions.new).toEqual(["accepted"])
  })
  it("[RT-STAT-19] no walk leaves completed, and an ended turn stays ended", () => {
    const move = fc.constantFrom(...workStates)
    fc.assert(
      fc.property(
        fc.constantFrom<WorkKind>("turn", "task"),
        fc.array(move, { maxLength: 60 }),
        (kind, tries) => {
          let now: WorkState | "new" = "new"
          let held: WorkState | undefined
          let ended = false
          for (const to of tries) {
            if (!canMove(now, to, kind, held)) continue
            expect(now).not.toBe("completed")
            expect(ended && kind === "turn").toBe(false)
            if (to === "paused") held = now === "new" ? undefined : now
            now = to
            ended = terminalStates.has(now)
            expect(transitions).toHaveProperty(now)
          }
        },
      ),
    )
  })
  it("[RT-STAT-19] every state can be reached from new, and every active state can stop", () => {
    for (const kind of ["turn", "task"] as const) {
      const reached = new Set<string>(["new"])
      for (const from of reached)
        for (const to of workStates) if (canMove(from as WorkState, to, kind)) reached.add(to)
      const missing = workStates.filter((state) => !reached.has(state))
      expect(missing).toEqual(kind === "turn" ? ["paused"] : [])
    }
    for (const from of workStates.filter((state) => !terminalStates.has(state))) {
      expect(
        ["failed", "cancelled", "timed_out"].filter((to) => !canMove(from, to as WorkState, "task")),
      ).toEqual([])
    }
  })
})
