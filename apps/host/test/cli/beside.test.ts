import { once } from "node:events"
import { mkdirSync, readFileSync, realpathSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { place, said } from "./factum.ts"

let at: ReturnType<typeof place>
let here: string
let other: string
beforeEach(() => {
  at = place()
  here = realpathSync(at.path)
  other = join(here, "other")
  mkdirSync(other)
})
afterEach(() => at.remove())

const inOther = (...args: string[]) => at.factum(args, "", {}, other)

describe("beside a host that runs", () => {
  test("a task from its folder is given to it; one for another folder is refused with both names", async () => {
    const host = await at.start()
    expect(await at.factum(["run", "hello"])).toEqual({ code: 0, out: "Yes.\n", err: "" })

    const refused = await inOther("run", "hello")
    expect(refused).toMatchObject({ code: 4, out: "" })
    expect(refused.err).toMatch(
      new RegExp(
        `^The host at http://127.0.0.1:\\d+/ works in ${here}, but this is for ${other}: go on over there with --project ${here}, give ${other} a host of its own with --data <folder>, or end the one that runs.\n$`,
      ),
    )
    const named = await at.factum(["run", "hello", "--project", "other"])
    expect(named).toMatchObject({
      code: 4,
      err: expect.stringContaining(`works in ${here}, but this is for ${other}`),
    })
    expect(await inOther("run", "hello", "--project", here)).toMatchObject({ code: 0, out: "Yes.\n" })
    expect(await inOther("run", "hello", "--data", "own", ...at.own)).toMatchObject({
      code: 0,
      out: "Yes.\n",
    })

    // What is there already may be looked at from everywhere, but never as if it were another project's.
    expect(await inOther("sessions")).toMatchObject({ code: 0, out: expect.stringContaining("hello") })
    expect(await inOther("sessions", "--project", ".")).toMatchObject({ code: 4 })
    expect(await at.factum(["run", "hello", "--secrets", "mine"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--secrets is for a host of this command's own"),
    })
    expect(await host.end()).toBe(0)
  })

  test("where no model is configured, a task from the folder of the host goes to its demo, and that is said", async () => {
    const host = at.spawned(["start", "--no-open", "--port", "0"])
    await said(host.child.stdout, "Factum is running")
    const sample = join(here, "data", "demo")
    const { code, out, err } = await at.factum(["run", "hello"])
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("welcome to Factum") })
    expect(err).toBe(
      `No model is configured: the scripted demo answers, and works on copies of its sample in ${sample}\n`,
    )
    expect(await inOther("run", "hello")).toMatchObject({
      code: 4,
      err: expect.stringContaining(`this is for ${other}`),
    })
  })

  test("--detach leaves the task to it and prints the ids; without one it is refused before anything is begun", async () => {
    const alone = await at.factum(["run", "hello", "--detach", ...at.own])
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining("--detach needs a running host") })
    const host = await at.start()
    expect((await at.factum(["sessions"])).out).not.toContain("hello")
    const { code, out } = await at.factum(["run", "hello", "--detach"])
    expect(code).toBe(0)
    expect(out).toMatch(/^ses_\w+ trn_\w+\n$/)
    const [session = ""] = out.split(" ")
    expect(await at.factum(["attach", session])).toMatchObject({ code: 0, out: "Yes.\n" })
    await host.end()
  })

  test("who took over the address of one that was killed is sent no token", async () => {
    const host = await at.start()
    const { url } = JSON.parse(readFileSync(join(at.env.FACTUM_DATA, "owner.json"), "utf8"))
    host.child.kill("SIGKILL")
    await host.exited
    const asked: string[] = []
    const other = createServer(({ url: path = "", headers }, answer) => {
      asked.push(`${path} ${headers.authorization ?? ""}`)
      answer.end('{"ok":true,"name":"factum","version":"0.1.0"}')
    })
    await once(other.listen(Number(new URL(url).port), "127.0.0.1"), "listening")
    try {
      expect(await at.factum(["run", "hello", ...at.own])).toMatchObject({ code: 0, out: "Yes.\n" })
      expect(asked).toEqual([])
    } finally {
      await new Promise((closed) => other.close(closed))
    }
  })
})

describe("a host that goes away", () => {
  const watching = async (...args: string[]) => {
    const command = at.spawned(["run", "slow", ...args])
    let told = ""
    command.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      told += text
    })
    await said(command.child.stdout, args.includes("--json") ? '"model.delta"' : "two")
    return { exited: command.exited, told: () => told }
  }
  const addressed = () => JSON.parse(readFileSync(join(at.env.FACTUM_DATA, "owner.json"), "utf8")).url

  test("is waited for with a word, then the command ends with 4 and says how to go on", async () => {
    const host = await at.start()
    const all = await Promise.all([watching(), watching("--json")])
    const url = addressed()
    host.child.kill("SIGKILL")
    for (const { exited, told } of all) {
      expect(await exited).toBe(4)
      expect(told()).toMatch(
        new RegExp(
          `^The host does not answer; trying again\\.\nThe host at ${url} does not answer any more\\. .*factum attach ses_\\w+\n$`,
        ),
      )
    }
  })

  test("one that refuses the token from then on ends the command at once, with the reason", async () => {
    const host = await at.start()
    const { exited, told } = await watching()
    const url = addressed()
    host.child.kill("SIGKILL")
    await host.exited
    const other = createServer((_, answer) => void answer.writeHead(401).end("{}"))
    await once(other.listen(Number(new URL(url).port), "127.0.0.1"), "listening")
    try {
      expect(await exited).toBe(1)
      expect(told()).toMatch(/shows ses_\w+ no longer \(status 401\)\.\n$/)
    } finally {
      other.closeAllConnections()
      await new Promise((closed) => other.close(closed))
    }
  })
})
