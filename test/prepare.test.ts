import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { alone } from "../scripts/alone.mjs"
import { isInstalled } from "../scripts/installed.mjs"

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "factum-prepare-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function child(code: string) {
  const one = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" })
  return { pid: one.pid, ended: new Promise<number | null>((resolve) => one.on("close", resolve)) }
}

test("several at once do it one after the other", async () => {
  const at = folder()
  const [lock, log] = [join(at, "lock"), join(at, "log")]
  const code = `
    import { appendFileSync } from "node:fs"
    import { alone } from ${JSON.stringify(new URL("../scripts/alone.mjs", import.meta.url).href)}
    const write = (word) => appendFileSync(${JSON.stringify(log)}, word + " " + process.pid + "\\n")
    alone(${JSON.stringify(lock)}, () => {
      write("begin")
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      write("end")
    })`
  const all = [child(code), child(code), child(code)]
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0])
  const lines = readFileSync(log, "utf8").trim().split("\n")
  expect(lines).toHaveLength(6)
  for (const [at, line] of lines.entries())
    if (at % 2 === 0) expect(lines[at + 1]).toBe(line.replace("begin", "end"))
  expect(existsSync(lock)).toBe(false)
}, 60_000)

test("one that was killed while it did it is not waited for", async () => {
  const lock = join(folder(), "lock")
  const { pid, ended } = child("")
  await ended
  writeFileSync(lock, `${pid}`)
  const said: string[] = []
  expect(
    alone(
      lock,
      () => "done",
      (text: string) => said.push(text),
    ),
  ).toBe("done")
  expect(said).toEqual([])
  expect(existsSync(lock)).toBe(false)
})

test("what fails leaves it free", () => {
  const lock = join(folder(), "lock")
  const fail = () => {
    throw new Error("no")
  }
  expect(() => alone(lock, fail)).toThrow("no")
  expect(alone(lock, () => 1)).toBe(1)
})

test("an installation counts while npm's record and the packages themselves are there", () => {
  const at = folder()
  const packages = {
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { version: "1.0.0", dev: true },
  }
  const put = (name: string, content: object) => {
    mkdirSync(join(at, "node_modules", name, ".."), { recursive: true })
    writeFileSync(join(at, "node_modules", name), JSON.stringify(content))
  }
  const lock = { packages }
  expect(isInstalled(at, lock, false)).toBe(false)
  put("a/package.json", {})
  put(".package-lock.json", { packages: { "node_modules/a": { version: "1.0.0" } } })
  expect([isInstalled(at, lock, false), isInstalled(at, lock, true)]).toEqual([true, false])
  put("b/package.json", {})
  put(".package-lock.json", lock)
  expect(isInstalled(at, lock, true)).toBe(true)
  rmSync(join(at, "node_modules", "a"), { recursive: true })
  expect(isInstalled(at, lock, false)).toBe(false)
})
