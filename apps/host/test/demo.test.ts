import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ModelCall, ModelChunk, ModelMessage } from "@factum/runtime"
import { parseScript, type Scene, scriptedModel } from "@factum/runtime/scripted"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { Host } from "../src/host.ts"
import { openHost } from "../src/opening.ts"
import { parseOptions } from "../src/options.ts"
import { temporaryDirectory } from "./hosting.ts"

vi.setConfig({ testTimeout: 180_000 })

const parsed = parseScript(readFileSync(new URL("../demo/welcome.jsonl", import.meta.url), "utf8"))
const scenes: Scene[] = parsed.ok ? parsed.scenes.map(atOnce) : []

function atOnce({ on, steps }: Scene): Scene {
  const hurried = steps.filter((step) => !("delay_ms" in step))
  return { on, steps: hurried.map((step) => ("text" in step ? { ...step, every_ms: 0, chunk: 1000 } : step)) }
}

async function answer(text: string, ...since: ModelMessage[]) {
  const call = {
    model: "demo",
    messages: [{ role: "user", parts: text }, ...since],
    signal: new AbortController().signal,
  } satisfies ModelCall
  const chunks: ModelChunk[] = []
  for await (const chunk of scriptedModel(scenes).stream(call)) chunks.push(chunk)
  const joined = (kind: string) =>
    chunks.map((chunk) => (chunk.kind === kind && "text" in chunk ? chunk.text : "")).join("")
  return { chunks, last: chunks.at(-1), text: joined("text"), reasoning: joined("reasoning") }
}

describe("the demo", () => {
  it("is a script that can be read", () => {
    expect(parsed).toMatchObject({ ok: true })
  })

  it.each([
    ["hello there", /welcome to Factum.*script/s],
    ["你好", /欢迎使用 Factum.*脚本/s],
  ])("greets: %s", async (said, expected) => {
    const { text, reasoning, last } = await answer(said)
    expect(text).toMatch(expected)
    expect(reasoning).toMatch(/\S/)
    expect(last).toMatchObject({ kind: "finish", finish: "stop" })
  })

  it.each(["think about it", "思考一下"])("reasons before it answers: %s", async (said) => {
    const { chunks } = await answer(said)
    const kinds = [...new Set(chunks.map((chunk) => chunk.kind))]
    expect(kinds).toEqual(["reasoning", "reasoning_summary", "text", "finish"])
  })

  it.each(["use a tool", "用一下工具"])("uses tools, then tells what came of it: %s", async (said) => {
    const { chunks, last } = await answer(said)
    const tools = chunks.flatMap((chunk) => (chunk.kind === "tool_call" ? [chunk.tool] : []))
    expect(tools).toEqual(["list_files", "shell"])
    expect(last).toMatchObject({ kind: "finish", finish: "tool_calls" })
    const after = await answer(said, { role: "assistant", parts: "" }, { role: "tool", parts: [] })
    expect(after.text).toMatch(/\S/)
    expect(after.last).toMatchObject({ kind: "finish", finish: "stop" })
  })

  it.each([
    ["a long answer, please", 1000],
    ["来一段长的", 300],
  ])("gives a long answer: %s", async (said, least) => {
    expect((await answer(said)).text.length).toBeGreaterThan(least)
  })

  it.each([
    ["show an error", "provider_error"],
    ["出错", "provider_error"],
    ["rate limit", "rate_limited"],
    ["限流", "rate_limited"],
  ])("fails when it is asked to: %s", async (said, category) => {
    expect((await answer(said)).last).toMatchObject({ kind: "error", category, retryable: false })
  })

  it.each([
    ["What is the capital of France?", /from a script.*do not pretend.*--script/s],
    ["法国的首都是哪里？", /脚本.*不会假装.*--script/s],
    ["", /from a script/],
  ])("says truthfully that it did not understand: %s", async (said, expected) => {
    expect((await answer(said)).text).toMatch(expected)
  })

  it("knows what it says that it knows, in both languages", async () => {
    for (const [asked, quoted] of [
      ["What?", /“([^”]+)”/g],
      ["什么？", /“([^”]+)”/g],
    ] as const) {
      const catchAll = (await answer(asked)).text
      const names = [...catchAll.matchAll(quoted)].map((match) => match[1] ?? "")
      expect(names.length).toBe(6)
      for (const name of names) expect((await answer(name)).text).not.toBe(catchAll)
    }
  })
})

type Fact = { type: string; session_id: string; action_id?: string; payload: Record<string, unknown> }

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** The product's host as a person starts it in a project of their own, with nothing configured. */
async function startDemo(more: readonly string[] = []) {
  const { path, remove } = temporaryDirectory()
  writeFileSync(join(path, "login.js"), "// A file of the person's own.\n")
  const options = parseOptions(["--port", "0", "--data", join(path, "data"), "--no-open", ...more], {
    env: {},
    platform: process.platform,
    home: path,
    cwd: path,
  })
  if (options.kind !== "start") throw new Error(JSON.stringify(options))
  const opened = await openHost(options)
  if (!opened.ok) throw new Error(JSON.stringify(opened))
  ends.push(() => opened.host.close().finally(remove))
  return { host: opened.host, project: path }
}

async function ask<R>(host: Host, path: string, body?: object): Promise<R> {
  const headers = { authorization: `Bearer ${host.token}`, "content-type": "application/json" }
  const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) }
  const reply = (await (await fetch(new URL(path, host.url), init)).json()) as { ok: boolean; result: R }
  if (!reply.ok) throw new Error(`${path}: ${JSON.stringify(reply)}`)
  return reply.result
}

const command = <R>(host: Host, name: string, input: object) =>
  ask<R>(host, `/v1/commands/${name}`, { command_id: `cmd_${name}_${Math.random()}`, input })

/** Says it in a new session and answers every question with this decision until the turn ends. */
async function play(host: Host, say: string, decide: (fact: Fact) => string) {
  const { session_id } = await command<{ session_id: string }>(host, "submit_turn", {
    create: "session",
    input: [{ kind: "text", text: say }],
  })
  const answered = new Set<string>()
  const facts = await vi.waitFor(
    async () => {
      const { history } = await command<{ history: Fact[] }>(host, "get_session", { session_id, limit: 1000 })
      for (const fact of history) {
        const { action_id } = fact
        if (fact.type !== "action.required" || action_id === undefined || answered.has(action_id)) continue
        answered.add(action_id)
        await command(host, "respond_action", { session_id, action_id, decision: decide(fact) })
      }
      if (!history.some(({ type }) => /^turn\.(completed|failed|cancelled)$/.test(type)))
        throw new Error("The turn has not ended.")
      return history
    },
    { timeout: 150_000, interval: 100 },
  )
  const types = facts.map(({ type }) => type)
  const said = facts
    .filter(({ type }) => type === "model.completed")
    .flatMap(({ payload }) => payload.parts as { kind: string; text?: string }[])
    .map(({ text = "" }) => text)
    .join("\n")
  return { facts, types, said, session_id, asked: answered.size }
}

const named = (one: Fact, names: readonly string[]): string => {
  const decisions = one.payload.decisions as { id: string }[]
  return decisions.find(({ id }) => names.includes(id))?.id ?? JSON.stringify(decisions)
}
const yes = (one: Fact) => named(one, ["approve", "allow", "allow_once", "once", "yes"])
const no = (one: Fact) => named(one, ["reject", "deny", "no"])
const sampleIn = (project: string, session_id: string) =>
  readFileSync(join(project, "data", "demo", session_id, "login.js"), "utf8")

describe("a demonstration on a real host", () => {
  it.each([
    ["Fix the failing login test", "tests passed: 3", "tests failed: 0"],
    ["修好失败的登录测试", "通过的测试：3", "失败的测试：0"],
  ])("changes its copy of the sample and runs the tests there: %s", async (say, passed, failed) => {
    const { host, project } = await startDemo()
    expect(await ask(host, "/v1/capabilities")).toMatchObject({ demonstrations: true })
    const { said, types, asked, session_id } = await play(host, say, yes)
    expect(said).toContain(passed)
    expect(said).toContain(failed)
    expect(asked).toBe(2)
    expect(types).toContain("sandbox.applied")
    expect(types.at(-1)).not.toBe("turn.failed")
    expect(sampleIn(project, session_id)).toContain("password === user.password")
    expect(readFileSync(join(project, "login.js"), "utf8")).toBe("// A file of the person's own.\n")
    expect(readdirSync(project).sort()).toEqual(["data", "login.js"])
    // The next session finds the sample as it was made.
    const again = await play(host, say, no)
    expect(again.said).toMatch(/not made|没有进行/)
    expect(again.said).toMatch(/not run|没有运行/)
    expect(sampleIn(project, again.session_id)).toContain("startsWith")
  })

  it.each(["Plan a limit on failed logins", "为登录失败次数做一个计划"])(
    "shows a plan and waits for the decision: %s",
    async (say) => {
      const { host } = await startDemo()
      const { facts, types } = await play(host, say, yes)
      const [asked] = facts.filter(({ type }) => type === "action.required")
      expect(asked?.payload).toMatchObject({ action_type: "plan_decision" })
      expect(types).toContain("turn.completed")
    },
  )

  it.each(["Write a report on the login check", "写一份登录检查的报告"])(
    "makes an artifact and a second version of it: %s",
    async (say) => {
      const { host } = await startDemo()
      const { facts, types, said } = await play(host, say, yes)
      expect(types).toContain("turn.completed")
      const made = facts.filter(({ type }) => /^artifact\.(created|produced|updated|changed)$/.test(type))
      expect(made.length).toBe(2)
      expect(said).toMatch(/Changed artifact \S+, version/)
    },
  )

  it.each(["Let two agents review the login check", "让两个智能体审查登录检查"])(
    "hands work to two agents that work at the same time: %s",
    async (say) => {
      const { host } = await startDemo()
      const { facts, types } = await play(host, say, yes)
      const at = (type: string) => facts.flatMap((one, index) => (one.type === type ? [index] : []))
      expect(at("subagent.spawned").length).toBe(2)
      expect(at("subagent.completed").length).toBe(2)
      expect(Math.max(...at("subagent.spawned"))).toBeLessThan(Math.min(...at("subagent.completed")))
      expect(types).toContain("turn.completed")
    },
  )

  it("is not offered when the script is the person's own", async () => {
    const { path, remove } = temporaryDirectory()
    ends.push(async () => remove())
    const script = join(path, "own.jsonl")
    writeFileSync(script, '{"on":""}\n{"text":"Yes."}\n')
    const { host } = await startDemo(["--script", script])
    expect(await ask(host, "/v1/capabilities")).toMatchObject({ demonstrations: false })
  })
})
