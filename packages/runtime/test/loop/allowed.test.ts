import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { grep } from "../../src/adapters/tools/grep.ts"
import type { Boundary, FunctionHook, Mode, Question, Rule } from "../../src/index.ts"
import { done, ends, openRuntime, submit, until } from "../harness.ts"
import { folder } from "../processes/given.ts"
import { agentWith, fakeTool, linesModel, of, outputs, reader } from "./given.ts"

const rule = (effect: Rule["effect"], tool: string, match?: string): Rule => ({
  effect,
  layer: "user",
  tool,
  ...(match === undefined ? {} : { match }),
})
const policy = (mode: Mode, ...rules: readonly Rule[]) => ({ policy: { version: "1", mode, rules } })
const calls = (tool: string, args: unknown = {}) => ({ calls: [{ id: "c1", tool, args }] })

describe("what an allowed call is given", () => {
  const usual: Boundary = { profile: "workspace_write", network: "all" }
  const least: Boundary = { profile: "read_only", network: "none" }

  it.each([
    ["plan", "ls", least],
    ["ask", "ls | wc -l", least],
    ["accept_edits", "ls", least],
    ["accept_edits", "echo x > f", usual],
    ["full", "ls", usual],
  ] as const)(
    "[RT-SBX-1] in %s mode %s runs in no wider boundary than it was judged for",
    async (mode, text, wanted) => {
      const cwd = realpathSync(folder())
      const seen: Boundary[] = []
      const shell = reader("shell", {
        touches: async () => [{ kind: "command", command: text, cwd }],
        does: (_, run) => {
          seen.push(run.boundary)
          return { ok: true, output: "" }
        },
      })
      const { model } = linesModel([calls("shell")])
      const workspace = { cwd, roots: [cwd] }
      const agent = agentWith([shell], { ...policy(mode), workspace, boundary: usual })
      const { runtime } = await openRuntime(model, { agent })
      const { session_id } = await submit(runtime, "Look")
      await until(runtime, session_id, ends("turn.completed"))
      expect(seen).toEqual([wanted])
    },
  )

  it("a search leaves out the files that a rule closes, and says so", async () => {
    const cwd = realpathSync(folder())
    mkdirSync(join(cwd, "secrets"))
    writeFileSync(join(cwd, "secrets/key"), "the planted word")
    writeFileSync(join(cwd, "open"), "the planted word")
    const { model, calls: asked } = linesModel([calls("grep", { pattern: "planted", path: "." })])
    const workspace = { cwd, roots: [cwd] }
    const agent = agentWith([grep], { ...policy("full", rule("deny", "read", "secrets/**")), workspace })
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "Search")
    await until(runtime, session_id, ends("turn.completed"))
    const told = outputs(asked[1])[0] ?? ""
    expect(told).toContain("open:1: the planted word")
    expect(told).toContain("1 files left out")
    expect(told).not.toContain("key:1")
  })
})

describe("a question of a tool", () => {
  const question = {
    action_type: "clarification",
    title: "Which?",
    decisions: [{ id: "a", label: "A", effect: "neutral" }],
  } satisfies Question

  it("[RT-PERM-1] is not asked when a hook denies it", async () => {
    const asks = fakeTool("ask_user", { side_effects: [], asks: () => question })
    const { model, calls: heard } = linesModel([calls("ask_user")])
    const hooks: FunctionHook[] = [
      { kind: "function", name: "guard", on: "before_tool", run: async () => ({ verdict: "deny" }) },
    ]
    const agent = agentWith([asks], { ...policy("full"), hooks })
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "Ask")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "action.required")).toEqual([])
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "permission_denied" })
    expect(outputs(heard[1])[0]).toContain("permission_denied")
  })

  it("is asked in plan mode, too", async () => {
    const asks = reader("ask_user", { side_effects: [], asks: () => question })
    const { model } = linesModel([calls("ask_user")])
    const { runtime } = await openRuntime(model, { agent: agentWith([asks], policy("plan")) })
    const { session_id } = await submit(runtime, "Ask")
    expect(of(await until(runtime, session_id, ends("action.required")), "action.required")).toHaveLength(1)
  })
})

describe("an approval", () => {
  it("[RT-PERM-7] does not hold for what the call touches by then, also where that would be free", async () => {
    let target = "/srv/asked/x"
    const write = fakeTool("write", { touches: async () => [{ kind: "write", path: target }] })
    const { model } = linesModel([calls("write")])
    const agent = agentWith([write], policy("full", rule("ask", "write", "/srv/asked/**")))
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "Write")
    const first = of(await until(runtime, session_id, ends("action.required")), "action.required")
    target = "/srv/free/x"
    await done(runtime, "respond_action", { action_id: first[0]?.action_id ?? "", decision: "allow" })
    const twice = (facts: Parameters<typeof of>[0]) => of(facts, "action.required").length === 2
    const seen = await until(runtime, session_id, twice)
    expect(write.runs).toEqual([])
    const again = of(seen, "action.required")[1]?.action_id ?? ""
    await done(runtime, "respond_action", { action_id: again, decision: "allow" })
    await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toHaveLength(1)
  })

  it("[RT-PERM-4] shows no letter of the input that would turn the text around", async () => {
    const write = fakeTool("write", {})
    const { model } = linesModel([calls("write", { path: "a\u202Ecod.sh", text: "one\ntwo" })])
    const { runtime } = await openRuntime(model, { agent: agentWith([write], policy("ask")) })
    const { session_id } = await submit(runtime, "Write")
    const seen = of(await until(runtime, session_id, ends("action.required")), "action.required")
    const shown = JSON.stringify(seen[0]?.payload)
    expect(shown).not.toContain("\u202E")
    expect(shown).toContain("a\\\\u{202e}cod.sh")
  })
})
