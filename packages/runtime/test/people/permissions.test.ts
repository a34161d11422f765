import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Envelope } from "@factum/facts"
import { describe, expect, it, test } from "vitest"
import type { Agent, Policy } from "../../src/index.ts"
import { openSandbox } from "../../src/sandbox/sandbox.ts"
import { done, ends, facts, refused, submit, temporaryDirectory, until } from "../harness.ts"
import { fakeTool, type Line, linesModel, of, outputs } from "../loop/given.ts"
import { openWork, policy } from "./given.ts"

const call = (tool: string, args: unknown = {}): Line => ({ calls: [{ id: tool, tool, args }] })
const last = (seen: readonly Envelope[], type: string) => of(seen, type).at(-1)?.payload
const digest = `sha256:${"0".repeat(64)}`
const operation = (kind: string, name: string, text: string, more: Record<string, unknown> = {}) => ({
  kind,
  name,
  digest,
  summary: { text, whole: true },
  ...more,
})

async function idle(agent: Partial<Agent> = {}) {
  const write = fakeTool("write")
  const opened = await openWork(linesModel([{ text: "Hello." }]).model, { agent, tools: [write] })
  const turn = await submit(opened.runtime, "Hello")
  await until(opened.runtime, turn.session_id, ends("turn.completed"))
  return { ...opened, ...turn, write }
}

type Evaluated = { verdict: string; explanation: { sources: { source: string; verdict: string }[] } }

describe("evaluate_permission", () => {
  it("[RT-CMD-37] an ask is only recorded: no request is open, nothing runs", async () => {
    const { runtime, session_id, write } = await idle({ policy: policy("ask") })
    const input = await runtime.blobs.put(Buffer.from('{"path":"a"}'))
    const input_ref = { uri: `blob:${"digest" in input ? input.digest : ""}`, kind: "blob" }
    const asked = { session_id, operation: operation("tool", "write", "write a", { input_ref }) }
    const head = runtime.log.head(session_id)
    const given = await done<Evaluated>(runtime, "evaluate_permission", asked)
    expect(given).toMatchObject({ verdict: "ask", explanation: { policy_version: "1" } })
    const after = facts(runtime, session_id).slice(head)
    expect(after.map(({ type }) => type)).toEqual(["permission.evaluated"])
    expect(after[0]?.payload).toEqual(given.explanation)
    expect(write.runs).toEqual([])
  })

  const noPush = { effect: "deny", layer: "user", tool: "shell", match: "git push *" } as const
  it.each([
    ["allow", operation("process", "shell", "ls -l")],
    ["deny", operation("process", "shell", "cd x && git push origin main")],
    ["ask", operation("process", "shell", "make install")],
    ["ask", { ...operation("process", "shell", "ls -l"), summary: { text: "ls -l", whole: false } }],
    ["ask", operation("network", "web_fetch", "https://example.org/")],
    ["ask", operation("file", "write_file", "/etc/passwd")],
    ["ask", operation("tool", "write", "write a")],
    ["ask", operation("subagent", "scout", "look around")],
  ])("[RT-CMD-37] the verdict is %s for %j", async (verdict, what) => {
    const { runtime, session_id } = await idle({ policy: policy("ask", [noPush]) })
    const given = await done<Evaluated>(runtime, "evaluate_permission", { session_id, operation: what })
    expect(given.verdict).toBe(verdict)
  })

  it("[RT-CMD-37] the input of a call is what is judged, also when the summary says something else", async () => {
    const noEtc = { effect: "deny", layer: "user", tool: "write_file", match: "/etc/**" } as const
    const { model } = linesModel([call("write_file", { path: "/etc/x", content: "a" })])
    const { runtime } = await openWork(model, { agent: { policy: policy("full", [noEtc]) } })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const tool_call_id = of(seen, "tool.started")[0]?.tool_call_id
    const input = { session_id, tool_call_id, operation: operation("tool", "write_file", "write ./harmless") }
    expect(await done<Evaluated>(runtime, "evaluate_permission", input)).toMatchObject({ verdict: "deny" })
    expect(facts(runtime, session_id).at(-1)).toMatchObject({ type: "permission.evaluated", tool_call_id })
  })

  it("[RT-CMD-3] an unknown session, tool or call is refused and nothing is written", async () => {
    const { runtime, session_id } = await idle()
    const what = operation("tool", "write", "x")
    const head = runtime.log.head(session_id)
    for (const [input, field] of [
      [{ session_id: "ses_x", operation: what }, "input.session_id"],
      [{ session_id, operation: operation("tool", "nothing", "x") }, "input.operation.name"],
      [{ session_id, tool_call_id: "tcl_x", operation: what }, "input.tool_call_id"],
      [{ session_id, turn_id: "trn_x", operation: what }, "input.turn_id"],
    ] as const)
      expect(await refused(runtime, "evaluate_permission", { input })).toMatchObject({
        code: "not_found",
        field,
      })
    expect(runtime.log.head(session_id)).toBe(head)
  })

  it("[RT-CMD-4] sent again under its id it gives the first verdict and adds nothing", async () => {
    const { runtime, session_id } = await idle()
    const input = { session_id, operation: operation("process", "shell", "make") }
    const first = await done(runtime, "evaluate_permission", input, "cmd_1")
    const head = runtime.log.head(session_id)
    expect(await done(runtime, "evaluate_permission", input, "cmd_1")).toEqual(first)
    expect(runtime.log.head(session_id)).toBe(head)
  })
})

test("what is kept of an answer for a repeat holds no secret", async () => {
  const { runtime, store } = await openWork(linesModel([{ text: "Hello." }]).model, {
    agent: {
      policy: policy("ask", [
        { layer: "user", effect: "allow", tool: "shell", match: "curl hunter2-hunter2" },
      ]),
    },
    secrets: { PW: "hunter2-hunter2" },
  })
  const { session_id } = await submit(runtime, "Hello")
  await until(runtime, session_id, ends("turn.completed"))
  const input = { session_id, operation: operation("process", "shell", "curl hunter2-hunter2") }
  const first = await done(runtime, "evaluate_permission", input, "cmd_1")
  const kept = store.log.claimed("command:cmd_1")
  expect(kept).toContain("[redacted:PW]")
  expect(kept).not.toContain("hunter2-hunter2")
  expect(await done(runtime, "evaluate_permission", input, "cmd_1")).toEqual(first)
})

describe("resolve_permission", () => {
  const host = { kind: "host", id: "ci" } as const

  async function open(decided_by: Agent["decided_by"] = "host") {
    let now: Policy = policy("ask")
    const write = fakeTool("write")
    const { model, calls } = linesModel([call("write", { path: "a" }), { text: "Done." }])
    const opened = await openWork(model, {
      tools: [write],
      agent: {
        ...(decided_by && { decided_by }),
        get policy() {
          return now
        },
      },
    })
    const turn = await submit(opened.runtime, "Go")
    const seen = await until(opened.runtime, turn.session_id, ends("action.required"))
    const { request_id = "" } = (last(seen, "permission.requested") ?? {}) as { request_id?: string }
    const action_id = of(seen, "action.required")[0]?.action_id ?? ""
    return { ...opened, ...turn, write, calls, request_id, action_id, change: (next: Policy) => (now = next) }
  }

  it("[RT-CMD-38] a host decides what waits for it: the request and its action are closed, then the work moves", async () => {
    const { runtime, session_id, request_id, action_id, write } = await open()
    const given = await done(runtime, "resolve_permission", {
      request_id,
      decision: "allow",
      authority: host,
    })
    expect(given).toEqual({ request_id, outcome: "allowed" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const order = seen
      .map(({ type }) => type)
      .filter((type) => /^(action|permission)\.resolved$|^tool\.(progress|result)$/.test(type))
    expect(order.slice(-4)).toEqual([
      "action.resolved",
      "permission.resolved",
      "tool.progress",
      "tool.result",
    ])
    expect(of(seen, "action.resolved")[0]).toMatchObject({ action_id, payload: { decider: host } })
    expect(write.runs).toEqual([{ path: "a" }])
  })

  it("[RT-CMD-38] a denial of the policy ends the call without an effect, and the model knows who said no", async () => {
    const { runtime, session_id, request_id, write, calls } = await open("policy")
    const authority = { kind: "policy", id: "p1" }
    await done(runtime, "resolve_permission", {
      request_id,
      decision: "deny",
      authority,
      reason: "Not today.",
    })
    await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual([])
    expect(outputs(calls[1])[0]).toContain("The policy said no. Not today.")
  })

  it("[RT-CMD-38] what waits for a person is refused, and the answer names the action", async () => {
    const { runtime, request_id, action_id, write } = await open("human")
    const input = { request_id, decision: "allow", authority: host }
    const refusal = await refused(runtime, "resolve_permission", { input })
    expect(refusal).toMatchObject({ code: "wrong_state", state: "waits_for_human" })
    expect(refusal.message).toContain(action_id)
    expect(write.runs).toEqual([])
  })

  it("[RT-ACT-2] what waits for a host is not answered by a person", async () => {
    const { runtime, action_id } = await open("host")
    const input = { action_id, decision: "allow" }
    expect(await refused(runtime, "respond_action", { input })).toMatchObject({ code: "wrong_state" })
  })

  it("[RT-CMD-38] a decided request is already resolved, one of another authority is not permitted", async () => {
    const { runtime, request_id } = await open()
    const other = { request_id, decision: "allow", authority: { kind: "policy", id: "p" } }
    expect(await refused(runtime, "resolve_permission", { input: other })).toMatchObject({
      code: "not_permitted",
    })
    const input = { request_id, decision: "deny", authority: host }
    await done(runtime, "resolve_permission", input)
    expect(await refused(runtime, "resolve_permission", { input })).toMatchObject({
      code: "already_resolved",
      state: "denied",
    })
  })

  it("[RT-CMD-38] an allow against a deny is not permitted; the deny can be said", async () => {
    const { runtime, session_id, request_id, write, change } = await open()
    change({ ...policy("ask", [{ effect: "deny", layer: "host", tool: "write" }]), version: "2" })
    const input = { request_id, decision: "allow", authority: host }
    expect(await refused(runtime, "resolve_permission", { input })).toMatchObject({ code: "not_permitted" })
    await done(runtime, "resolve_permission", { ...input, decision: "deny" })
    await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual([])
  })

  it("[RT-CMD-38] an unknown request is not found, one of another session does not fit", async () => {
    const { runtime, request_id } = await open()
    const input = { request_id: "req_x", decision: "deny", authority: host }
    expect(await refused(runtime, "resolve_permission", { input })).toMatchObject({ code: "not_found" })
    const foreign = { ...input, request_id, session_id: "ses_other" }
    expect(await refused(runtime, "resolve_permission", { input: foreign })).toMatchObject({
      code: "scope_mismatch",
    })
  })

  it.each(["human", "policy", "host"] as const)(
    "[RT-STAT-6] the run waits for permission of the %s",
    async (who) => {
      const { runtime, session_id, action_id } = await open(who)
      const seen = facts(runtime, session_id)
      expect(last(seen, "run.status")).toMatchObject({ phase: "waiting_permission" })
      expect(last(seen, "permission.requested")).toMatchObject({ waits_for: who })
      expect(of(seen, "action.required")[0]).toMatchObject({ action_id, payload: { decided_by: who } })
    },
  )
})

describe("get_execution_environment", () => {
  it("[RT-CMD-39] names variables and refs, and holds no value of any", async () => {
    process.env.OWN_SETTING = "a-value-of-the-environment"
    process.env.OWN_API_TOKEN = "a-secret-of-the-environment"
    const { runtime, session_id, thread_id, turn_id } = await idle()
    const head = runtime.log.head(session_id)
    const given = await done<{ environment: Record<string, unknown> }>(runtime, "get_execution_environment", {
      session_id,
      thread_id,
      turn_id,
    })
    delete process.env.OWN_SETTING
    delete process.env.OWN_API_TOKEN
    expect(given.environment).toMatchObject({
      cwd: "/",
      workspace_roots: [],
      active_processes: [],
      sequence: head,
    })
    expect(given.environment.env_refs).toContainEqual({ name: "OWN_SETTING", ref: "environment:OWN_SETTING" })
    expect(JSON.stringify(given)).not.toMatch(/of-the-environment|OWN_API_TOKEN/)
    expect(runtime.log.head(session_id)).toBe(head)
  })

  it("[RT-CMD-39] a foreign thread or an unknown session is refused", async () => {
    const { runtime, session_id } = await idle()
    for (const input of [{ session_id: "ses_x" }, { session_id, thread_id: "thr_x" }])
      expect(await refused(runtime, "get_execution_environment", { input })).toMatchObject({
        code: "not_found",
      })
  })
})

describe("the decision and its effect", () => {
  it("[RT-PERM-5] the decision is in the log before the first effect", async () => {
    const root = temporaryDirectory()
    const { model } = linesModel([call("write_file", { path: "a.txt", content: "new" })])
    const workspace = { cwd: root, roots: [root] }
    const boundary = { profile: "workspace_write", network: "none" } as const
    const { runtime } = await openWork(model, {
      agent: { policy: policy("accept_edits"), workspace, boundary },
    })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const at = (type: string) => seen.find((fact) => fact.type === type)?.sequence ?? 0
    expect(at("permission.evaluated")).toBeLessThan(at("tool.progress"))
    expect(at("tool.progress")).toBeLessThan(at("sandbox.applied"))
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("new")
  })

  it("[RT-PERM-5] what is denied has no effect on files or processes and ends as permission_denied", async () => {
    const root = temporaryDirectory()
    writeFileSync(join(root, "a.txt"), "old")
    const { model, calls } = linesModel([
      call("write_file", { path: "a.txt", content: "new" }),
      call("shell", { command: "sh -c 'echo x > b.txt'" }),
    ])
    const rules = [
      { effect: "deny", layer: "user", tool: "write_file", match: "a.txt" },
      { effect: "deny", layer: "user", tool: "shell", match: "echo *" },
    ] as const
    const workspace = { cwd: root, roots: [root] }
    const { runtime } = await openWork(model, {
      agent: { policy: policy("full", rules), workspace, boundary: { profile: "full", network: "all" } },
      sandbox: await openSandbox(),
    })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const failed = of(seen, "tool.failed").map(({ payload }) => payload.category)
    expect(failed).toEqual(["permission_denied", "permission_denied"])
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("old")
    expect(of(seen, "process.started")).toEqual([])
    expect(existsSync(join(root, "b.txt"))).toBe(false)
    expect(outputs(calls[2])[0]).toContain("permission_denied")
  })
})

describe("an unattended run", () => {
  it("[RT-PERM-6] an ask with nobody to answer leaves the work blocked, and an answer that comes later moves it", async () => {
    const write = fakeTool("write")
    const { model } = linesModel([call("write")])
    const agent = { policy: policy("ask"), unattended: true }
    const { runtime } = await openWork(model, { tools: [write], agent })
    const { session_id, thread_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("action.required"))
    const read = await done<{ read_model: { status: string } }>(runtime, "get_thread_read", {
      session_id,
      thread_id,
    })
    expect(read.read_model.status).toBe("blocked")
    expect(last(facts(runtime, session_id), "run.status")).toMatchObject({ metadata: { missing: "action" } })
    expect(write.runs).toEqual([])
    const action_id = of(seen, "action.required")[0]?.action_id
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toHaveLength(1)
  })
})

describe("the classifier", () => {
  async function judgedBy(classify: () => unknown, more: Partial<Agent> = {}, timeout_ms = 1000) {
    const write = fakeTool("write", { touches: async () => [{ kind: "write", path: "/srv/a" }] })
    const { model } = linesModel([call("write")])
    const classifier = { name: "guard", classify, timeout_ms }
    const agent = { policy: policy("ask"), ...more, classifier }
    const { runtime } = await openWork(model, { tools: [write], agent })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(
      runtime,
      session_id,
      (all) => ends("turn.completed")(all) || ends("action.required")(all),
    )
    return { write, judged: last(seen, "permission.evaluated") }
  }

  it.each([
    ["allow", "allow"],
    ["ask", "ask"],
    ["deny", "deny"],
    ["none", "ask"],
  ])("is one more voice: %s where all others are silent is %s", async (verdict, outcome) => {
    const { judged, write } = await judgedBy(() => ({ verdict, reason: "because" }))
    expect(judged).toMatchObject({ verdict: outcome })
    expect(judged?.sources).toContainEqual({
      source: "classifier",
      verdict,
      rule: "guard",
      detail: "because",
    })
    expect(write.runs).toHaveLength(outcome === "allow" ? 1 : 0)
  })

  it.each([
    ["throws", () => Promise.reject(new Error("gone"))],
    ["is silent", () => new Promise(() => undefined)],
    ["answers nonsense", () => ({ verdict: "sure" })],
    ["says nothing", () => undefined],
  ])("[RT-PERM-6] never yields allow when it %s, also where everything else is free", async (_, classify) => {
    const { judged, write } = await judgedBy(classify, { policy: policy("full") }, 50)
    expect(judged).toMatchObject({ verdict: "ask", winner: { source: "classifier", rule: "guard" } })
    expect(write.runs).toEqual([])
  })

  it.each(["deny", "ask"] as const)(
    "[RT-PERM-2] its allow does not beat a rule that says %s",
    async (effect) => {
      const rules = [{ effect, layer: "project", tool: "write", match: "/srv/**" }] as const
      const { judged, write } = await judgedBy(() => ({ verdict: "allow" }), {
        policy: policy("full", rules),
      })
      expect(judged).toMatchObject({ verdict: effect })
      expect(write.runs).toEqual([])
    },
  )
})
