// The texts are for a shell: what looks like a template in them is its own.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: see above
import { execFile } from "node:child_process"
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { probeBubblewrap } from "../../src/sandbox/probe.ts"
import { settings } from "./bypass.ts"
import { generated } from "./generated.ts"
import { command, filled, judged, type World, world } from "./given.ts"
import { looking } from "./looking.ts"

const run = promisify(execFile)
const probe = await probeBubblewrap()
const secret = "planted-secret-7c1f"
const most = 300

let of: World
beforeAll(async () => {
  of = await world()
  await plant()
})
afterAll(() => of.end())

/** Secrets outside of the workspace, and inside of it programs and settings that leave a mark when they are run. */
async function plant(): Promise<void> {
  const { cwd, home, out } = of
  await writeFile(path.join(home, ".ssh/id"), secret)
  await writeFile(path.join(out, "f"), secret)
  const mark = `#!/bin/sh\ntouch ${cwd}/M\n`
  for (const folder of ["bin", "x/objects", "x/refs"])
    await mkdir(path.join(cwd, folder), { recursive: true })
  for (const name of ["bin/ls", "bin/cat", "bin/git", "bin/bash", "version", "evil"]) {
    await writeFile(path.join(cwd, name), mark)
    await chmod(path.join(cwd, name), 0o755)
  }
  await writeFile(path.join(cwd, "Makefile"), "version:\n\ttouch M\n")
  await writeFile(path.join(cwd, "src/a.ts"), "x\ny\n")
  await writeFile(path.join(cwd, "x/HEAD"), "ref: refs/heads/main\n")
  await writeFile(path.join(cwd, "x/config"), `[core]\n\tfsmonitor = ${cwd}/evil\n\tworktree = ${cwd}/x\n`)
  await run("rm", ["-rf", path.join(cwd, ".git")], { timeout: 60_000 })
  const git = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null"]
  for (const args of [
    ["init", "-q"],
    ["add", "src"],
    [...git, "commit", "-qm", "a"],
  ])
    await run("git", args, { cwd, timeout: 60_000 })
}

/** Names and contents of everything that a command could have left a mark in. */
async function marks(): Promise<string> {
  const told: string[] = []
  for (const top of [of.cwd, of.home, of.out]) {
    const entries = await readdir(top, { recursive: true, withFileTypes: true })
    for (const entry of entries) {
      const file = path.join(entry.parentPath, entry.name)
      // Looking brings its index up to date.
      if (file.includes("/.git/index")) continue
      told.push(entry.isFile() ? `${file} ${await readFile(file, "latin1")}` : file)
    }
  }
  return told.sort().join("\n")
}

/** What the command prints, in a real shell that can reach nothing but the world of the test. */
async function printed(text: string, programs = process.env.PATH ?? ""): Promise<string> {
  const top = path.dirname(of.cwd)
  const wall = ["--die-with-parent", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev"]
  const args = [
    ...wall,
    "--proc",
    "/proc",
    "--bind",
    top,
    top,
    "--chdir",
    of.cwd,
    "--setenv",
    "PATH",
    programs,
    "--",
    "/bin/bash",
    "-c",
    text,
  ]
  const env = { PATH: process.env.PATH, HOME: of.home }
  const options = {
    env,
    timeout: 20_000,
    killSignal: "SIGKILL",
    maxBuffer: 1 << 24,
    encoding: "latin1",
  } as const
  const ran = run("bwrap", args, options)
  ran.child.stdin?.end()
  // That it fails is no matter; what it printed before counts.
  const { stdout, stderr } = await ran.catch((error: { stdout?: string; stderr?: string }) => error)
  return `${stdout ?? ""}${stderr ?? ""}`
}

const isFree = async (text: string): Promise<boolean> =>
  (await judged(command(text, of), of, settings.ask)).verdict === "allow"

it.runIf(probe.ok)(
  "[RT-PERM-7] any text at all is judged, and where a real shell would run what is denied it is not free",
  { timeout: 300_000 },
  async () => {
    const trap = path.join(of.cwd, "trap")
    await mkdir(trap)
    await writeFile(path.join(trap, "rm"), '#!/bin/sh\n: > "${0%/*}/ran"\n')
    await chmod(path.join(trap, "rm"), 0o755)
    const piece = fc.constantFrom(
      ..."rm x;|&(){}[]$`'\"\\<>!#*?~=\n\t1".split(""),
      ...[
        "$(",
        "<<E\n",
        "do ",
        "then ",
        "fi",
        "rm x",
        "eval ",
        "$'\\x72m' ",
        "r\\m ",
        "if ",
        ":",
        "case x in x) ",
      ],
    )
    const texts = fc.sample(fc.array(piece, { maxLength: 12 }), { numRuns: 3_000, seed: 6 })
    const ranIn = { free: 0, denied: 0 }
    for (const pieces of texts) {
      const text = pieces.join("")
      const { verdict } = await judged(command(text, of), of, settings.noRm)
      const isSample = verdict === "deny" && ranIn.denied < 20
      if (!/r.*m|x72m/s.test(text) || (verdict !== "allow" && !isSample)) continue
      if (verdict === "allow" && ranIn.free >= 150) continue
      await printed(text, trap)
      const ran = (await readdir(trap)).includes("ran")
      if (verdict === "allow") {
        ranIn.free++
        expect(ran, text).toBe(false)
      } else if (ran) {
        ranIn.denied++
        await rm(path.join(trap, "ran"))
      }
    }
    // The trap is one: of what was denied some really runs.
    expect(ranIn.free).toBeGreaterThan(20)
    expect(ranIn.denied).toBeGreaterThan(0)
  },
)

it.runIf(probe.ok)(
  "[RT-PERM-7] what is free as looking leaves no mark and tells no secret in a real shell",
  { timeout: 300_000 },
  async () => {
    const known = looking.flatMap(([name, , texts]) => (name === "ask" ? texts : []))
    const before = await marks()
    let ran = 0
    for (const text of [...known, ...fc.sample(generated, { numRuns: 4_000, seed: 11 })]) {
      if (ran >= most) break
      if (/tail -\w*[fF]|\bread\b.*-t/.test(text) || !(await isFree(text))) continue
      ran++
      expect((await printed(filled(text, of))).includes(secret), text).toBe(false)
      expect(await marks(), text).toBe(before)
    }
    expect(ran).toBeGreaterThan(100)
  },
)
