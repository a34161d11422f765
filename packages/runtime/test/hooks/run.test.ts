import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import {
  type FunctionHook,
  type Hook,
  type HookCall,
  hookPoints,
  policyChanged,
  runHooks,
} from "../../src/hooks/index.ts"
import type { Policy } from "../../src/policy/types.ts"
import { answering, digestOf, hookPorts, script } from "./given.ts"

const call: HookCall = { point: "before_tool", subject: "shell", input: { command: "rm -r build" } }
const named = (name: string, run: FunctionHook["run"]): Hook => ({
  name,
  on: "before_tool",
  kind: "function",
  run,
})

describe("facts of a hook", () => {
  it("[RT-EVT-22] a hook that passes is on record with input, output, duration and failure policy", async () => {
    const { ports, facts } = hookPorts()
    const outcome = await runHooks(call, [answering("guard", { verdict: "ask", note: "risky" })], ports)
    const run = { hook_run_id: "hook_1", hook: "guard", failure_policy: "closed" }
    expect(facts).toEqual([
      {
        type: "hook.started",
        payload: {
          ...run,
          point: "before_tool",
          order: 0,
          input: { text: '{"command":"rm -r build"}', whole: true },
        },
      },
      {
        type: "hook.completed",
        payload: {
          ...run,
          verdict: "ask",
          output: { text: '{"verdict":"ask","note":"risky"}', whole: true },
          duration_ms: 5,
        },
      },
    ])
    expect(outcome).toEqual({
      verdict: "ask",
      heard: [{ hook: "guard", verdict: "ask", note: "risky" }],
      input: call.input,
      rewritten_by: [],
      stopped: false,
    })
  })

  it.each([
    ["throws", script("guard", "console.error('no disk'); process.exit(3)"), "threw", /code 3.*no disk/s],
    ["hangs", { ...script("guard", "setInterval(() => {}, 1000)"), timeout_ms: 150 }, "timed_out", /150 ms/],
    ["says nonsense", script("guard", "console.log('fine!')"), "malformed", /no JSON/],
  ] as const)(
    "[RT-EVT-22] a hook that %s ends as exactly one hook.failed",
    async (_, hook, cause, message) => {
      const { ports, facts, types } = hookPorts()
      await runHooks(call, [hook], ports)
      expect(types()).toEqual(["hook.started", "hook.failed"])
      expect(facts[1]?.payload).toMatchObject({
        hook: "guard",
        cause,
        message: expect.stringMatching(message),
        failure_policy: "closed",
        effect: "blocked",
        duration_ms: 5,
      })
    },
  )

  it("a large input is shown in part and kept whole; secrets are in neither", async () => {
    const { ports, facts, kept } = hookPorts()
    const input = { text: `hunter2secret${"x".repeat(9000)}` }
    await runHooks({ ...call, input }, [answering("guard", {})], ports)
    const whole = JSON.stringify(input).replace("hunter2secret", "[redacted]")
    expect(facts[0]?.payload).toMatchObject({
      input: { text: whole.slice(0, 8192), whole: false },
      input_ref: { digest: digestOf(whole), kind: "blob" },
    })
    expect([...kept.values()]).toEqual([whole])
  })
})

describe("what a hook can do", () => {
  it("[RT-HOOK-1] a rewrite has the original and the new input on record, and the operation goes on with the new", async () => {
    const { ports, facts, kept } = hookPorts()
    const rewrite = { command: "rm -ri build" }
    const outcome = await runHooks(call, [answering("careful", { rewrite })], ports)
    expect(outcome).toMatchObject({ input: rewrite, rewritten_by: ["careful"], verdict: "none" })
    const original = '{"command":"rm -r build"}'
    const changed = '{"command":"rm -ri build"}'
    expect(facts[1]?.payload).toMatchObject({
      rewrite: { original_ref: { digest: digestOf(original) }, new_ref: { digest: digestOf(changed) } },
    })
    expect([...kept.values()]).toEqual([original, changed])
  })

  it("[RT-HOOK-1] a second hook sees what the first has rewritten", async () => {
    const { ports } = hookPorts()
    const seen: unknown[] = []
    const look = named("look", (event) => void seen.push(event.input))
    await runHooks(call, [answering("careful", { rewrite: { command: "ls" } }), look], ports)
    expect(seen).toEqual([{ command: "ls" }])
  })

  it("[RT-HOOK-1] a hook that writes into what it was given is refused", async () => {
    const { ports, facts } = hookPorts()
    const input = { command: "ls", options: { deep: true } }
    const meddle = named("meddle", (event) => {
      ;(event.input.options as { deep: boolean }).deep = false
    })
    const outcome = await runHooks({ ...call, input }, [meddle], ports)
    expect(input).toEqual({ command: "ls", options: { deep: true } })
    expect(facts[1]).toMatchObject({ type: "hook.failed", payload: { cause: "threw", effect: "blocked" } })
    expect(outcome.blocked?.category).toBe("hook_blocked")
  })

  it("[RT-HOOK-1] a hook that keeps its answer cannot change it later", async () => {
    const { ports } = hookPorts()
    const mine = { command: "ls" }
    const outcome = await runHooks(call, [named("keeper", () => ({ rewrite: mine }))], ports)
    mine.command = "rm"
    expect(outcome.input).toEqual({ command: "ls" })
  })

  it.each(["after_tool", "after_turn", "after_model", "after_compaction"] as const)(
    "a verdict on %s comes too late and is malformed",
    async (point) => {
      const { ports, facts } = hookPorts()
      await runHooks({ ...call, point }, [{ ...answering("late", { verdict: "deny" }), on: point }], ports)
      expect(facts[1]?.payload).toMatchObject({ cause: "malformed", message: expect.stringContaining(point) })
    },
  )

  it("a rewrite on permission is malformed", async () => {
    const { ports, facts } = hookPorts()
    const hook = { ...answering("late", { rewrite: {} }), on: "permission" } as const
    await runHooks({ ...call, point: "permission" }, [hook], ports)
    expect(facts[1]?.payload).toMatchObject({ cause: "malformed" })
  })

  it("a rewrite that cannot be kept is not used", async () => {
    const { ports, facts } = hookPorts({ keep: async () => undefined })
    const outcome = await runHooks(call, [answering("careful", { rewrite: { command: "ls" } })], ports)
    expect(facts[1]).toMatchObject({ type: "hook.failed", payload: { effect: "blocked" } })
    expect(outcome.input).toEqual(call.input)
  })

  it("a command sees PATH, HOME, what is declared, the event, and nothing else", async () => {
    vi.stubEnv("FACTUM_TEST_KEY", "top")
    onTestFinished(() => void vi.unstubAllEnvs())
    const { ports, facts } = hookPorts()
    const code = `let text = ""
      process.stdin.on("data", (b) => (text += b)).on("end", () => {
        const { __CF_USER_TEXT_ENCODING, ...env } = process.env
        console.log(JSON.stringify({ note: JSON.stringify({ event: JSON.parse(text), env: Object.keys(env).sort() }) }))
      })`
    const outcome = await runHooks(call, [{ ...script("look", code), env: { GREETING: "hi" } }], ports)
    expect(JSON.parse(outcome.heard[0]?.note ?? "")).toEqual({
      event: call,
      env: ["GREETING", "HOME", "PATH"],
    })
    expect(facts[1]?.type).toBe("hook.completed")
  })
})

describe("failures", () => {
  const failures = {
    failed: script("broken", "process.exit(1)"),
    hanging: { ...script("broken", "setInterval(() => {}, 1000)"), timeout_ms: 150 },
    malformed: answering("broken", { verdict: "maybe" }),
  } as const
  const cases = Object.keys(failures).flatMap((failure) =>
    (["open", "closed", undefined] as const).map(
      (policy) => [failure as keyof typeof failures, policy] as const,
    ),
  )
  it.each(cases)("[RT-HOOK-2] a %s hook declared %s follows its policy", async (failure, policy) => {
    const { ports, facts } = hookPorts()
    const hook: Hook = { ...failures[failure], ...(policy === undefined ? {} : { failure_policy: policy }) }
    const outcome = await runHooks(call, [hook], ports)
    const open = policy === "open"
    expect(facts[1]).toMatchObject({
      type: "hook.failed",
      payload: { failure_policy: open ? "open" : "closed", effect: open ? "continued" : "blocked" },
    })
    expect(outcome.blocked?.category).toBe(open ? undefined : "hook_blocked")
    expect(outcome).toMatchObject({ stopped: false, verdict: "none", input: call.input })
    expect(outcome.heard).toMatchObject([{ hook: "broken", verdict: "error" }])
  })

  it.each([
    ["throws", (): unknown => Promise.reject(new Error("oh")), "threw"],
    ["hangs", (): unknown => new Promise(() => {}), "timed_out"],
    ["gives a text", (): unknown => "yes", "malformed"],
    ["gives what is no JSON", (): unknown => ({ note: 1n }), "malformed"],
  ] as const)("[RT-HOOK-2] a function hook that %s fails closed", async (_, run, cause) => {
    const { ports, facts } = hookPorts()
    const outcome = await runHooks(call, [{ ...named("inside", run), timeout_ms: 20 }], ports)
    expect(facts[1]).toMatchObject({ type: "hook.failed", payload: { cause, effect: "blocked" } })
    expect(outcome.blocked).toMatchObject({ category: "hook_blocked", hook: "inside" })
  })

  it("[RT-HOOK-2] a command that is not there fails closed", async () => {
    const { ports, facts } = hookPorts()
    const hook = { name: "gone", on: "before_tool", kind: "command", command: "/no/such/hook" } as const
    await runHooks(call, [hook], ports)
    expect(facts[1]?.payload).toMatchObject({ cause: "threw", message: expect.stringContaining("started") })
  })

  it("[RT-HOOK-2] a command that floods its output is ended", async () => {
    const { ports, facts } = hookPorts()
    const flood = script("flood", "setInterval(() => process.stdout.write('x'.repeat(100000)), 0)")
    await runHooks(call, [flood], ports)
    expect(facts[1]?.payload).toMatchObject({ cause: "malformed", effect: "blocked" })
  })

  it("a hanging hook is ended with all that it started", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hook-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, "pid")
    const code = `const c = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])
      require("fs").writeFileSync(${JSON.stringify(file)}, String(c.pid)); setInterval(() => {}, 1000)`
    const controller = new AbortController()
    const { ports, types } = hookPorts({ signal: controller.signal })
    const running = runHooks(call, [script("nest", code)], ports)
    await vi.waitUntil(() => existsSync(file) && readFileSync(file, "utf8") !== "", { timeout: 10_000 })
    controller.abort()
    expect(await running).toMatchObject({ stopped: true })
    expect(types()).toEqual(["hook.started", "hook.failed"])
    const pid = Number(readFileSync(file, "utf8"))
    await vi.waitUntil(() => !alive(pid), { timeout: 10_000 })
  })

  it("an interrupted hook says so, and those after it do not start", async () => {
    const controller = new AbortController()
    const { ports, facts } = hookPorts({ signal: controller.signal })
    const stop = named("stop", () => {
      controller.abort()
      return new Promise(() => {})
    })
    const open = { ...stop, failure_policy: "open" as const }
    const outcome = await runHooks(call, [open, answering("next", {})], ports)
    expect(outcome.stopped).toBe(true)
    expect(facts).toHaveLength(2)
    expect(facts[1]?.payload).toMatchObject({ cause: "interrupted", effect: "blocked" })
  })

  it("no hook runs when its start cannot be recorded", async () => {
    const run = vi.fn()
    const { ports } = hookPorts({ record: async () => false })
    expect(await runHooks(call, [named("never", run)], ports)).toMatchObject({ stopped: true, heard: [] })
    expect(run).not.toHaveBeenCalled()
  })
})

describe("several hooks", () => {
  const verdicts = ["none", "allow", "ask", "deny"] as const
  const pairs = verdicts.flatMap((a, i) => verdicts.slice(i + 1).map((b) => [a, b] as const))
  it.each(pairs)("[RT-HOOK-3] %s and %s in both orders give the stricter", async (weak, strict) => {
    const a = named("a", () => ({ verdict: weak }))
    const b = named("b", () => ({ verdict: strict }))
    for (const hooks of [
      [a, b],
      [b, a],
    ]) {
      const { ports, facts } = hookPorts()
      const outcome = await runHooks(call, hooks, ports)
      expect(outcome.verdict).toBe(strict)
      expect(outcome.heard.map(({ hook }) => hook)).toEqual(hooks.map(({ name }) => name))
      const started = facts.filter(({ type }) => type === "hook.started").map(({ payload }) => payload)
      expect(started).toMatchObject(hooks.map(({ name }, order) => ({ hook: name, order })))
    }
  })

  it.each(hookPoints)("a hook on %s is called there and nowhere else", async (point) => {
    const { ports } = hookPorts()
    const hooks = hookPoints.map((on): Hook => ({ name: on, on, kind: "function", run: () => undefined }))
    const outcome = await runHooks({ ...call, point }, hooks, ports)
    expect(outcome.heard).toEqual([{ hook: point, verdict: "none" }])
  })

  it.each([
    ["shell", true],
    ["sh*", true],
    ["*", true],
    ["write", false],
    ["she", false],
    ["*e*l*l*", true],
    ["shell*l", false],
  ])("match %s concerns the tool shell: %s", async (match, concerned) => {
    const { ports } = hookPorts()
    const outcome = await runHooks(call, [{ ...named("m", () => ({})), match }], ports)
    expect(outcome.heard).toHaveLength(concerned ? 1 : 0)
  })
})

describe("a changed policy", () => {
  const policy: Policy = {
    version: "p1",
    mode: "ask",
    rules: [{ effect: "allow", layer: "user", tool: "shell", match: "git *" }],
  }
  it("[RT-EVT-22] a rule edit names both versions and what changed", () => {
    const next: Policy = {
      ...policy,
      version: "p2",
      rules: [{ effect: "deny", layer: "user", tool: "shell" }],
    }
    expect(policyChanged(policy, next, "file")).toEqual({
      old_version: "p1",
      new_version: "p2",
      changes: ["removed allow shell(git *) (user)", "added deny shell (user)"],
      source: "file",
    })
  })
  it("[RT-EVT-22] a mode switch names both modes", () => {
    expect(policyChanged(policy, { ...policy, version: "p2", mode: "plan" }, "person")).toEqual({
      old_version: "p1",
      new_version: "p2",
      mode: { old: "ask", new: "plan" },
      changes: [],
      source: "person",
    })
  })
  it("nothing changed, nothing to say", () => {
    expect(policyChanged(policy, { ...policy, version: "p2" }, "file")).toBeUndefined()
  })
})

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie waits for its parent and does nothing any more.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}
