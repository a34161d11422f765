import { execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"

const root = new URL("..", import.meta.url).pathname
let folder: string

const packedStart = [
  "node_modules/factum/factum.mjs",
  "start",
  "--no-open",
  "--port",
  "0",
  "--data",
  "served",
]

/** A turn, watched to its end by the store that is bound to its session. */
const typed = `import { bind, type Client, createClient } from "factum/client"
import { createFactum, type FactumParts } from "factum"

const [url = "", token = ""] = process.argv.slice(2)
const client: Client = createClient({ url, token })
const begun = await client.command("submit_turn", {
  create: "session",
  input: [{ kind: "text", text: "hello" }],
  source: "program",
})
if (!begun.ok) throw new Error(begun.refusal.message)
const { session_id, turn_id } = begun.result
const bound = bind({ client, schedule: { everyMs: 20 } })
const scope = { sessionId: session_id, runId: turn_id }
const done = new Promise<void>((resolve) => {
  const look = () => {
    if (bound.view("runtime_status", scope).status === "done") resolve()
  }
  bound.store.subscribe(look)
  void bound.open(session_id).then(look)
})
await done
const { messages } = bound.view("conversation", { sessionId: session_id })
const said: string[] = messages.filter(({ role }) => role === "assistant").flatMap(({ text }) => text.flatMap(({ blocks }) => blocks))
console.log(said.join(""))
bound.close()

const parts: FactumParts = { data: "typed", model: ({ model }: { model: string }) => model }
export const embedded = () => createFactum(parts)
`

let env: NodeJS.ProcessEnv

/** Without node_modules of this project in the way, and without the Node that it brought. */
const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    env,
    // Nothing else can end a program that never does: while it is waited for, no timer of the test runs.
    timeout: 120_000,
  })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "factum-pack-"))
  env = { ...process.env, FACTUM_DATA: join(folder, "data"), XDG_CONFIG_HOME: folder, CI: "1" }
  const packed = execFileSync(process.execPath, [join(root, "scripts/pack.ts"), folder], {
    encoding: "utf8",
    timeout: 240_000,
  })
  const tarball = packed.trim().split("\n").at(-1) ?? ""
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}')
  writeFileSync(join(folder, "script.jsonl"), '{"on":""}\n{"text":"Packed and well."}')
  const installed = run("npm", "install", "--no-audit", "--no-fund", "--prefer-offline", tarball)
  if (installed.status !== 0) throw new Error(installed.stderr)
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("the packed command answers on the scripted model", () => {
  const { status, stdout, stderr } = run("npx", "factum", "run", "hello", "--script", "script.jsonl")
  expect({ status, stdout, stderr: status === 0 ? "" : stderr }).toEqual({
    status: 0,
    stdout: "Packed and well.\n",
    stderr: "",
  })
}, 60_000)

test("the packed host finds its workbench", () => {
  const { status, stdout } = run("npx", "factum", "doctor")
  expect(status).toBe(0)
  expect(stdout).toMatch(/ok +workbench +built/)
}, 60_000)

test("the package is a library, too", () => {
  const program = `import { createFactum } from "factum"
const factum = await createFactum({ data: "embedded", model: () => "Hi from a program." })
console.log((await factum.run("hello")).text)
await factum.close()`
  writeFileSync(join(folder, "program.mjs"), program)
  expect(run(process.execPath, "program.mjs").stdout).toBe("Hi from a program.\n")
}, 60_000)

test("its declarations check a program of somebody else, which then runs beside a host", async () => {
  writeFileSync(join(folder, "typed.ts"), typed)
  const compilerOptions = {
    target: "es2024",
    module: "nodenext",
    lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
    strict: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["typed.ts"] }))
  const check = () => run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", folder)
  expect(check()).toMatchObject({ status: 0, stdout: "" })

  // The declarations say something: what is not in the table does not compile.
  writeFileSync(join(folder, "typed.ts"), typed.replace('"submit_turn"', '"submit_turns"'))
  expect(check().stdout).toContain("submit_turns")
  writeFileSync(join(folder, "typed.ts"), typed)

  const host = spawn(process.execPath, [...packedStart, "--script", "script.jsonl"], { cwd: folder, env })
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = ""
      host.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text
        const found = /running at (\S+)\n/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
      host.once("close", () => reject(new Error(`The host ended: ${said}`)))
    })
    const [address = "", token = ""] = url.split("/#token=")
    const { status, stdout, stderr } = run(process.execPath, "typed.ts", address, token)
    expect({ status, stdout, stderr: status === 0 ? "" : stderr }).toEqual({
      status: 0,
      stdout: "Packed and well.\n",
      stderr: "",
    })
  } finally {
    const ended = new Promise((resolve) => host.once("close", resolve))
    host.kill()
    await ended
  }
}, 240_000)

test("the client comes into a page without anything of Node", () => {
  const client = readFileSync(join(folder, "node_modules/factum/client/index.js"), "utf8")
  expect(client).not.toMatch(/from "|import\(|require\(|"node:/)
})
