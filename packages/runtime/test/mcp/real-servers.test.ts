import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import {
  alive,
  aRun,
  everything,
  everythingOverHttp,
  filesystem,
  open,
  tempFolder,
  toolNamed,
} from "./given.ts"

const abortOn = (controller: AbortController) => async () => {
  controller.abort()
  return true
}

describe("server-everything over stdio", () => {
  it("gives its tools with owner, names, effects and checks, and calls them", async () => {
    const servers = await open(everything())
    expect(servers.unavailable().filter(({ name }) => !/research/.test(name))).toEqual([])
    const echo = toolNamed(servers, "everything__echo")
    expect(echo).toMatchObject({ owner: "mcp:everything", effect: "none", side_effects: ["read"] })
    expect(echo.check({ message: "hi" })).toEqual([])
    expect(echo.check({ message: 1 })).toEqual([{ path: "message", message: "must be string" }])
    expect(await echo.run({ message: "hi" }, aRun())).toEqual({ ok: true, output: "Echo: hi" })
  })

  it("structured content becomes data, an image a note among texts", async () => {
    const servers = await open(everything())
    const weather = toolNamed(servers, "everything__get-structured-content")
    const data = { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 }
    expect(await weather.run({ location: "Chicago" }, aRun())).toEqual({
      ok: true,
      output: JSON.stringify(data),
      data,
    })
    const image = await toolNamed(servers, "everything__get-tiny-image").run({}, aRun())
    expect(image).toMatchObject({
      ok: true,
      output: expect.stringMatching(/\n\[image\/png, \d+ bytes, not shown\]\n/),
    })
  })

  it("progress becomes facts of the call, in order, before the result", async () => {
    const servers = await open(everything())
    const run = aRun()
    const long = toolNamed(servers, "everything__trigger-long-running-operation")
    const outcome = await long.run({ duration: 0.3, steps: 3 }, run)
    expect(outcome).toMatchObject({ ok: true, output: expect.stringContaining("completed") })
    expect(run.facts).toEqual(
      [1, 2, 3].map((done) => ({ type: "tool.progress", payload: { done, total: 3 } })),
    )
  })

  it("a call is interrupted by its signal, and the server goes on", async () => {
    const servers = await open(everything())
    const controller = new AbortController()
    const run = aRun({ signal: controller.signal, record: abortOn(controller) })
    const long = toolNamed(servers, "everything__trigger-long-running-operation")
    expect(await long.run({ duration: 100, steps: 1000 }, run)).toMatchObject({
      ok: false,
      category: "interrupted",
    })
    const echo = toolNamed(servers, "everything__echo")
    expect(await echo.run({ message: "still here" }, aRun())).toMatchObject({ output: "Echo: still here" })
  })

  it("a call that is over by the log is ended too", async () => {
    const servers = await open(everything())
    const long = toolNamed(servers, "everything__trigger-long-running-operation")
    const outcome = await long.run({ duration: 100, steps: 1000 }, aRun({ record: async () => false }))
    expect(outcome).toMatchObject({ ok: false, category: "interrupted" })
  })

  it("the server sees PATH, HOME and what is configured, nothing else", async () => {
    vi.stubEnv("FACTUM_TEST_KEY", "top")
    onTestFinished(() => void vi.unstubAllEnvs())
    const servers = await open(everything({ env: { GREETING: "hi" } }))
    const outcome = await toolNamed(servers, "everything__get-env").run({}, aRun())
    const env = JSON.parse(outcome.ok && typeof outcome.output === "string" ? outcome.output : "{}")
    expect(env).toEqual({ PATH: process.env.PATH, HOME: process.env.HOME, GREETING: "hi" })
  })

  it("after a loss the next call starts it again; what was listed stays callable", async () => {
    const servers = await open(everything())
    const echo = toolNamed(servers, "everything__echo")
    const pid = servers.processes().get("everything") ?? 0
    process.kill(pid, "SIGKILL")
    await vi.waitUntil(() => servers.tools().length === 0, { timeout: 10_000 })
    expect(servers.unavailable()).toContainEqual({
      name: "everything__echo",
      owner: "mcp:everything",
      reason: expect.stringContaining("lost"),
    })
    expect(await echo.run({ message: "again" }, aRun())).toEqual({ ok: true, output: "Echo: again" })
    expect(toolNamed(servers, "everything__echo").owner).toBe("mcp:everything")
    expect(servers.processes().get("everything")).not.toBe(pid)
  })

  it("closing ends the process, and no call is made any more", async () => {
    const servers = await open(everything())
    const pid = servers.processes().get("everything") ?? 0
    const echo = toolNamed(servers, "everything__echo")
    expect(alive(pid)).toBe(true)
    await servers.close()
    expect(alive(pid)).toBe(false)
    expect(await echo.run({ message: "?" }, aRun())).toMatchObject({ ok: false, category: "tool_error" })
  })
})

describe("server-filesystem over stdio", () => {
  it("reads and writes real files, with effects from its annotations", async () => {
    const folder = tempFolder()
    const servers = await open(filesystem(folder))
    const write = toolNamed(servers, "files__write_file")
    expect(write).toMatchObject({ effect: "repeatable", side_effects: ["write", "delete"] })
    expect(await write.touches({}, { cwd: folder, roots: [] })).toEqual([
      { kind: "other", name: "files__write_file" },
    ])
    expect(toolNamed(servers, "files__move_file").effect).toBe("once")
    const path = join(folder, "a.txt")
    expect(await write.run({ path, content: "hello" }, aRun())).toMatchObject({ ok: true })
    expect(readFileSync(path, "utf8")).toBe("hello")
    const read = toolNamed(servers, "files__read_text_file")
    expect(read).toMatchObject({ effect: "none", side_effects: ["read"] })
    expect(await read.touches({}, { cwd: folder, roots: [] })).toEqual([])
    expect(await read.run({ path }, aRun())).toMatchObject({ ok: true, output: "hello" })
  })

  it("a single image comes as bytes", async () => {
    const folder = tempFolder()
    const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 255)
    writeFileSync(join(folder, "a.png"), bytes)
    const servers = await open(filesystem(folder))
    const media = toolNamed(servers, "files__read_media_file")
    const outcome = await media.run({ path: join(folder, "a.png") }, aRun())
    expect(outcome).toMatchObject({ ok: true, output: bytes, media_type: "image/png" })
  })

  it("an error of the tool is a failed call with its words", async () => {
    const servers = await open(filesystem(tempFolder()))
    const outcome = await toolNamed(servers, "files__read_text_file").run({ path: "/etc/passwd" }, aRun())
    expect(outcome).toMatchObject({
      ok: false,
      category: "tool_error",
      message: expect.stringContaining("Access denied"),
    })
  })
})

describe("server-everything over streamable HTTP", () => {
  it("calls tools, reports progress and is interrupted", async () => {
    const { url } = await everythingOverHttp()
    const servers = await open({ name: "web", transport: "http", url })
    const echo = toolNamed(servers, "web__echo")
    expect(await echo.run({ message: "hi" }, aRun())).toEqual({ ok: true, output: "Echo: hi" })
    const long = toolNamed(servers, "web__trigger-long-running-operation")
    const run = aRun()
    await long.run({ duration: 0.2, steps: 2 }, run)
    expect(run.facts.map(({ payload }) => payload)).toEqual([1, 2].map((done) => ({ done, total: 2 })))
    const controller = new AbortController()
    const stopped = aRun({ signal: controller.signal, record: abortOn(controller) })
    expect(await long.run({ duration: 100, steps: 1000 }, stopped)).toMatchObject({ category: "interrupted" })
  })

  it("a server that was started anew is connected to anew", async () => {
    const first = await everythingOverHttp()
    const servers = await open({ name: "web", transport: "http", url: first.url })
    const echo = toolNamed(servers, "web__echo")
    const gone = new Promise((resolve) => first.child.once("exit", resolve))
    first.child.kill("SIGKILL")
    await gone
    await vi.waitUntil(() => servers.tools().length === 0, { timeout: 10_000 })
    await everythingOverHttp(first.port)
    expect(await echo.run({ message: "anew" }, aRun())).toEqual({ ok: true, output: "Echo: anew" })
  })

  it("a server that died says so to the call", async () => {
    const { url, child } = await everythingOverHttp()
    const servers = await open({ name: "web", transport: "http", url, connect_timeout_ms: 2000 })
    const echo = toolNamed(servers, "web__echo")
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await gone
    await vi.waitUntil(() => servers.tools().length === 0, { timeout: 10_000 })
    expect(await echo.run({ message: "?" }, aRun())).toMatchObject({
      ok: false,
      category: "tool_error",
      message: expect.stringContaining("web cannot be reached"),
    })
  })
})
