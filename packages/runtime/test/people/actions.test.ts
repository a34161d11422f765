import type { Envelope } from "@factum/facts"
import { describe, expect, it } from "vitest"
import type { Agent, Runtime } from "../../src/index.ts"
import { done, ends, facts, refused, submit, until } from "../harness.ts"
import { fakeTool, type Line, linesModel, of, outputs } from "../loop/given.ts"
import { openWork, policy } from "./given.ts"

const requester = { kind: "teammate", id: "sub_1", name: "Scout" } as const
const call = (tool: string, args: unknown = {}): Line => ({ calls: [{ id: tool, tool, args }] })
const plan = call("present_plan", { title: "The plan", plan: "1. Write.\n2. Test." })

type Case = {
  type: string
  /** What the model does, the last of it asks. */
  lines: readonly (Line | (() => Line))[]
  agent?: Partial<Agent>
  good: (runtime: Runtime, session_id: string) => Record<string, unknown>
  /** An answer that must be refused, and the field that is wrong. */
  bad: readonly [Record<string, unknown>, string]
  /** What the model is told of the good answer. */
  told: string
}

function cases(artifact: () => string): readonly Case[] {
  return [
    {
      type: "tool_approval",
      lines: [call("write")],
      agent: { policy: policy("ask") },
      good: () => ({ decision: "allow" }),
      bad: [{ decision: "approve" }, "input.decision"],
      told: "write done",
    },
    {
      type: "delegated_permission",
      lines: [call("write")],
      agent: { policy: policy("ask"), requester },
      good: () => ({ decision: "allow" }),
      bad: [{ decision: "yes" }, "input.decision"],
      told: "write done",
    },
    {
      type: "plan_decision",
      lines: [plan],
      agent: { policy: policy("plan") },
      good: () => ({ decision: "approve" }),
      bad: [{ decision: "allow" }, "input.decision"],
      told: '"decision":"approve"',
    },
    {
      type: "teammate_plan_decision",
      lines: [plan],
      agent: { policy: policy("plan"), requester },
      good: () => ({ decision: "reject", note: "Smaller steps." }),
      bad: [{ decision: "maybe" }, "input.decision"],
      told: "Smaller steps.",
    },
    {
      type: "clarification",
      lines: [call("ask", { question: "Which?", choices: ["a", "b"] })],
      good: () => ({ decision: "answer", payload: { answer: "b" } }),
      bad: [{ decision: "answer", payload: { answer: "c" } }, "input.payload.answer"],
      told: '"answer":"b"',
    },
    {
      type: "structured_input",
      lines: [
        call("ask", {
          question: "Where to?",
          fields: [
            { name: "host", type: "string" },
            { name: "port", type: "integer" },
            { name: "note", type: "string", optional: true },
          ],
        }),
      ],
      good: () => ({ decision: "answer", payload: { host: "example.org", port: 22 } }),
      bad: [{ decision: "answer", payload: { host: "example.org", port: "22" } }, "input.payload.port"],
      told: '"port":22',
    },
    {
      type: "permission_grant",
      lines: [call("request_permission", { tool: "write", reason: "Many files.", minutes: 10 })],
      agent: { policy: policy("ask") },
      good: () => ({ decision: "allow" }),
      bad: [{ decision: "always" }, "input.decision"],
      told: '"decision":"allow"',
    },
    {
      type: "credential_request",
      lines: [call("request_credential", { name: "GH_TOKEN", purpose: "To push." })],
      good: (runtime, session_id) => {
        const kept = runtime.credentials.keep({ session_id, name: "GH_TOKEN", value: "hunter2-value" })
        return { decision: "provide", payload_ref: kept.ok ? kept.ref : undefined }
      },
      bad: [{ decision: "provide", payload: { value: "hunter2-value" } }, "input.payload"],
      told: "capability:credential/",
    },
    {
      type: "artifact_review",
      lines: [
        call("write_artifact", { title: "Report", content: "# Report" }),
        () => call("request_review", { artifact_id: artifact(), question: "Is it right?" }),
      ],
      good: () => ({ decision: "request_changes", payload: { comments: "Shorter." } }),
      bad: [{ decision: "approve", payload: { comments: 3 } }, "input.payload.comments"],
      told: "Shorter.",
    },
  ]
}

const types = cases(() => "").map(({ type }) => type)

async function waiting(
  type: string,
  more: { directory?: string; agent?: Partial<Agent>; now?: () => number } = {},
) {
  let artifact_id = ""
  const found = cases(() => artifact_id).find((one) => one.type === type)
  if (found === undefined) throw new Error(`no case ${type}`)
  const write = fakeTool("write")
  const lines = found.lines.map((line) => () => {
    artifact_id = opened.runtime.artifacts?.list({ limit: 1 })[0]?.artifact_id ?? ""
    return typeof line === "function" ? line() : line
  })
  const { model, calls } = linesModel([...lines, { text: "Done." }])
  const agent = { ...found.agent, ...more.agent }
  const { directory, now } = more
  const opened = await openWork(model, {
    tools: [write],
    agent,
    ...(directory && { directory }),
    ...(now && { clock: { now } }),
  })
  const turn = await submit(opened.runtime, "Go")
  const seen = await until(opened.runtime, turn.session_id, ends("action.required"))
  const [required] = of(seen, "action.required")
  return { ...opened, ...turn, ...found, agent, write, calls, required, action_id: required?.action_id ?? "" }
}

const last = (seen: readonly Envelope[], type: string) => of(seen, type).at(-1)?.payload

describe.each(types)("%s", (type) => {
  it(`[RT-EVT-10] ${type}: required and answered once, with decider and reason; the model is told`, async () => {
    const { runtime, session_id, action_id, required, good, told, calls } = await waiting(type)
    expect(required?.payload).toMatchObject({ action_type: type, decided_by: "human" })
    const before = calls.length
    await done(runtime, "respond_action", { action_id, ...good(runtime, session_id) })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "action.resolved")).toHaveLength(1)
    expect(last(seen, "action.resolved")).toMatchObject({ reason: "answered", decider: { kind: "human" } })
    expect(outputs(calls[before])[0]).toContain(told)
  })

  it(`[RT-CMD-24] ${type}: an answer that does not fit is refused with the field, and nothing moves`, async () => {
    const { runtime, session_id, action_id, bad } = await waiting(type)
    const head = runtime.log.head(session_id)
    const [input, field] = bad
    const refusal = await refused(runtime, "respond_action", { input: { action_id, ...input } })
    expect(refusal).toMatchObject({ code: "invalid_input", field })
    expect(runtime.log.head(session_id)).toBe(head)
  })

  it(`[RT-ACT-4] ${type}: one tick before its end it is answered, one tick after it is expired, which is no consent`, async () => {
    for (const late of [false, true]) {
      let now = Date.parse("2026-01-01T00:00:00Z")
      const it = await waiting(type, { agent: { answer_within_ms: 1000 }, now: () => now })
      const { runtime, session_id, thread_id, action_id, write } = it
      now += late ? 1000 : 999
      const input = { action_id, ...it.good(runtime, session_id) }
      if (!late) {
        await done(runtime, "respond_action", input)
        continue
      }
      expect(await refused(runtime, "respond_action", { input })).toMatchObject({ code: "action_expired" })
      // Anything that wakes the session lets the runtime say so.
      await submit(runtime, "Still there?", { session_id, thread_id })
      const seen = await until(runtime, session_id, ends("turn.completed"))
      expect(last(seen, "action.resolved")).toMatchObject({
        reason: "expired",
        decision: "none",
        decider: { kind: "runtime" },
      })
      expect(write.runs).toEqual([])
      expect(await refused(runtime, "respond_action", { input })).toMatchObject({ code: "action_expired" })
    }
  })

  it(`[RT-ACT-5] ${type}: an interrupt beats it`, async () => {
    const { runtime, session_id, action_id, good, write } = await waiting(type)
    await done(runtime, "interrupt_turn", { session_id, reason: "no" })
    expect(last(facts(runtime, session_id), "action.resolved")).toMatchObject({ reason: "cancelled" })
    const input = { action_id, ...good(runtime, session_id) }
    expect(await refused(runtime, "respond_action", { input })).toMatchObject({ code: "already_resolved" })
    expect(write.runs).toEqual([])
  })

  it(`[RT-ACT-6] ${type}: it survives a restart and is answered then`, async () => {
    const first = await waiting(type)
    await first.runtime.close()
    const { model, calls } = linesModel([{ text: "After." }])
    const { agent, directory, session_id, action_id, write } = first
    const { runtime } = await openWork(model, { agent, directory, tools: [write] })
    await done(runtime, "respond_action", { action_id, ...first.good(runtime, session_id) })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "action.required")).toHaveLength(1)
    expect(outputs(calls[0])[0]).toContain(first.told)
  })
})

describe("who asks", () => {
  it("people see for whom they answer", async () => {
    const { required } = await waiting("delegated_permission")
    expect(required?.payload.requester).toEqual(requester)
    const own = await waiting("tool_approval")
    expect(own.required?.payload.requester).toEqual({ kind: "agent", name: "main" })
  })
})

describe("plan mode", () => {
  const writes = [plan, call("write"), { text: "Done." }]
  const open = (decision: string, first: readonly Line[] = writes) => {
    const write = fakeTool("write", { touches: async () => [{ kind: "write", path: "/srv/a" }] })
    const { model, calls } = linesModel(first)
    return {
      write,
      calls,
      decision,
      opened: openWork(model, { tools: [write], agent: { policy: policy("plan") } }),
    }
  }

  it("nothing is changed before the plan is approved, although the tools are known", async () => {
    const { write, calls, opened } = open("approve", [call("write"), { text: "Done." }])
    const { runtime } = await opened
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(last(seen, "permission.evaluated")).toMatchObject({
      verdict: "deny",
      winner: { rule: "mode: plan" },
    })
    expect(write.runs).toEqual([])
    expect(outputs(calls[1])[0]).toContain("permission_denied")
  })

  it("an approved plan ends it for the turn, as a fact; what follows is asked", async () => {
    const { opened } = open("approve")
    const { runtime } = await opened
    const { session_id } = await submit(runtime, "Go")
    const planned = await until(runtime, session_id, ends("action.required"))
    const action_id = of(planned, "action.required")[0]?.action_id ?? ""
    await done(runtime, "respond_action", { action_id, decision: "approve" })
    const seen = await until(runtime, session_id, ends("action.required", 2))
    expect(last(seen, "policy.changed")).toMatchObject({ mode: { old: "plan", new: "ask" } })
    expect(last(seen, "action.required")).toMatchObject({ action_type: "tool_approval" })
    expect(last(seen, "permission.evaluated")).toMatchObject({ policy_version: `1+${action_id}` })
  })

  it("a rejected plan leaves it in force", async () => {
    const { opened, write } = open("reject")
    const { runtime } = await opened
    const { session_id } = await submit(runtime, "Go")
    const planned = await until(runtime, session_id, ends("action.required"))
    const action_id = of(planned, "action.required")[0]?.action_id ?? ""
    await done(runtime, "respond_action", { action_id, decision: "reject" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "policy.changed")).toEqual([])
    expect(last(seen, "permission.evaluated")).toMatchObject({ verdict: "deny" })
    expect(write.runs).toEqual([])
  })
})

describe("a grant", () => {
  const grant = (args: Record<string, unknown>) => call("request_permission", { reason: "Often.", ...args })

  async function granted(args: Record<string, unknown>, rules: Agent["policy"]["rules"] = [], later = 0) {
    let now = Date.parse("2026-01-01T00:00:00Z")
    const write = fakeTool("write", {
      touches: async ({ path }) => [{ kind: "write", path: String(path) }],
    })
    const { model } = linesModel([grant(args), call("write", { path: "/srv/ok/a" })])
    const agent = { policy: policy("ask", rules) }
    const { runtime } = await openWork(model, { tools: [write], agent, clock: { now: () => now } })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("action.required"))
    now += later
    const action_id = of(seen, "action.required")[0]?.action_id ?? ""
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    return { runtime, session_id, write }
  }

  it("lets just what it names run for its time, and says so in the policy", async () => {
    const { runtime, session_id, write } = await granted({ tool: "write", match: "/srv/ok/**", minutes: 5 })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toHaveLength(1)
    expect(last(seen, "policy.changed")).toMatchObject({
      changes: ["added allow write(/srv/ok/**) (session) until 2026-01-01T00:05:00.000Z"],
    })
    expect(last(seen, "permission.evaluated")).toMatchObject({ verdict: "allow" })
  })

  it.each([
    ["another place", { tool: "write", match: "/srv/other/**" }, 0],
    ["another tool", { tool: "shell" }, 0],
    ["its time is over", { tool: "write", minutes: 1 }, 60_000],
  ])("does not help when it is for something else: %s", async (_, args, later) => {
    const { runtime, session_id, write } = await granted(args, [], later)
    await until(runtime, session_id, ends("action.required", 2))
    expect(write.runs).toEqual([])
  })

  it("[RT-PERM-2] never beats a deny or an ask rule", async () => {
    const rule = (effect: "deny" | "ask") =>
      ({ effect, layer: "user", tool: "write", match: "/srv/**" }) as const
    const denied = await granted({ tool: "write" }, [rule("deny")])
    const seen = await until(denied.runtime, denied.session_id, ends("turn.completed"))
    expect(last(seen, "permission.evaluated")).toMatchObject({ verdict: "deny" })
    expect(denied.write.runs).toEqual([])
    const asked = await granted({ tool: "write" }, [rule("ask")])
    await until(asked.runtime, asked.session_id, ends("action.required", 2))
    expect(asked.write.runs).toEqual([])
  })
})

describe("a credential", () => {
  it("[RT-OUT-2] its value is in no fact, and commands of its session alone find it", async () => {
    const value = "hunter2-value"
    const show = fakeTool("show", { does: (_, run) => ({ ok: true, output: `it is ${run.env?.GH_TOKEN}` }) })
    const { model, calls } = linesModel([
      call("request_credential", { name: "GH_TOKEN", purpose: "To push." }),
      call("show"),
      { text: "Done." },
      call("show"),
    ])
    const { runtime } = await openWork(model, { tools: [show] })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("action.required"))
    const action_id = of(seen, "action.required")[0]?.action_id ?? ""
    const foreign = runtime.credentials.keep({ session_id: "ses_other", name: "GH_TOKEN", value })
    const input = { action_id, decision: "provide", payload_ref: foreign.ok ? foreign.ref : undefined }
    expect(await refused(runtime, "respond_action", { input })).toMatchObject({ field: "input.payload_ref" })
    const kept = runtime.credentials.keep({ session_id, name: "GH_TOKEN", value })
    await done(runtime, "respond_action", { ...input, payload_ref: kept.ok ? kept.ref : undefined })
    const all = await until(runtime, session_id, ends("turn.completed"))
    expect(JSON.stringify(all)).not.toContain(value)
    expect(outputs(calls[2])[0]).toBe("it is [redacted:GH_TOKEN]")
    const other = await submit(runtime, "Go")
    await until(runtime, other.session_id, ends("turn.completed"))
    expect(outputs(calls[4])[0]).toBe("it is undefined")
  })

  it.each(["PATH", "LD_PRELOAD", "NODE_OPTIONS", "GIT_SSH_COMMAND", "BASH_ENV"])(
    "%s decides how commands run, so nobody is asked for it",
    async (name) => {
      const { model, calls } = linesModel([call("request_credential", { name, purpose: "Please." })])
      const { runtime } = await openWork(model)
      const { session_id } = await submit(runtime, "Go")
      const seen = await until(runtime, session_id, ends("turn.completed"))
      expect(of(seen, "action.required")).toEqual([])
      expect(outputs(calls[1])[0]).toContain("decides how commands run")
    },
  )
})
