import { existsSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { join } from "node:path"
import { validateDraft } from "@factum/facts"
import { describe, expect, it, onTestFinished } from "vitest"
import { openArtifacts } from "../../src/adapters/artifacts/index.ts"
import { FileBlobs } from "../../src/adapters/sqlite/blobs.ts"
import { isInner } from "../../src/adapters/tools/addresses.ts"
import { Capture } from "../../src/adapters/tools/capture.ts"
import { textOfHtml } from "../../src/adapters/tools/html.ts"
import { builtinNames, builtinTools } from "../../src/adapters/tools/index.ts"
import type { ArtifactChange, ArtifactPort } from "../../src/ports/artifact.ts"
import type { ToolRun } from "../../src/ports/tool.ts"
import { createSandbox } from "../../src/sandbox/sandbox.ts"
import { folder, givenProcesses, recording, scope, toolRun, until } from "../processes/given.ts"

async function given(
  more: { artifacts?: ArtifactPort; inner?: boolean; noSandbox?: boolean; time_ms?: number } = {},
) {
  const sandbox = more.noSandbox ? { sandbox: createSandbox({ ok: false, reason: "none here" }) } : {}
  const { processes } = await givenProcesses(sandbox)
  const later = recording()
  const tools = builtinTools({
    processes,
    afterTurn: () => (facts) => later.record(facts),
    web: { inner: more.inner ?? true, bytes: 1_000, time_ms: more.time_ms ?? 5_000 },
    ...(more.artifacts === undefined ? {} : { artifacts: more.artifacts }),
  })
  const cwd = folder()
  const { run, facts } = toolRun({ cwd })
  const tool = (name: string) => {
    const found = tools.find((candidate) => candidate.name === name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return found
  }
  const call = (name: string, input: Record<string, unknown>, rest: Partial<ToolRun> = {}) =>
    tool(name).run(input, { ...run, ...rest })
  return { processes, tools, tool, call, cwd, run, facts, later }
}

describe("all tools", () => {
  it("have a name of their own, a closed object as schema and a short description", async () => {
    const { tools } = await given({ artifacts: (await owner()).artifacts })
    expect(tools.map(({ name }) => name)).toEqual(builtinNames)
    expect(tools.map(({ name, effect }) => `${name} ${effect}`)).toEqual([
      "read_file none",
      "write_file repeatable",
      "edit_file once",
      "list_files none",
      "glob none",
      "grep none",
      "shell once",
      "process_start once",
      "process_input once",
      "process_output none",
      "process_stop repeatable",
      "web_fetch repeatable",
      "ask none",
      "present_plan none",
      "request_permission none",
      "request_credential none",
      "write_artifact keyed",
      "read_artifact none",
      "request_review none",
    ])
    for (const { input_schema, description } of tools) {
      expect(input_schema).toMatchObject({ type: "object", additionalProperties: false })
      expect(description.length).toBeLessThan(260)
    }
  })

  it.each(["shell", "process_start", "web_fetch", "grep"])(
    "[RT-TOOL-2] %s with wrong arguments has no effect",
    async (name) => {
      const { tool, call, facts, later } = await given()
      expect(tool(name).check({ wrong: 1 }).length).toBeGreaterThan(0)
      expect(await call(name, { wrong: 1 })).toMatchObject({ ok: false, category: "invalid_args" })
      expect([facts.all, later.all]).toEqual([[], []])
    },
  )
})

describe("shell", () => {
  it("[RT-PROC-4] gives output and exit code; a code that is not 0 is no failure of the tool", async () => {
    const { call } = await given()
    expect(await call("shell", { command: "echo out; echo err >&2; exit 3" })).toMatchObject({
      ok: true,
      output: expect.stringMatching(/out[\s\S]*err[\s\S]*\(exit code 3\)/),
      data: { exit_code: 3, stdout_bytes: 4, stderr_bytes: 4, complete: true },
    })
    expect(await call("shell", { command: "true" })).toMatchObject({
      output: "(no output)",
      data: { exit_code: 0 },
    })
  })

  it("[RT-SBX-2] fails as sandbox_violation after a write outside of the roots", async () => {
    const { call, facts } = await given()
    const target = join(folder("/var/tmp"), "x")
    expect(await call("shell", { command: `echo x > ${target}` })).toMatchObject({
      ok: false,
      category: "sandbox_violation",
      message: expect.stringContaining(target),
    })
    expect(existsSync(target)).toBe(false)
    expect(facts.of("sandbox.violation")).toMatchObject([
      { operation: "write", target, profile: "workspace_write" },
    ])
  })

  it("[RT-SBX-3] without a sandbox it does not run, and says what to do", async () => {
    const { call, cwd, facts } = await given({ noSandbox: true })
    expect(await call("shell", { command: "touch ran" })).toMatchObject({
      ok: false,
      category: "permission_denied",
      message: expect.stringContaining("none here"),
      next: expect.stringContaining("Ask"),
    })
    expect(existsSync(join(cwd, "ran"))).toBe(false)
    expect(facts.of("sandbox.applied")).toMatchObject([{ in_force: false, reason: "none here" }])
  })

  it("[RT-TOOL-1] a time limit is a failure of its own, with the output so far", async () => {
    const { call } = await given()
    const outcome = await call("shell", { command: "echo begun; sleep 600", time_limit_ms: 500 })
    expect(outcome).toMatchObject({ ok: false, category: "time_limit", output: "begun\n" })
  })

  it("ends the command when its call is stopped", async () => {
    const { call, processes, facts } = await given()
    const stop = new AbortController()
    const outcome = call("shell", { command: "echo begun; sleep 600" }, { signal: stop.signal })
    await until(() => facts.of("process.output").length === 1)
    stop.abort()
    expect(await outcome).toMatchObject({ ok: false, category: "interrupted" })
    expect(processes.list()).toEqual([])
    expect(facts.types().at(-1)).toBe("process.terminated")
  })

  it("tells the command and its folder before it runs", async () => {
    const { tool, cwd } = await given()
    const where = { cwd, roots: [cwd] }
    expect(await tool("shell").touches({ command: "ls" }, where)).toEqual([
      { kind: "command", command: "ls", cwd },
    ])
  })

  it("keeps the beginning and the end of a long output", () => {
    const capture = new Capture(20)
    for (const piece of ["0123456789", "abcdefghij", "klmnopqrst", "ÄÖ"]) capture.add(Buffer.from(piece))
    const text = String(capture.take())
    expect(text.startsWith("0123456789\n… (")).toBe(true)
    expect(text.endsWith("ÄÖ")).toBe(true)
    expect(capture.take()).toBe("")
  })
})

describe("process tools", () => {
  it.each([false, true])("[RT-PROC-3] a dialog over several calls, terminal: %s", async (tty) => {
    const { call, later, processes } = await given()
    const begun = await call("process_start", {
      command: "echo ready; while read x; do echo got $x; done",
      tty,
      long_lived: true,
      wait_ms: 20_000,
    })
    expect(begun).toMatchObject({
      ok: true,
      output: expect.stringContaining("ready"),
      data: { running: true },
    })
    const process_id = begun.ok ? (begun.data as { process_id: string }).process_id : ""
    expect(await call("process_input", { process_id, input: "one\n", wait_ms: 20_000 })).toMatchObject({
      output: expect.stringContaining("got one"),
    })
    await processes.endTurn(scope)
    expect(await call("process_output", { process_id, wait_ms: 0 })).toMatchObject({
      data: { running: true },
    })
    expect(await call("process_input", { process_id, input: "x" }, { session_id: "ses_2" })).toMatchObject({
      ok: false,
    })
    expect(await call("process_stop", { process_id })).toMatchObject({
      ok: true,
      data: { status: "terminated" },
    })
    expect(later.types().at(-1)).toBe("process.terminated")
    expect(await call("process_stop", { process_id })).toMatchObject({ ok: false, category: "tool_error" })
  })

  it("[RT-PERM-7] what is typed into a shell is judged as a command, also piece by piece", async () => {
    const { call, tool, run } = await given()
    const touched = async (process_id: string, input: string) =>
      (await tool("process_input").touches({ process_id, input }, run)).slice(1)
    const started = async (command: string) => {
      const begun = await call("process_start", { command, long_lived: true, wait_ms: 0 })
      return begun.ok ? (begun.data as { process_id: string }).process_id : ""
    }
    const shell = await started("env A=1 bash")
    expect(await touched(shell, "rm x\r")).toEqual([{ kind: "command", command: "rm x\n" }])
    await call("process_input", { process_id: shell, input: "ls; r", wait_ms: 0 })
    expect(await touched(shell, "m x\n")).toEqual([{ kind: "command", command: "ls; rm x\n" }])
    await call("process_input", { process_id: shell, input: "\n", wait_ms: 0 })
    expect(await touched(shell, "y\u0003")).toEqual([{ kind: "command", command: "y" }])
    const other = await started("cat")
    expect(await touched(other, "rm x\n")).toEqual([])
    for (const process_id of [shell, other]) await call("process_stop", { process_id })
  })

  it("tells the end of a program that ended by itself", async () => {
    const { call } = await given()
    const outcome = await call("process_start", { command: "echo bye; exit 2", wait_ms: 20_000 })
    expect(outcome).toMatchObject({ ok: true, output: expect.stringContaining("bye") })
  })
})

describe("web_fetch", () => {
  async function serving(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  }
  const open = { boundary: { profile: "workspace_write", network: "all" } } as const

  it("gives a page as text, or raw", async () => {
    const { call } = await given()
    const url = await serving((_, answer) => {
      answer.setHeader("content-type", "text/html; charset=utf-8")
      answer.end("<title>T</title><script>no()</script><h1>Head</h1><p>a &amp; b</p>")
    })
    expect(await call("web_fetch", { url }, open)).toMatchObject({ ok: true, output: "T\n\n# Head\n\na & b" })
    expect(await call("web_fetch", { url, raw: true }, open)).toMatchObject({
      output: expect.stringContaining("<h1>"),
    })
  })

  it("follows a redirect on the same host and only tells one to another", async () => {
    const { call } = await given()
    const url = await serving((request, answer) => {
      const to = { "/here": "/there", "/away": "http://elsewhere.example/x" }[request.url ?? ""]
      if (to === undefined) answer.setHeader("content-type", "text/plain").end("arrived")
      else answer.writeHead(302, { location: to }).end()
    })
    expect(await call("web_fetch", { url: `${url}/here` }, open)).toMatchObject({
      ok: true,
      output: "arrived",
    })
    expect(await call("web_fetch", { url: `${url}/away` }, open)).toMatchObject({
      ok: true,
      data: { redirect: "http://elsewhere.example/x" },
    })
  })

  it.each([
    ["a circle of redirects", (url: string) => `${url}/loop`, "tool_error"],
    ["an error of the server", (url: string) => `${url}/500`, "tool_error"],
    ["silence", (url: string) => `${url}/silent`, "time_limit"],
  ])("ends at %s", async (_, address, category) => {
    const { call } = await given({ time_ms: 300 })
    const url = await serving((request, answer) => {
      if (request.url === "/loop") answer.writeHead(302, { location: "/loop" }).end()
      else if (request.url === "/500") answer.writeHead(500, { "content-type": "text/plain" }).end("broken")
    })
    expect(await call("web_fetch", { url: address(url) }, open)).toMatchObject({ ok: false, category })
  })

  it("cuts what is too large and gives bytes as bytes", async () => {
    const { call } = await given()
    const url = await serving((request, answer) => {
      if (request.url === "/bytes")
        answer.setHeader("content-type", "image/png").end(Buffer.from([0x89, 0, 1]))
      else answer.setHeader("content-type", "text/plain").end("x".repeat(5_000))
    })
    expect(await call("web_fetch", { url }, open)).toMatchObject({ data: { bytes: 1_000, cut: true } })
    expect(await call("web_fetch", { url: `${url}/bytes` }, open)).toMatchObject({
      output: Buffer.from([0x89, 0, 1]),
      media_type: "image/png",
    })
  })

  it.each([
    ["none", "none"],
    ["a list without it", { domains: ["example.org", "*.example.com"] }],
  ] as const)("[RT-SBX-2] a network rule of %s is kept and the attempt recorded", async (_, network) => {
    const { call, facts } = await given()
    let visits = 0
    const url = await serving((_request, answer) => {
      visits++
      answer.end()
    })
    const boundary = { profile: "workspace_write", network } as const
    expect(await call("web_fetch", { url }, { boundary })).toMatchObject({ category: "sandbox_violation" })
    expect(facts.of("sandbox.violation")).toMatchObject([{ operation: "connect", target: "127.0.0.1" }])
    expect(visits).toBe(0)
  })

  it("a listed domain is reached", async () => {
    const { call } = await given()
    const url = await serving((_, answer) => void answer.setHeader("content-type", "text/plain").end("in"))
    const boundary = { profile: "read_only", network: { domains: ["127.0.0.1"] } } as const
    expect(await call("web_fetch", { url }, { boundary })).toMatchObject({ ok: true, output: "in" })
  })

  it.each(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])(
    "does not reach %s unless configured",
    async (host) => {
      const { call } = await given({ inner: false })
      let visits = 0
      const url = await serving((_request, answer) => {
        visits++
        answer.end()
      })
      const outcome = await call("web_fetch", { url: url.replace("127.0.0.1", host) }, open)
      expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("inner network") })
      expect(visits).toBe(0)
    },
  )

  it("knows inner addresses", () => {
    expect(["10.1.2.3", "169.254.169.254", "::ffff:7f00:1", "fd00::1", "0.0.0.0", "::"].map(isInner)).toEqual(
      Array(6).fill(true),
    )
    expect(["8.8.8.8", "2606:4700::1"].map(isInner)).toEqual([false, false])
  })

  it.each(["<svg", "<!--", "<", "<a href=x>", "&#"])(
    "reads a page of a million times %s in one pass",
    (piece) => {
      expect(textOfHtml(piece.repeat(1_000_000)).includes("<svg")).toBe(false)
    },
  )

  it("reads a page", () => {
    const page = `<head><style>x</style></head><ul><li>one<li>two &#8364; &#x41; &bogus;</ul><a href="/x">go</a><!-- no -->`
    expect(textOfHtml(page)).toBe("- one\n- two € A &bogus;\n\ngo (/x)")
  })
})

describe("ask and write_artifact", () => {
  it("a question becomes an action that a person answers", async () => {
    const { tool } = await given()
    const question = tool("ask").asks?.({ question: "Which one?", choices: ["a", "b"] }, occasion)
    expect(question).toMatchObject({
      title: "Which one?",
      answer_schema: { properties: { answer: { type: "string", enum: ["a", "b"] } }, required: ["answer"] },
    })
    const payload = {
      ...question,
      parent: { kind: "tool_call", id: "tcl_1" },
      decided_by: "human",
      requester: { kind: "agent" },
    }
    expect(validateDraft({ type: "action.required", ...scope, action_id: "act_1", payload })).toMatchObject({
      ok: true,
    })
  })

  it("an artifact goes to its owner once under the key of the call, who tells the session", async () => {
    const { artifacts, told } = await owner()
    const { call } = await given({ artifacts })
    const first = await call("write_artifact", { title: "Plan", content: "# Plan" })
    const [made] = artifacts.list({ limit: 10 })
    expect(first).toMatchObject({ ok: true, artifact_ids: [made?.artifact_id] })
    expect(await call("write_artifact", { title: "Plan", content: "# Plan" })).toEqual(first)
    expect(artifacts.versions(made?.artifact_id ?? "")).toHaveLength(1)
    expect(told).toMatchObject([
      {
        about: { session_id: "ses_1", tool_call_id: "tcl_1" },
        payload: { change: "produced", version: "1" },
      },
    ])
  })

  it("a conflict is told with the version to start from", async () => {
    const { artifacts } = await owner()
    const { call } = await given({ artifacts })
    await call("write_artifact", { title: "Plan", content: "1" }, { key: "a" })
    const artifact_id = artifacts.list({ limit: 1 })[0]?.artifact_id ?? ""
    await call("write_artifact", { title: "Plan", content: "2", artifact_id }, { key: "b" })
    const late = { title: "Plan", content: "3", artifact_id, base_version: "1" }
    expect(await call("write_artifact", late, { key: "c" })).toMatchObject({
      ok: false,
      next: "Read version 2 and start from it.",
    })
    expect(await call("read_artifact", { artifact_id })).toMatchObject({ output: "(version 2)\n2" })
    expect(await call("read_artifact", { artifact_id, version: "9" })).toMatchObject({ ok: false })
  })
})

async function owner() {
  const at = folder()
  const opened = openArtifacts(join(at, "artifacts.db"), { blobs: new FileBlobs(join(at, "blobs")) })
  if (!opened.ok) throw new Error(opened.message)
  const { artifacts } = opened
  const told: ArtifactChange[] = []
  const locate = (about: ArtifactChange["about"]) => ({ ok: true as const, about })
  const tell = async (change: ArtifactChange) => told.push(change) > 0
  await artifacts.listen({ tell, locate, mask: (text) => text })
  onTestFinished(() => artifacts.close())
  return { artifacts, told }
}

const occasion = { now: 0, session_id: "ses_1" }

it("a file that a program writes is found by the tools", async () => {
  const { call, cwd } = await given()
  writeFileSync(join(cwd, "in"), "1")
  await call("shell", { command: "cp in out" })
  expect(await call("read_file", { path: "out" })).toMatchObject({ output: "1\t1" })
})
