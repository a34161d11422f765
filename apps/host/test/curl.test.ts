import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach, expect, it } from "vitest"
import { saying } from "./asking.ts"
import { type Hosting, startTestHost, type TestHost, token } from "./hosting.ts"
import { upTo } from "./stream.ts"
import { asking, writer } from "./writer.ts"

const children: ChildProcess[] = []
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const child of children.splice(0)) await stopped(child)
  for (const end of ends.splice(0).reverse()) await end()
})

async function hosted(hosting: Hosting = {}): Promise<TestHost> {
  const host = await startTestHost({ model: writer(), agent: asking, ...hosting })
  ends.push(() => host.stop())
  return host
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}

/** The program itself, without a user's own settings, and with the token as a person would give it. */
function curl(...args: string[]) {
  const given = ["--disable", "--silent", "--show-error", "--noproxy", "*"]
  const child = spawn("curl", [...given, "-H", `Authorization: Bearer ${token}`, ...args])
  children.push(child)
  let [out, err] = ["", ""]
  const checks = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
    for (const check of checks) check()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text
  })
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, out, err }))
  })
  return {
    child,
    ended,
    out: () => out,
    /** Resolves with what it finds in the output; fails when curl ends without it. */
    until: <T>(find: (text: string) => T | undefined) =>
      new Promise<T>((resolve, reject) => {
        const check = () => {
          const found = find(out)
          if (found === undefined) return
          checks.delete(check)
          resolve(found)
        }
        checks.add(check)
        ended.then(() => reject(new Error(`curl ended: ${out.slice(-300)} ${err}`)), reject)
        check()
      }),
  }
}

async function command(host: TestHost, name: string, input: object): Promise<Record<string, string>> {
  const asked = ["--fail-with-body", "-H", "Content-Type: application/json"]
  const { code, out, err } = await curl(
    ...asked,
    ...["--data", JSON.stringify({ input }), `${host.url}/v1/commands/${name}`],
  ).ended
  if (code !== 0) throw new Error(`curl ended with ${code}: ${out} ${err}`)
  return JSON.parse(out).result
}

type Fact = { type: string; sequence: number; action_id?: string }
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
const factsIn = (text: string): Fact[] =>
  [...text.matchAll(/^data: (.+)\n\n/gm)].map(([, json = ""]) => JSON.parse(json))

it("curl completes a turn with an approval, and goes on with its stream where it was cut", async () => {
  const host = await hosted()
  const { session_id = "" } = await command(host, "submit_turn", { create: "session", input: saying("hi") })
  const path = `${host.url}/v1/sessions/${session_id}/facts`
  const first = curl("-N", path)
  const action_id = await first.until(
    (text) => factsIn(text).find(({ type }) => type === "action.required")?.action_id,
  )
  await stopped(first.child)
  const seen = factsIn(first.out())
  const last = seen.at(-1)?.sequence ?? 0
  const later = curl("-N", "-H", `Last-Event-ID: ${last}`, path)
  await command(host, "respond_action", { session_id, action_id, decision: "allow" })
  await later.until((text) => factsIn(text).find(({ type }) => type === "turn.completed"))
  await stopped(later.child)
  const all = [...seen, ...factsIn(later.out())]
  expect(all.map(({ sequence }) => sequence)).toEqual(upTo(all.length))
  expect(idsIn(later.out())[0]).toBe(last + 1)
  const stored = host.runtime.log.read(session_id, 0, 1000).map(({ text }) => JSON.parse(text))
  expect(all).toEqual(stored.slice(0, all.length))
  expect(all.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["action.required", "action.resolved", "tool.result", "turn.completed"]),
  )
})

it("curl is told of a refusal by its status and by what is to be done", async () => {
  const host = await hosted()
  const { code, out } = await curl("--fail-with-body", `${host.url}/v1/sessions/ses_no`).ended
  expect(code).toBe(22)
  expect(JSON.parse(out)).toMatchObject({ ok: false, refusal: { code: "not_found" } })
})

it("curl sees a stream end when the host does", async () => {
  const host = await hosted()
  const { session_id = "" } = await command(host, "submit_turn", { create: "session", input: saying("hi") })
  const stream = curl("-N", `${host.url}/v1/sessions/${session_id}/agent-ui`)
  await stream.until((text) => (idsIn(text).length > 0 ? true : undefined))
  host.beginClosing()
  expect((await stream.ended).code).toBe(0)
})
