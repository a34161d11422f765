import { writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { readFile } from "../../src/adapters/tools/read-file.ts"
import { type ServiceSpec, serviceTool } from "../../src/adapters/tools/service.ts"
import type { Agent } from "../../src/index.ts"
import { done, ends, openRuntime, submit, temporaryDirectory, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of, outputs, reader } from "../loop/given.ts"
import { declare, declared, declaring, execute, full, tool } from "./given.ts"

const look = (words: string) => reader("look", { does: () => ({ ok: true, output: words }) })

describe("the runtime as an executor", () => {
  const op = (operation: string, more: object = {}) => ({
    id: "r",
    executor: { type: "runtime" },
    operation,
    result_policy: full,
    ...more,
  })
  const two = [
    { id: "a", executor: tool("look") },
    { id: "b", executor: tool("count") },
  ]
  const refs = { context_refs: ["action:a.output", "action:b.output"] }
  const tools = () => [
    look("first words\nmore"),
    reader("count", { does: () => ({ ok: true, output: "three" }) }),
  ]

  test.each([
    ["merge", refs, "first words\nmore\n\nthree"],
    ["summarize", refs, "first words\nthree"],
    ["expand_references", refs, "action:b.output\nthree"],
    ["checkpoint", { depends_on: ["a", "b"] }, "Completed so far: a, b."],
    ["wait", { input: { ms: 1 } }, "The time is over."],
  ])("[MP-EXEC-8] %s", async (operation, more, shown) => {
    const { told, seen } = await declared([execute([...two, op(operation, more)])], tools())
    expect(told(1)).toContain(shown)
    expect(of(seen, "tool.started").map(({ payload }) => payload.tool)).toContain("runtime")
  })

  test("[MP-EXEC-8] an operation that is not offered is refused before anything starts", async () => {
    const { told, seen } = await declared([execute([...two, op("reboot")])], tools())
    expect(told(1)).toContain("unknown_operation")
    expect(of(seen, "tool.started")).toEqual([])
  })

  test("[MP-EXEC-8] a wait that was cut off ends when it would have ended", async () => {
    const first = await declaring([execute([op("wait", { input: { ms: 40 } })])], [])
    await until(first.runtime, first.session_id, ends("tool.progress"))
    await first.runtime.close()
    const { model } = linesModel([{ text: "Waited." }])
    const agent = agentWith([], { protocol: true })
    const { runtime } = await openRuntime(model, { agent, directory: first.directory })
    const seen = await until(runtime, first.session_id, ends("turn.completed"))
    const [args] = of(seen, "tool.args")
    expect(JSON.stringify(args?.payload)).toContain("until")
    expect(of(seen, "tool.result")).toHaveLength(1)
  })
})

describe("a person as an executor", () => {
  test("[MP-EXEC-9] the answer is the result, and what depends on it starts then", async () => {
    const paint = fakeTool("paint")
    const { runtime, session_id, told } = await declaring(
      [
        execute([
          {
            id: "q",
            executor: { type: "human", capabilities: ["clarification"] },
            description: "Which colour?",
            input: { choices: ["red", "blue"] },
            result_policy: full,
          },
          { id: "p", executor: tool("paint"), depends_on: ["q"] },
        ]),
      ],
      [paint],
    )
    const asked = await until(runtime, session_id, ends("action.required"))
    const [action] = of(asked, "action.required")
    expect(action?.payload).toMatchObject({ title: "Which colour?", action_type: "clarification" })
    expect(paint.runs).toEqual([])
    const answer = { action_id: action?.action_id, decision: "answer", payload: { answer: "red" } }
    await done(runtime, "respond_action", answer)
    await until(runtime, session_id, ends("turn.completed"))
    expect(paint.runs).toHaveLength(1)
    expect(told(1)).toContain("red")
  })

  test("[MP-EXEC-9] confirm asks for yes or no", async () => {
    const items = { version: "2", items: [{ kind: "confirm", id: "q", message: "Go on?" }] }
    const line = { calls: [{ id: "p", tool: "AgentProtocolOutput", args: items }] }
    const { runtime, session_id, told } = await declaring([line], [])
    const asked = await until(runtime, session_id, ends("action.required"))
    const [action] = of(asked, "action.required")
    expect(action?.payload).toMatchObject({
      title: "Go on?",
      decisions: [{ id: "approve" }, { id: "reject" }],
    })
    await done(runtime, "respond_action", { action_id: action?.action_id, decision: "approve" })
    await until(runtime, session_id, ends("turn.completed"))
    expect(told(1)).toContain("approve")
  })
})

describe("a pipeline", () => {
  const steps = [
    { id: "build", tool: "look", input: { at: "input:place" }, on_failure: "abort" as const },
    {
      id: "ship",
      tool: "send",
      input: { what: "action:build.output", note: "for {{input:user.goal}}", list: ["action:build.summary"] },
      on_failure: "abort" as const,
    },
  ]
  const pipelines = [{ name: "release", description: "Builds and ships.", steps }]
  const call = { calls: [{ id: "c", tool: "release", args: { place: "src" } }] }

  test("[MP-EXEC-10] runs its steps in order, each with what the steps before gave", async () => {
    const send = fakeTool("send")
    const { told, seen } = await declared(
      [
        execute([
          {
            id: "r",
            executor: { type: "pipeline", target: "release" },
            input: { place: "src" },
            result_policy: full,
          },
        ]),
      ],
      [look("built\nlong"), send],
      { pipelines },
    )
    expect(send.runs).toEqual([{ what: "built\nlong", note: "for Go on with it", list: ["built"] }])
    expect(told(1)).toContain("send done")
    expect(of(seen, "tool.started").map(({ payload }) => payload.tool)).toEqual(["release", "look", "send"])
    const ends = seen.filter(({ type }) => type === "tool.result").map(({ tool_call_id }) => tool_call_id)
    expect(ends.at(-1)).toBe(of(seen, "tool.started")[0]?.tool_call_id)
  })

  test("[MP-EXEC-10] stops at the first failing step and names it", async () => {
    const send = fakeTool("send")
    const bad = reader("look", {
      does: () => ({ ok: false, category: "tool_error", message: "no compiler" }),
    })
    const { model, calls } = linesModel([call])
    const { runtime } = await openRuntime(model, { agent: agentWith([bad, send], { pipelines }) })
    const { session_id } = await submit(runtime, "Release")
    await until(runtime, session_id, ends("turn.completed"))
    expect(send.runs).toEqual([])
    expect(outputs(calls[1])[0]).toContain("Step build: no compiler")
  })

  test.each([
    ["retry", 3, 0],
    ["continue", 1, 1],
  ] as const)("a step that says %s", async (on_failure, tries, after) => {
    const send = fakeTool("send")
    const bad = reader("look", { does: () => ({ ok: false, category: "tool_error", message: "no" }) })
    const [build, ship] = steps
    const own = [
      { name: "release", description: "d", steps: [{ ...build, on_failure }, ship] },
    ] as typeof pipelines
    const { model } = linesModel([call])
    const { runtime } = await openRuntime(model, { agent: agentWith([bad, send], { pipelines: own }) })
    const { session_id } = await submit(runtime, "Release")
    await until(runtime, session_id, ends("turn.completed"))
    expect([bad.runs.length, send.runs.length]).toEqual([tries, after])
  })

  test("[RT-ACT-6] each step is judged by itself; a step that waits survives a restart and is not run twice", async () => {
    const send = fakeTool("send")
    const first = look("built")
    const agent = agentWith([first, send], { pipelines, ...asking })
    const opened = await openRuntime(linesModel([call]).model, { agent })
    const { session_id } = await submit(opened.runtime, "Release")
    const asked = await until(opened.runtime, session_id, ends("action.required"))
    expect(of(asked, "permission.evaluated").map(({ payload }) => payload.verdict)).toEqual(["allow", "ask"])
    await opened.runtime.close()
    const { model, calls } = linesModel([{ text: "Released." }])
    const { runtime } = await openRuntime(model, { agent, directory: opened.directory })
    await done(runtime, "respond_action", {
      action_id: of(asked, "action.required")[0]?.action_id,
      decision: "allow",
    })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect([first.runs.length, send.runs.length]).toEqual([1, 1])
    expect(of(seen, "tool.result")).toHaveLength(3)
    expect(outputs(calls[0])[0]).toBe("send done")
  })

  test("[MP-EXEC-10] a second attempt and a second pass begin with the first step", async () => {
    const ways = [{ failure_policy: { on_failure: "retry", max_retries: 1 } }, { repeat: { max: 2 } }]
    for (const way of ways) {
      let count = 0
      const again = reader("look", {
        does: () =>
          ++count === 1 && "failure_policy" in way
            ? { ok: false, category: "invalid_args", message: "Not yet." }
            : { ok: true, output: `look ${count}` },
      })
      const first = [{ id: "one", tool: "look", input: {}, on_failure: "abort" as const }]
      const twice = [{ name: "twice", description: "Looks.", steps: first }]
      const executor = { type: "pipeline", target: "twice" }
      const { told } = await declared(
        [execute([{ id: "r", executor, result_policy: full, ...way }])],
        [again],
        { pipelines: twice },
      )
      expect(again.runs).toHaveLength(2)
      expect(told(1)).toContain("look 2")
    }
  })

  test("[MP-POLICY-6] a pipeline with a step that cannot be repeated is not retried", async () => {
    const send = fakeTool("send", {
      does: () => ({ ok: false, category: "tool_error", message: "It broke." }),
      side_effects: ["external"],
    })
    const executor = { type: "pipeline", target: "release" }
    const retry = { on_failure: "retry", max_retries: 2 }
    const { told } = await declared(
      [execute([{ id: "r", executor, input: { place: "src" }, failure_policy: retry }])],
      [look("b"), send],
      { pipelines },
    )
    expect(send.runs).toHaveLength(1)
    expect(told(1)).toContain("may have had effects")
  })

  test("[RT-TOOL-5] a step that was cut off in its effect ends the pipeline as unknown, not again", async () => {
    const endless = fakeTool("send", {
      does: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve({ ok: true, output: "" }))),
    })
    const opened = await openRuntime(linesModel([call]).model, {
      agent: agentWith([look("b"), endless], { pipelines }),
    })
    const { session_id } = await submit(opened.runtime, "Release")
    await until(opened.runtime, session_id, ends("tool.progress", 3))
    await opened.runtime.close()
    const send = fakeTool("send")
    const agent = agentWith([look("b"), send], { pipelines })
    const { runtime } = await openRuntime(linesModel([]).model, { agent, directory: opened.directory })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(send.runs).toEqual([])
    expect(of(seen, "tool.failed").map(({ payload }) => payload.category)).toEqual([
      "outcome_unknown",
      "outcome_unknown",
    ])
  })
})

type Answering = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function serving(answer: Answering) {
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (bytes) => (body += bytes)).on("end", () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tickets`
}

describe("a service", () => {
  const spec = (url: string, more: Partial<ServiceSpec> = {}): ServiceSpec => ({
    name: "tickets",
    description: "Opens a ticket.",
    url,
    method: "POST",
    input_schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
    effect: "keyed",
    side_effects: ["external"],
    ...more,
  })
  const open = { boundary: { profile: "read_only", network: "all" } as const }
  const one = (title: unknown) => [
    execute([
      { id: "t", executor: { type: "service", target: "tickets" }, input: { title }, result_policy: full },
    ]),
  ]

  test.each([
    ["once", "outcome_unknown"],
    ["keyed", "tool_error"],
  ] as const)(
    "[RT-TOOL-5] a connection that breaks after sending, effect %s: %s",
    async (effect, category) => {
      const url = await serving((request) => request.socket.destroy())
      const { seen } = await declared(one("Broken"), [serviceTool(spec(url, { effect }))], open)
      expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category })
    },
  )

  test("[RT-TOOL-5] a service that nobody reached was not told anything", async () => {
    const closed = await serving(() => {})
    const url = closed.replace(/:\d+/, ":1")
    const { seen } = await declared(one("Broken"), [serviceTool(spec(url, { effect: "once" }))], open)
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "tool_error" })
  })

  test("[MP-EXEC-11] sends the input, and its answer is the result", async () => {
    const got: { body: string; key: unknown }[] = []
    const url = await serving((request, response, body) => {
      got.push({ body, key: request.headers["idempotency-key"] })
      response.setHeader("content-type", "application/json").end('{"id":7}')
    })
    const { told, seen } = await declared(one("Broken"), [serviceTool(spec(url))], open)
    expect(got).toEqual([{ body: '{"title":"Broken"}', key: of(seen, "tool.started")[0]?.tool_call_id }])
    expect(told(1)).toContain('{"id":7}')
    expect(of(seen, "tool.result")[0]?.payload).toMatchObject({ data: { id: 7 } })
  })

  test.each([
    ["an error", (r: ServerResponse) => r.writeHead(503).end("down"), {}, "tickets answered 503"],
    [
      "an answer against its schema",
      (r: ServerResponse) => r.end('{"id":"x"}'),
      { output_schema: { type: "object", properties: { id: { type: "number" } } } },
      "does not declare at id",
    ],
    ["no answer in time", () => {}, { timeout_ms: 60 }, "took longer than 60 ms"],
    ["a cut connection", (r: ServerResponse) => r.destroy(), {}, "the connection broke"],
  ])("[MP-EXEC-11] %s is a failed action", async (_, answer, more, shown) => {
    const url = await serving((_request, response) => void answer(response))
    const { told } = await declared(one("Broken"), [serviceTool(spec(url, more))], open)
    expect(told(1)).toContain(shown)
    expect(told(1)).toContain("Status: failed")
  })

  test("[MP-EXEC-11] input against its schema is refused, and nothing is sent", async () => {
    const { told, seen } = await declared(one(7), [serviceTool(spec("http://127.0.0.1:9/"))], open)
    expect(told(1)).toContain("invalid_input")
    expect(of(seen, "tool.started")).toEqual([])
  })

  test("[RT-PERM-1] it is judged as network: rules by domain hold, and where nobody allows it a person is asked", async () => {
    const url = await serving((_, response) => void response.end("{}"))
    const rules = [{ effect: "deny", layer: "user", tool: "*", match: "127.0.0.1" }] as const
    const denied = await declared(one("x"), [serviceTool(spec(url))], {
      ...open,
      policy: { version: "1", mode: "full", rules },
    })
    expect(of(denied.seen, "tool.failed")[0]?.payload).toMatchObject({ category: "permission_denied" })
    const { runtime, session_id } = await declaring(one("x"), [serviceTool(spec(url))], {
      ...open,
      ...asking,
    })
    const asked = await until(runtime, session_id, ends("action.required"))
    expect(of(asked, "permission.evaluated")[0]?.payload).toMatchObject({ verdict: "ask" })
  })

  test("[RT-SBX-2] without a network it reaches nobody, and says so", async () => {
    const url = await serving((_, response) => void response.end("{}"))
    const { seen } = await declared(one("x"), [serviceTool(spec(url))])
    expect(of(seen, "sandbox.violation")[0]?.payload).toMatchObject({
      operation: "connect",
      target: "127.0.0.1",
    })
  })
})

describe("references of declared work", () => {
  const merge = (refs: readonly string[], more: object = {}) => ({
    id: "m",
    executor: { type: "runtime" },
    operation: "merge",
    context_refs: refs,
    result_policy: full,
    ...more,
  })

  test("[MP-REF-4] an executor is given the text of a section", async () => {
    const { told } = await declared([execute([merge(["md:plan"])], "\n## plan\n\nDig here.\n")], [])
    expect(told(1)).toContain("Dig here.")
    expect(told(1)).toContain("Status: completed")
  })

  test("[MP-REF-6] summary and output of an earlier action", async () => {
    const { told } = await declared(
      [execute([{ id: "a", executor: tool("look") }, merge(["action:a.output"])])],
      [look("all the words")],
    )
    expect(told(1)).toContain("all the words")
  })

  test("[MP-REF-7] what the user asked for", async () => {
    const { told } = await declared([execute([merge(["input:user.goal"])])], [])
    expect(told(1).match(/Go on with it/g)?.length).toBeGreaterThan(1)
  })

  test("[MP-REF-8] a result of an earlier run of the conversation", async () => {
    const { told } = await declared(
      [
        execute([{ id: "a", executor: tool("look") }]),
        (call) => {
          const ref = /artifact:\/\/\S+\/a/.exec(String(call.messages[0]?.parts))?.[0] ?? ""
          return execute([
            merge([ref.replace("artifact://", "runtime://runs/").replace("/a", "/actions/a/output")]),
          ])
        },
      ],
      [look("kept from before")],
    )
    expect(told(2).split("Call m")[1]).toContain("kept from before")
  })

  test("[MP-REF-10] what is withheld leaves the action blocked", async () => {
    const { told, seen } = await declared(
      [execute([{ id: "a", executor: tool("look"), privacy: true }, merge(["action:a.output"])])],
      [look("secret words")],
    )
    expect(told(1)).toContain("unresolved_ref")
    expect(told(1)).not.toContain("secret words")
    expect(of(seen, "tool.started")).toHaveLength(1)
  })

  test.each([
    ["allowed", "full", "the file's words"],
    ["not allowed", "deny", "is refused"],
  ])("[MP-SAFE-5] a file that is %s", async (_, mode, shown) => {
    const root = temporaryDirectory()
    writeFileSync(join(root, "notes.txt"), "the file's words")
    const denied = { effect: "deny", layer: "user", tool: "read_file", match: "**" } as const
    const { told } = await declared([execute([merge(["file:notes.txt"])])], [readFile], {
      workspace: { cwd: root, roots: [root] },
      policy: { version: "1", mode: "full", rules: mode === "deny" ? [denied] : [] },
    })
    expect(told(1)).toContain(shown)
  })

  test.each([
    ["a hook before the tool", "before_tool", "deny"],
    ["a hook on the judgement", "permission", "deny"],
    ["a hook that would have a person asked", "before_tool", "ask"],
  ] as const)("[RT-HOOK-1] %s keeps a file out of an action", async (_, on, verdict) => {
    const root = temporaryDirectory()
    writeFileSync(join(root, "notes.txt"), "the file's words")
    const hooks: Agent["hooks"] = [
      { kind: "function", name: "guard", on, run: async () => ({ verdict, note: "Not that one." }) },
    ]
    const { told, seen } = await declared([execute([merge(["file:notes.txt"])])], [readFile], {
      workspace: { cwd: root, roots: [root] },
      hooks,
    })
    expect(told(1)).toContain("Not that one.")
    expect(told(1)).not.toContain("the file's words")
    expect(of(seen, "hook.completed").length).toBeGreaterThan(0)
  })

  test("a file that is read for an action leaves its judgement in the log", async () => {
    const root = temporaryDirectory()
    writeFileSync(join(root, "notes.txt"), "the file's words")
    const { seen } = await declared([execute([merge(["file:notes.txt"])])], [readFile], {
      workspace: { cwd: root, roots: [root] },
    })
    expect(of(seen, "permission.evaluated")[0]?.payload).toMatchObject({
      operation: { name: "read_file" },
      verdict: "allow",
    })
  })

  test("[MP-EXPAND-1] expand_ref gives the stored text and executes nothing again", async () => {
    const a = look(`line one\n${"filler\n".repeat(400)}needle here\n`)
    const { told } = await declared(
      [
        execute([{ id: "a", executor: tool("look") }]),
        (call) => {
          const ref = /artifact:\/\/\S+\/a/.exec(String(call.messages[0]?.parts))?.[0] ?? ""
          const range = { around_matches: true, match: "needle", context_lines: 1 }
          return declare("expand_ref", { refs: [{ ref, reason: "where is the needle", range }] })
        },
      ],
      [a],
    )
    expect(a.runs).toHaveLength(1)
    expect(told(2)).toContain("needle here")
    expect(told(2)).not.toContain("line one\nfiller\nfiller")
  })

  test("[MP-EXPAND-4] a reference that names nothing is declined with a reason, the others are answered", async () => {
    const { told } = await declared(
      [
        execute([{ id: "a", executor: tool("look") }]),
        (call) => {
          const ref = /artifact:\/\/\S+\/a/.exec(String(call.messages[0]?.parts))?.[0] ?? ""
          return declare("expand_ref", { refs: [{ ref: "runtime://nowhere/x" }, { ref }] })
        },
      ],
      [look("found words")],
    )
    expect(told(2)).toContain("names nothing that is stored")
    expect(told(2)).toContain("found words")
  })

  test("a report is built of results that exist", async () => {
    const report = {
      type: "final_report_spec",
      title: "Findings",
      sections: [{ heading: "Seen", refs: ["action:a.output"] }],
    }
    const { told } = await declared(
      [execute([{ id: "a", executor: tool("look") }]), declare("execute", report)],
      [look("found words")],
    )
    expect(told(2)).toContain("# Findings")
  })
})

describe("result policies", () => {
  const words = `first line\n${"word ".repeat(3000)}\nlast line`
  test.each([
    ["[MP-RES-1]", "none", ""],
    ["[MP-RES-2]", "summary", "3 lines"],
    ["[MP-RES-3]", "structured", "red"],
    ["[MP-RES-4]", "excerpt", "first line"],
    ["[MP-RES-5]", "full", "last line"],
    ["[MP-RES-6]", "on_failure", ""],
    ["[MP-RES-7]", "on_demand", "artifact://"],
    ["[MP-RES-8]", "adaptive", "first line"],
  ])("%s %s", async (_, policy, shown) => {
    const a = reader("look", { does: () => ({ ok: true, output: words, data: { colour: "red" } }) })
    const { told } = await declared(
      [
        execute([
          {
            id: "a",
            executor: tool("look"),
            result_policy: { return_to_model: policy, max_tokens: policy === "full" ? 8000 : 200 },
          },
        ]),
      ],
      [a],
    )
    const [, result = ""] = told(1).split("### Result for a")
    expect(result).toContain(shown)
    if (policy !== "full") expect(result).not.toContain("word ".repeat(1000))
  })
})
