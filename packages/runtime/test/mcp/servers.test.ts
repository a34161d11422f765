import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { inputCheck } from "../../src/adapters/mcp/check.ts"
import { mcpTools } from "../../src/adapters/mcp/index.ts"
import { toolNames } from "../../src/adapters/mcp/names.ts"
import { outcomeOf } from "../../src/adapters/mcp/result.ts"
import { catalogOf } from "../../src/catalog.ts"
import type { ToolRun } from "../../src/ports/tool.ts"
import { alive, aRun, everything, open, scripted, tempFolder, toolNamed } from "./given.ts"

describe("a server that fails", () => {
  it.each([
    ["is not there", { command: "/no/such/server" }, /ENOENT/],
    ["ends at once", { args: ["-e", "console.error('no licence'); process.exit(2)"] }, /no licence/],
    [
      "says nothing",
      { args: ["-e", "setInterval(() => {}, 1000)"], connect_timeout_ms: 200 },
      /200 ms|timed out/i,
    ],
    [
      "is no server",
      { args: ["-e", "console.log('hello'); process.stdin.resume()"], connect_timeout_ms: 500 },
      /./,
    ],
  ])("when it %s, its tools are unavailable with the reason and others work", async (_, broken, reason) => {
    const servers = await open(everything({ name: "bad", ...broken }), everything({ name: "good" }))
    expect(servers.unavailable()).toContainEqual({
      name: "mcp:bad",
      owner: "mcp:bad",
      reason: expect.stringMatching(reason),
    })
    expect(await toolNamed(servers, "good__echo").run({ message: "ok" }, aRun())).toMatchObject({ ok: true })
    const policy = { version: "p1", mode: "ask", rules: [] } as const
    const unavailable = servers.unavailable()
    const catalog = catalogOf(servers.tools(), {
      caller: { name: "person" },
      policy,
      mode: "ask",
      unavailable,
    })
    expect(catalog.tools.find(({ name }) => name === "mcp:bad")).toMatchObject({ available: false })
    expect(servers.processes().has("bad")).toBe(false)
  })

  it("an address where nobody listens", async () => {
    const servers = await open({ name: "web", transport: "http", url: "http://127.0.0.1:9/mcp" })
    expect(servers.unavailable()).toMatchObject([{ name: "mcp:web" }])
  })

  it("a session that the server has forgotten is opened again, and the call made once", async () => {
    const seen: string[] = []
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "w", version: "1" },
      },
      "tools/list": { tools: [{ name: "do", inputSchema: { type: "object" } }] },
      "tools/call": { content: [say("done")] },
      ping: {},
    }
    const server = createServer(async (request, response) => {
      if (request.method !== "POST") return response.writeHead(405).end()
      const { id, method } = JSON.parse(await text(request))
      if (method === "tools/call") seen.push(String(request.headers["mcp-session-id"]))
      if (method === "initialize") seen.push(method)
      const session = `s${seen.filter((one) => one === "initialize").length}`
      if (id === undefined) return response.writeHead(202).end()
      if (method === "tools/call" && session === "s1") return response.writeHead(404).end()
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": session })
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }))
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void server.close())
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" ? address?.port : 0
    const servers = await open({ name: "web", transport: "http", url: `http://127.0.0.1:${port}/mcp` })
    expect(await toolNamed(servers, "web__do").run({}, aRun())).toEqual({ ok: true, output: "done" })
    expect(seen).toEqual(["initialize", "s1", "initialize", "s2"])
  })

  it("its words are bounded and hold none of its secrets", async () => {
    const code = "console.error('x'.repeat(100000) + process.env.TOKEN); process.exit(1)"
    const servers = await open(everything({ args: ["-e", code], env: { TOKEN: "hunter2secret" } }))
    const reason = servers.unavailable()[0]?.reason ?? ""
    expect(reason).toContain("[redacted:TOKEN]")
    expect(reason).not.toContain("hunter2secret")
    expect(reason.length).toBeLessThan(1200)
  })

  it("a lost server comes back by itself", async () => {
    const servers = mcpTools([everything()], { retry_ms: [1] })
    onTestFinished(() => servers.close())
    await servers.ready
    process.kill(servers.processes().get("everything") ?? 0, "SIGKILL")
    await vi.waitUntil(() => servers.tools().length === 0, { timeout: 10_000, interval: 1 })
    await vi.waitUntil(() => servers.tools().length > 0, { timeout: 10_000 })
    expect(toolNamed(servers, "everything__echo").effect).toBe("none")
  })

  it.each([
    ["once", {}, "outcome_unknown"],
    ["repeatable", { idempotentHint: true }, "tool_error"],
    ["none", { readOnlyHint: true }, "tool_error"],
  ] as const)("a server that dies in a call of effect %s", async (effect, annotations, category) => {
    const servers = await open(
      scripted(`onList(() => ({ tools: [{ ...plain("die"), annotations: ${JSON.stringify(annotations)} }] }))
        onCall(() => process.exit(1))`),
    )
    const die = toolNamed(servers, "own__die")
    expect(die.effect).toBe(effect)
    expect(await die.run({}, aRun())).toMatchObject({ ok: false, category })
  })

  it("all that a server started is ended on close", async () => {
    const file = join(tempFolder(), "pid")
    const servers = await open(
      scripted(`const { spawn } = await import("node:child_process")
        const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])
        ;(await import("node:fs")).writeFileSync(${JSON.stringify(file)}, String(child.pid))
        onList(() => ({ tools: [] })); onCall(() => text("")); process.on("SIGTERM", () => {})`),
    )
    expect(existsSync(file)).toBe(true)
    const pid = Number(readFileSync(file, "utf8"))
    expect(alive(pid)).toBe(true)
    await servers.close()
    await vi.waitUntil(() => !alive(pid), { timeout: 10_000 })
  })

  it("closing does not wait for a server that is still starting", async () => {
    const servers = mcpTools([everything({ args: ["-e", "setInterval(() => {}, 1000)"] })])
    expect(servers.unavailable()).toMatchObject([{ reason: "The server is being started." }])
    await servers.close()
    await servers.ready
    expect(servers.processes().size).toBe(0)
  })
})

describe("the list of a server", () => {
  it("a changed list is taken over; a list that was taken before stays", async () => {
    const servers = await open(
      scripted(`let names = ["grow"]
        onList(() => ({ tools: names.map(plain) }))
        onCall(async ({ params }) => {
          if (params.name === "grow") { names = ["grown"]; await server.sendToolListChanged() }
          return text("was " + params.name)
        })`),
    )
    const before = servers.tools()
    const changed = new Promise<void>((resolve) => servers.onChange(resolve))
    expect(await toolNamed(servers, "own__grow").run({}, aRun())).toEqual({ ok: true, output: "was grow" })
    await changed
    expect(servers.tools().map(({ name }) => name)).toEqual(["own__grown"])
    expect(before.map(({ name }) => name)).toEqual(["own__grow"])
    expect(await before[0]?.run({}, aRun())).toEqual({ ok: true, output: "was grow" })
  })

  it("all pages are read, and one bad declaration does not hide the others", async () => {
    const servers = await open(
      scripted(`onList(({ params }) => params?.cursor
          ? { tools: [plain("second")] }
          : { tools: [plain("first"), { name: "bad", inputSchema: { type: "array" } }], nextCursor: "2" })
        onCall(() => text(""))`),
    )
    expect(servers.tools().map(({ name }) => name)).toEqual(["own__first", "own__second"])
    expect(servers.unavailable()).toMatchObject([
      { name: "own__bad", reason: expect.stringContaining("not well formed") },
    ])
  })

  it("what has no annotation is taken as done once, written and external", async () => {
    const servers = await open(scripted(`onList(() => ({ tools: [plain("do")] })); onCall(() => text(""))`))
    expect(toolNamed(servers, "own__do")).toMatchObject({
      effect: "once",
      side_effects: ["write", "external"],
    })
  })

  it.each([
    ["-32602", "Tool x not found", "unknown_tool"],
    ["-32602", "path is missing", "invalid_args"],
    ["-32601", "no such method", "unknown_tool"],
    ["-32603", "oops", "tool_error"],
  ])("the error %s %s is %s", async (code, message, category) => {
    const servers = await open(
      scripted(`onList(() => ({ tools: [plain("do")] }))
        onCall(() => { throw Object.assign(new Error("${message}"), { code: ${code} }) })`),
    )
    const outcome = await toolNamed(servers, "own__do").run({}, aRun())
    expect(outcome).toMatchObject({ ok: false, category, message: expect.stringContaining(message) })
  })

  it("a flood of progress does not pile up, and its last word is kept", async () => {
    const servers = await open(
      scripted(`onList(() => ({ tools: [plain("flood")] }))
        onCall(async ({ params }, { sendNotification }) => {
          const { progressToken } = params._meta
          for (let progress = 1; progress <= 200; progress++) {
            await sendNotification({ method: "notifications/progress", params: { progressToken, progress } })
          }
          return text("done")
        })`),
    )
    const told: unknown[] = []
    const record: ToolRun["record"] = async (facts) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      told.push(...facts.map(({ payload }) => payload))
      return true
    }
    expect(await toolNamed(servers, "own__flood").run({}, aRun({ record }))).toMatchObject({ ok: true })
    expect(told[0]).toEqual({ done: 1 })
    expect(told.at(-1)).toEqual({ done: 200 })
    expect(told.length).toBeLessThan(200)
  })

  it.each([
    [
      "[RT-TOOL-5] a call that takes too long is ended at its limit, and the server is told",
      {},
      "outcome_unknown",
    ],
    ["a call that only looks and takes too long is one that failed", { readOnlyHint: true }, "time_limit"],
  ])("%s", async (_, annotations, category) => {
    const file = join(tempFolder(), "told")
    const code = `const { writeFileSync } = await import("node:fs")
      onList(() => ({ tools: [{ ...plain("sleep"), annotations: ${JSON.stringify(annotations)} }] }))
      onCall((_, { signal }) => new Promise(() => {
        signal.addEventListener("abort", () => writeFileSync(${JSON.stringify(file)}, "cancelled"))
      }))`
    const servers = await open(scripted(code, { call_timeout_ms: 100 }))
    const outcome = await toolNamed(servers, "own__sleep").run({}, aRun())
    expect(outcome).toMatchObject({ ok: false, category })
    await vi.waitUntil(() => existsSync(file), { timeout: 10_000 })
  })
})

describe("names", () => {
  const named = (...tools: [string, string][]) => [
    ...toolNames(tools.map(([server, tool]) => ({ server, tool }))).values(),
  ]
  it("are cleaned to what providers accept", () => {
    expect(named(["my server", "read.file/é"], ["3d", "x"])).toEqual(["my_server__read_file__", "_3d__x"])
  })
  it("are at most 64 long and still differ", () => {
    const [a = "", b = ""] = named(["s", `${"x".repeat(80)}a`], ["s", `${"x".repeat(80)}b`])
    expect([a.length, b.length]).toEqual([64, 64])
    expect(a).not.toBe(b)
  })
  it("that collide are told apart, whatever their order", () => {
    const one: [string, string] = ["a", "b__c"]
    const two: [string, string] = ["a__b", "c"]
    const names = named(one, two)
    expect(new Set(names).size).toBe(2)
    expect(names).toEqual(named(two, one).toReversed())
    for (const name of names) expect(name).toMatch(/^a__b__c_[0-9a-f]{8}$/)
  })
})

describe("results", () => {
  const bytes = Buffer.from([1, 2, 3]).toString("base64")
  it.each([
    ["texts are joined", { content: [say("a"), say("b")] }, { output: "a\nb" }],
    [
      "data alone is printed too",
      { content: [], structuredContent: { n: 1 } },
      { output: '{"n":1}', data: { n: 1 } },
    ],
    [
      "a sound alone is bytes",
      { content: [{ type: "audio" as const, data: bytes, mimeType: "audio/wav" }] },
      { output: Uint8Array.of(1, 2, 3), media_type: "audio/wav" },
    ],
    [
      "a resource of bytes among texts is a note",
      { content: [say("see"), { type: "resource" as const, resource: { uri: "x:1", blob: bytes } }] },
      { output: "see\n[application/octet-stream, 3 bytes, not shown]" },
    ],
    [
      "a resource of text is its text",
      { content: [{ type: "resource" as const, resource: { uri: "x:1", text: "inside" } }] },
      { output: "inside" },
    ],
    [
      "a link is named",
      { content: [{ type: "resource_link" as const, uri: "x:1", name: "log" }] },
      { output: "[resource log: x:1]" },
    ],
  ])("%s", (_, result, outcome) => expect(outcomeOf(result)).toEqual({ ok: true, ...outcome }))

  it("an error without words gets some", () => {
    const message = "The tool reported an error and gave no reason."
    expect(outcomeOf({ content: [], isError: true })).toEqual({
      ok: false,
      category: "tool_error",
      message,
      output: "",
    })
  })
})

describe("checks", () => {
  it.each([
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2020-12/schema",
    undefined,
  ])("a schema of %s is used", ($schema) => {
    const check = inputCheck({
      ...($schema ? { $schema } : {}),
      type: "object",
      required: ["a"],
      additionalProperties: false,
      properties: { a: { type: "integer" } },
    })
    expect(check({ a: 1 })).toEqual([])
    expect(check({})).toEqual([{ path: "", message: "must have required property 'a'" }])
    expect(check({ a: 1, b: 2 })).toEqual([{ path: "", message: "must NOT have additional properties: b" }])
  })
  it("a schema that cannot be read leaves the judgement to the server", () => {
    expect(inputCheck({ type: "nonsense" })({ a: 1 })).toEqual([])
  })
})

function say(text: string) {
  return { type: "text" as const, text }
}
