import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { version } from "../src/version.ts"
import { ask, saying } from "./asking.ts"
import { temporaryDirectory } from "./hosting.ts"
import { openStream } from "./stream.ts"

const main = new URL("../src/main.ts", import.meta.url).pathname
const running = /^Factum is running at (http:\/\/127\.0\.0\.1:(\d+))\/#token=([\w-]{43})\n$/
let directory: ReturnType<typeof temporaryDirectory>
const children: ChildProcess[] = []

beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  directory.remove()
  more = {}
})

/** Put into the program's environment: its signal makes a mistake of the program's own. */
let more: Record<string, string> = {}
function mistakeOn(mistake: string) {
  const code = `process.on("SIGUSR2", () => { ${mistake} })`
  more = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

function factum(...args: string[]) {
  return factumIn(more, ...args)
}

function factumIn(variables: Record<string, string>, ...args: string[]) {
  const data = join(directory.path, "data")
  const env = { PATH: process.env.PATH, FACTUM_DATA: data, CI: "1", ...variables }
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] })
  children.push(child)
  let [out, err] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text
  })
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, out, err })),
  )
  return { child, data, ended, out: () => out, err: () => err }
}

async function started(...args: string[]) {
  return upAndRunning(factum(...args))
}

async function upAndRunning(process: ReturnType<typeof factum>) {
  const whole = new Promise<void>((resolve) =>
    process.child.stdout?.on("data", () => process.out().includes("\n") && resolve()),
  )
  const early = await Promise.race([whole, process.ended])
  if (early) throw new Error(`It ended with ${early.code}: ${early.err}`)
  const [line, url = "", port = "", token = ""] = running.exec(process.out()) ?? []
  expect(line).toBe(process.out())
  return { ...process, url, port: Number(port), token }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe("starting", () => {
  it("prints one line with an address that works", async () => {
    const host = await started("--port", "0")
    expect((await ask(`${host.url}/v1/health`)).json).toEqual({ ok: true, name: "factum", version })
    const list = await ask(`${host.url}/v1/sessions`, { headers: bearer(host.token) })
    expect(list.json).toEqual({ ok: true, result: { sessions: [] } })
    expect(host.err()).toBe("")
  })

  it("keeps the data folder and the token from other users", async () => {
    const { data } = await started("--port", "0")
    expect(statSync(data).mode & 0o077).toBe(0)
    expect(statSync(join(data, "token")).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(data, "owner.json"), "utf8")).not.toContain("token")
  })

  it("listens on the loopback address alone", async () => {
    const { port } = await started("--port", "0")
    const other = connect({ host: "127.0.0.2", port })
    const [error] = await once(other, "error")
    expect(error).toMatchObject({ code: "ECONNREFUSED" })
  })

  it("a second start finds the first and says where it is", async () => {
    const host = await started("--port", "0")
    const second = await factum("--port", "0").ended
    expect(second).toEqual({
      code: 0,
      out: `Factum is already running at ${host.url}/#token=${host.token} (process ${host.child.pid}).\n`,
      err: "",
    })
    expect((await ask(`${host.url}/v1/health`)).status).toBe(200)
  })

  it("two starts at once give one host", async () => {
    const both = [factum("--port", "0"), factum("--port", "0")]
    const second = await Promise.race(both.map(({ ended }) => ended))
    expect(second).toMatchObject({ code: 0, err: "" })
    const [, url] = /^Factum is already running at (\S+)\/#token=/.exec(second.out) ?? []
    expect((await ask(`${url}/v1/health`)).status).toBe(200)
  })
})

describe("ending", () => {
  it("[RT-REC-8] a host whose log can no longer be written says what is known and ends with 1", async () => {
    // On a signal, the next thing that is to be written ends the thread that writes.
    const dying = `import { Worker } from "node:worker_threads"
      process.on("SIGUSR2", () => { Worker.prototype.postMessage = function () { this.terminate() } })`
    const preload = `--import=data:text/javascript,${encodeURIComponent(dying)}`
    const host = await upAndRunning(factumIn({ NODE_OPTIONS: preload }, "--port", "0"))
    host.child.kill("SIGUSR2")
    const body = JSON.stringify({ input: { create: "session", input: saying("hello") } })
    const send = () => ask(`${host.url}/v1/commands/submit_turn`, { headers: bearer(host.token), body })
    let answer = await send()
    // Until the signal has arrived.
    while (answer.status === 200) answer = await send()
    expect(answer.json).toMatchObject({
      refusal: { message: "Whether this was written is not known: the writer has ended." },
    })
    const { code, err } = await host.ended
    expect(code).toBe(1)
    expect(err).toMatch(/^Factum stops, because its log cannot be written any more: the writer has ended\./)
  })

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends it with 0", async (signal) => {
    const { child, ended } = await started("--port", "0")
    child.kill(signal)
    expect(await ended).toMatchObject({ code: 0, err: "" })
  })

  it("closes open streams and gives the data folder back, so that the next start is clean", async () => {
    const host = await started("--port", "0")
    const { session_id } = await submitted(host, "hello")
    const stream = await openStream(`${host.url}/v1/sessions/${session_id}/facts`, bearer(host.token))
    host.child.kill("SIGTERM")
    await stream.ended
    expect(stream.response.complete).toBe(true)
    expect(await host.ended).toMatchObject({ code: 0, err: "" })
    const next = await started("--port", "0")
    expect(next.token).toBe(host.token)
  })

  it("a request that never ends holds it up for a moment only", async () => {
    const host = await started("--port", "0")
    await hangingRequest(host)
    host.child.kill("SIGTERM")
    expect(await host.ended).toMatchObject({ code: 0, err: "" })
  })

  it("a second signal ends it at once", async () => {
    const host = await started("--port", "0")
    await hangingRequest(host)
    host.child.kill("SIGTERM")
    host.child.kill("SIGINT")
    // Whichever the system delivers last is the second.
    expect([128 + 2, 128 + 15]).toContain((await host.ended).code)
  })

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "%s for its whole process group, passed on by its parent, ends it in order",
    async (signal) => {
      const passing = `
      const child = require("node:child_process").spawn(process.execPath, process.argv.slice(1), { stdio: "inherit" })
      for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
      child.on("exit", (code) => { process.exitCode = code ?? 1 })`
      const env = { PATH: process.env.PATH, FACTUM_DATA: join(directory.path, "data"), CI: "1" }
      const args = ["-e", passing, "--", main, "--port", "0"]
      const parent = spawn(process.execPath, args, {
        env,
        detached: true,
        stdio: ["ignore", "pipe", "inherit"],
      })
      const { pid = 0 } = parent
      const ended = once(parent, "exit")
      try {
        let out = ""
        for await (const text of parent.stdout.setEncoding("utf8")) {
          out += text
          // Leaving the stream closes it, as a terminal that is closed takes no more words either.
          if (out.includes("\n")) break
        }
        const [, , port, token = ""] = running.exec(out) ?? []
        await hangingRequest({ port: Number(port), token })
        process.kill(-pid, signal)
        expect(await ended).toEqual([0, null])
      } finally {
        if (parent.exitCode === null) process.kill(-pid, "SIGKILL")
      }
    },
  )

  it("after kill -9 a restart keeps the token, the facts and the answers to commands", async () => {
    const host = await started("--port", "0")
    const first = await submitted(host, "hello")
    const path = `/v1/sessions/${first.session_id}/facts`
    const before = await openStream(host.url + path, bearer(host.token))
    await before.until(() => before.text().includes('"turn.submitted"'))
    host.child.kill("SIGKILL")
    await host.ended
    const again = await started("--port", String(host.port))
    expect({ url: again.url, token: again.token }).toEqual({ url: host.url, token: host.token })
    expect(await submitted(again, "hello")).toEqual(first)
    const after = await openStream(again.url + path, bearer(host.token))
    await after.until(() => after.text().startsWith(wholeEvents(before.text())))
    after.cut()
  })
})

describe("a mistake of the program's own", () => {
  it("in what nobody waits for is printed, and the host goes on", async () => {
    mistakeOn('Promise.reject(new Error("a lost promise"))')
    const host = await started("--port", "0")
    host.child.kill("SIGUSR2")
    await vi.waitFor(() => expect(host.err()).toContain("a lost promise"), 10_000)
    expect((await ask(`${host.url}/v1/health`)).status).toBe(200)
    host.child.kill("SIGTERM")
    expect(await host.ended).toMatchObject({ code: 0 })
  })

  it("that leaves it in no known state ends it with 1, and the next start goes on from the log", async () => {
    mistakeOn('throw new Error("a torn state")')
    const host = await started("--port", "0")
    const first = await submitted(host, "hello")
    host.child.kill("SIGUSR2")
    const { code, err } = await host.ended
    expect({ code, told: err.includes("a torn state") }).toEqual({ code: 1, told: true })
    const again = await started("--port", "0")
    expect(await submitted(again, "hello")).toEqual(first)
  })
})

describe("what cannot be", () => {
  it.each([
    [["--colour"], "There is no option --colour; factum start --help tells what there is.\n"],
    [
      ["--port", "many"],
      "many is no port: it is a number from 0 to 65535; factum start --help tells what there is.\n",
    ],
  ])("options %j end with 2 and one sentence", async (args, err) => {
    expect(await factum(...args).ended).toEqual({ code: 2, out: "", err })
  })

  it("a port that is taken, when it was named, ends with 1", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const { code, out, err } = await factum("--port", String(port)).ended
    other.close()
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(new RegExp(`^Port ${port} cannot be used: .*EADDRINUSE.*\\.\\n$`))
  })

  it("a script that cannot be read", async () => {
    const { code, out, err } = await factum("--script", "/nowhere.jsonl").ended
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(/^The script \/nowhere\.jsonl cannot be read: .*\n$/)
  })

  it("a script with a wrong line is told which", async () => {
    const path = join(directory.path, "wrong.jsonl")
    writeFileSync(path, '{"on":""}\n{"shout":"hello"}\n')
    expect(await factum("--script", path).ended).toEqual({
      code: 2,
      out: "",
      err: `The script ${path} is wrong in line 2: This line is no step that the script format knows.\n`,
    })
  })

  it("a store that is damaged is left alone", async () => {
    const { data, child, ended } = await started("--port", "0")
    child.kill("SIGTERM")
    await ended
    writeFileSync(join(data, "factum.db"), "no database at all".repeat(10))
    const { code, out, err } = await factum("--port", "0").ended
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/^.*factum\.db is damaged: .*\n$/)
    expect(readFileSync(join(data, "factum.db"), "utf8")).toBe("no database at all".repeat(10))
  })

  it("a store of a newer version is left alone", async () => {
    const { data, child, ended } = await started("--port", "0")
    child.kill("SIGTERM")
    await ended
    const path = join(data, "factum.db")
    const db = new DatabaseSync(path)
    db.exec("pragma user_version = 99")
    db.close()
    const before = readFileSync(path)
    const { code, out, err } = await factum("--port", "0").ended
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/^The store has format 99, .* newer program\.\n$/)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it("a data folder that is a file", async () => {
    const path = join(directory.path, "file")
    writeFileSync(path, "")
    const { code, out, err } = await factum("--data", path, "--port", "0").ended
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/file cannot be written: .*\n$/)
  })
})

describe("telling", () => {
  it("--version", async () => {
    expect(await factum("--version").ended).toEqual({ code: 0, out: `factum ${version}\n`, err: "" })
  })

  it("start --help names every option", async () => {
    const { code, out } = await factum("start", "--help").ended
    expect(code).toBe(0)
    for (const option of ["--port", "--data", "--script", "--origin", "--no-open", "--help"]) {
      expect(out).toContain(option)
    }
  })
})

/** Announces a body that never comes; the answer to `Expect` proves that the host has begun with it. */
async function hangingRequest({ port, token }: { port: number; token: string }) {
  const socket = connect({ host: "127.0.0.1", port })
  socket.on("error", () => undefined)
  const headers = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Length: 9\r\nExpect: 100-continue`
  socket.write(`POST /v1/blobs HTTP/1.1\r\n${headers}\r\n\r\n`)
  const [answer] = await once(socket, "data")
  expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /)
}

async function submitted({ url, token }: { url: string; token: string }, text: string) {
  const body = JSON.stringify({ command_id: "cmd_once", input: { create: "session", input: saying(text) } })
  const { json } = await ask(`${url}/v1/commands/submit_turn`, { body, headers: bearer(token) })
  return (json as { result: { session_id: string; turn_id: string } }).result
}

const wholeEvents = (text: string) => text.slice(0, text.lastIndexOf("\n\n") + 2)
