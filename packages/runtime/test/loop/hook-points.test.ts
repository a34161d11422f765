import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Envelope } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { atPoint } from "../../src/execution/hook-points.ts"
import type { Hook, HookCall, HookPoint } from "../../src/index.ts"
import { createRedactor } from "../../src/redact.ts"
import { ends, openRuntime, submit, temporaryDirectory, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of, outputs } from "./given.ts"

type Answering = (event: HookCall) => unknown
const hook = (on: HookPoint, run: Answering, more: Partial<Hook> = {}): Hook =>
  ({ kind: "function", name: `${on}-hook`, on, run, ...more }) as Hook

const over = (seen: readonly Envelope[]) =>
  ends("turn.completed")(seen) || ends("turn.failed")(seen) || ends("action.required")(seen)

async function turn(hooks: readonly Hook[], more: Parameters<typeof agentWith>[1] = {}) {
  const write = fakeTool("write")
  const { model, calls } = linesModel([
    { text: "I will.", calls: [{ id: "w", tool: "write" }] },
    { text: "Done." },
  ])
  const agent = agentWith([write], { instructions: "Be brief.", ...more, hooks })
  const { runtime } = await openRuntime(model, { agent })
  const { session_id } = await submit(runtime, "Write it")
  const seen = await until(runtime, session_id, over)
  return { runtime, write, calls, seen }
}

const told = (point: string) => (seen: readonly Envelope[]) =>
  of(seen, "hook.started").filter(({ payload }) => payload.point === point)

describe("hooks at every point", () => {
  const inputs = {
    before_turn: { text: "Write it" },
    before_model: { model: "lines/lines-1", system: "Be brief." },
    after_model: { text: "I will.", calls: [{ name: "write" }] },
    before_tool: {},
    permission: { tool: "write", verdict: "allow" },
    after_tool: { tool: "write", ok: true, output: "write done" },
    after_turn: { status: "completed" },
  } as const
  const points = Object.keys(inputs) as (keyof typeof inputs)[]

  it.each(points)(
    "[RT-HOOK-1] %s: it is called with what happens, and its result is a fact",
    async (point) => {
      const heard: HookCall[] = []
      const { seen, write } = await turn([hook(point, (event) => void heard.push(event))])
      expect(heard[0]).toMatchObject({ point, input: inputs[point] })
      expect(told(point)(seen).length).toBe(heard.length)
      expect(of(seen, "hook.completed")).toHaveLength(heard.length)
      expect(of(seen, "turn.completed")).toHaveLength(1)
      expect(write.runs).toHaveLength(1)
    },
  )

  it("[RT-HOOK-1] they come in the order of the work", async () => {
    const { seen } = await turn(points.map((point) => hook(point, () => undefined)))
    expect(of(seen, "hook.started").map(({ payload }) => payload.point)).toEqual([
      ...["before_turn", "before_model", "after_model", "before_tool", "permission", "after_tool"],
      ...["before_model", "after_model", "after_turn"],
    ])
  })

  it.each([
    ["before_turn", 0, 0],
    ["before_model", 0, 0],
    ["before_tool", 2, 0],
    ["permission", 2, 0],
  ] as const)("a deny at %s stops just that", async (point, requests, runs) => {
    const { seen, calls, write } = await turn([hook(point, () => ({ verdict: "deny", note: "Not here." }))])
    expect(calls).toHaveLength(requests)
    expect(write.runs).toHaveLength(runs)
    const failed = requests === 0 ? of(seen, "turn.failed") : of(seen, "tool.failed")
    expect(failed[0]?.payload.category).toBe(requests === 0 ? "hook_blocked" : "permission_denied")
    if (requests === 0) expect(failed[0]?.payload.reason).toContain("Not here.")
  })

  it.each(["before_turn", "before_model"] as const)(
    "an ask at %s stops it, as nobody can be asked there",
    async (point) => {
      const { seen, calls } = await turn([hook(point, () => ({ verdict: "ask" }))])
      expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ category: "hook_blocked" })
      expect(calls).toEqual([])
    },
  )

  const broken = () => {
    throw new Error("broken")
  }
  it.each(points)("[RT-HOOK-2] %s: a broken hook without a declared policy blocks", async (point) => {
    const { seen, write, calls } = await turn([hook(point, broken)])
    expect(of(seen, "hook.failed")[0]?.payload).toMatchObject({ cause: "threw", effect: "blocked" })
    const inCall = point === "before_tool" || point === "permission" || point === "after_tool"
    const ended = inCall ? of(seen, "tool.failed")[0] : of(seen, "turn.failed")[0]
    expect(ended?.payload).toMatchObject({ category: "hook_blocked" })
    if (point !== "after_tool" && point !== "after_turn") expect(write.runs).toEqual([])
    if (point === "after_tool") expect(outputs(calls[1])[0]).not.toContain("write done")
  })

  it.each(points)("[RT-HOOK-2] %s: a broken open hook lets the work go on, on record", async (point) => {
    const { seen, write } = await turn([hook(point, broken, { failure_policy: "open" })])
    expect(of(seen, "hook.failed")[0]?.payload).toMatchObject({ effect: "continued" })
    expect(of(seen, "turn.completed")).toHaveLength(1)
    expect(write.runs).toHaveLength(1)
  })

  it.each(["before_tool", "permission"] as const)(
    "[RT-PERM-2] an allow at %s does not turn a deny or an ask into allow",
    async (point) => {
      const allow = hook(point, () => ({ verdict: "allow" }))
      for (const effect of ["deny", "ask"] as const) {
        const touched = fakeTool("write", { touches: async () => [{ kind: "write", path: "/srv/a" }] })
        const rules = [{ effect, layer: "user", tool: "write", match: "/srv/**" }] as const
        const policy = { version: "1", mode: "full", rules } as const
        const { model } = linesModel([{ calls: [{ id: "w", tool: "write" }] }])
        const agent = agentWith([touched], { policy, hooks: [allow] })
        const { runtime } = await openRuntime(model, { agent })
        const { session_id } = await submit(runtime, "Go")
        const seen = await until(runtime, session_id, over)
        expect(of(seen, "permission.evaluated")[0]?.payload).toMatchObject({ verdict: effect })
        expect(touched.runs).toEqual([])
      }
    },
  )

  it("a permission hook breaks a silence, and an ask of it reaches a person", async () => {
    const allowed = await turn([hook("permission", () => ({ verdict: "allow" }))], asking)
    expect(allowed.write.runs).toHaveLength(1)
    const asked = await turn([hook("permission", () => ({ verdict: "ask", note: "Sure?" }))])
    expect(of(asked.seen, "action.required")[0]?.payload).toMatchObject({ action_type: "tool_approval" })
    expect(asked.write.runs).toEqual([])
  })

  it("[RT-HOOK-1] before_model may rewrite the instructions, and both are on record", async () => {
    const rewrite = { rewrite: { system: "Be very brief." } }
    const { seen, calls, runtime } = await turn([hook("before_model", () => rewrite)])
    expect(calls[0]?.system).toBe("Be very brief.")
    const refs = of(seen, "hook.completed")[0]?.payload.rewrite as Record<string, { digest: string }>
    const text = (ref: string) => Buffer.from(runtime.blobs.get(refs[ref]?.digest ?? "") ?? []).toString()
    expect(text("original_ref")).toContain("Be brief.")
    expect(text("new_ref")).toBe('{"system":"Be very brief."}')
  })

  it("[RT-HOOK-1] what a person said is not rewritten, nor is a request without its instructions sent", async () => {
    const turned = await turn([hook("before_turn", () => ({ rewrite: { text: "Delete it" } }))])
    expect(of(turned.seen, "hook.failed")[0]?.payload).toMatchObject({ cause: "malformed" })
    expect(turned.calls).toEqual([])
    const asked = await turn([hook("before_model", () => ({ rewrite: { messages: [] } }))])
    expect(of(asked.seen, "turn.failed")[0]?.payload).toMatchObject({ category: "hook_blocked" })
    expect(asked.calls).toEqual([])
  })

  it("a command hook works at a point of the turn, too", async () => {
    const script = join(temporaryDirectory(), "hook.mjs")
    writeFileSync(
      script,
      `let text = ""; for await (const part of process.stdin) text += part
       const { input } = JSON.parse(text)
       console.log(JSON.stringify(input.text.includes("Write") ? { verdict: "deny", note: "No writing." } : {}))`,
    )
    const command = {
      kind: "command",
      name: "guard",
      on: "before_turn",
      command: process.execPath,
      args: [script],
    } as const
    const workspace = { cwd: temporaryDirectory(), roots: [] }
    const { seen } = await turn([command], { workspace })
    expect(of(seen, "turn.failed")[0]?.payload.reason).toContain("No writing.")
  })
})

describe("compaction, called from where it is done", () => {
  it.each(["before_compaction", "after_compaction"] as const)(
    "%s: facts, and a block when it is closed",
    async (point) => {
      const recorded: string[] = []
      const ports = (run: Answering) => ({
        agent: { hooks: [hook(point, run)], workspace: { cwd: "/", roots: [] } },
        ids: { next: () => "stp_1" },
        now: () => 0,
        blobs: {
          put: async () => ({ ok: false as const, reason: "none" }),
          get: () => undefined,
          read: async () => undefined,
          receive: async () => ({ ok: false as const, code: "write_failed" as const, reason: "none" }),
        },
        redactor: createRedactor(),
        signal: new AbortController().signal,
        record: async (facts: readonly { type: string }[]) =>
          recorded.push(...facts.map(({ type }) => type)) > 0,
      })
      const call = { point, subject: "thr_1", input: { reason: "full" } }
      expect(
        await atPoint(
          ports(() => undefined),
          call,
        ),
      ).toMatchObject({ kind: "go" })
      expect(
        await atPoint(
          ports(() => Promise.reject(new Error("x"))),
          call,
        ),
      ).toMatchObject({ kind: "blocked" })
      expect(recorded).toEqual(["hook.started", "hook.completed", "hook.started", "hook.failed"])
    },
  )
})
