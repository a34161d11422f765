import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"

const root = new URL("..", import.meta.url).pathname
let folder: string

/** Without node_modules of this project in the way, and without the Node that it brought. */
const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, FACTUM_DATA: join(folder, "data"), XDG_CONFIG_HOME: folder, CI: "1" },
  })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "factum-pack-"))
  const packed = execFileSync(process.execPath, [join(root, "scripts/pack.ts"), folder], { encoding: "utf8" })
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
