import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { editFile } from "../../src/adapters/tools/edit-file.ts"
import { grep } from "../../src/adapters/tools/grep.ts"
import { glob, listFiles } from "../../src/adapters/tools/list-files.ts"
import { realPath } from "../../src/adapters/tools/paths.ts"
import { readFile } from "../../src/adapters/tools/read-file.ts"
import { writeFile } from "../../src/adapters/tools/write-file.ts"
import { folder, toolRun } from "../processes/given.ts"

function given(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const cwd = folder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), content)
  }
  return { cwd, ...toolRun({ cwd }), read: (name: string) => readFileSync(join(cwd, name), "utf8") }
}

describe("read_file", () => {
  it("numbers lines and gives a range", async () => {
    const { run } = given({ a: "one\ntwo\r\nthree\nfour\n" })
    expect(await readFile.run({ path: "a" }, run)).toMatchObject({
      ok: true,
      output: "1\tone\n2\ttwo\n3\tthree\n4\tfour",
    })
    expect(await readFile.run({ path: "a", offset: 2, limit: 2 }, run)).toMatchObject({
      output: "2\ttwo\n3\tthree\n(lines 2 to 3 of 4; go on with offset 4)",
      data: { lines: 4, from: 2, to: 3 },
    })
    expect(await readFile.run({ path: "a", offset: 9 }, run)).toMatchObject({
      ok: false,
      category: "tool_error",
    })
  })

  it("stops at 2000 lines and at long ones", async () => {
    const { run } = given({ a: "x\n".repeat(2_500), b: "y".repeat(5_000) })
    expect(await readFile.run({ path: "a" }, run)).toMatchObject({ data: { lines: 2_500, to: 2_000 } })
    const long = await readFile.run({ path: "b" }, run)
    expect(long).toMatchObject({ output: `1\t${"y".repeat(2_000)}… (5000 characters)` })
  })

  it("gives bytes that are no text as bytes with their kind", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1")
    const { run } = given({ "a.png": png })
    expect(await readFile.run({ path: "a.png" }, run)).toMatchObject({
      ok: true,
      output: png,
      media_type: "image/png",
    })
  })

  it.each([
    ["missing", "no", "does not exist"],
    ["folder", ".", "folder"],
  ])("says why it cannot read a %s", async (_, path, reason) => {
    const { run } = given()
    const outcome = await readFile.run({ path }, run)
    expect(outcome).toMatchObject({
      ok: false,
      category: "tool_error",
      message: expect.stringContaining(reason),
    })
  })

  it.each(["../outside", "/etc/passwd", "link"])(
    "refuses %s, which leads out of the workspace, unless granted",
    async (path) => {
      const { run, cwd } = given()
      symlinkSync("/etc/passwd", join(cwd, "link"))
      expect(await readFile.run({ path }, run)).toMatchObject({ ok: false, category: "permission_denied" })
      const granted = [await realPath(path, cwd)]
      expect(await readFile.run({ path }, { ...run, granted })).not.toMatchObject({
        category: "permission_denied",
      })
    },
  )
})

describe("write_file and edit_file", () => {
  it("[RT-TOOL-1] writes whole files, keeps their mode and leaves nothing beside them", async () => {
    const { run, cwd, read, facts } = given({ old: "1" })
    chmodSync(join(cwd, "old"), 0o750)
    expect(await writeFile.run({ path: "old", content: "zwei" }, run)).toMatchObject({
      data: { bytes: 4, created: false },
    })
    expect(await writeFile.run({ path: "deep/new", content: "x" }, run)).toMatchObject({
      data: { created: true },
    })
    expect([read("old"), read("deep/new"), statSync(join(cwd, "old")).mode & 0o777]).toEqual([
      "zwei",
      "x",
      0o750,
    ])
    expect([readdirSync(cwd).sort(), readdirSync(join(cwd, "deep"))]).toEqual([["deep", "old"], ["new"]])
    expect(facts.of("sandbox.applied")).toMatchObject([
      { driver: "tool", in_force: true, writable: [cwd] },
      {},
    ])
  })

  it.each([
    ["write_file", writeFile, { content: "x" }],
    ["edit_file", editFile, { old_text: "a", new_text: "b" }],
  ] as const)(
    "[RT-SBX-2] %s outside of the roots is a violation with operation, target and profile",
    async (_, tool, rest) => {
      const { run, facts, cwd } = given()
      const outside = join(folder(), "f")
      symlinkSync(outside, join(cwd, "dangling"))
      for (const path of [outside, "dangling"]) {
        expect(await tool.run({ path, ...rest }, run)).toMatchObject({
          ok: false,
          category: "sandbox_violation",
        })
      }
      expect(existsSync(outside)).toBe(false)
      const violation = { operation: "write", target: outside, profile: "workspace_write", prevented: true }
      expect(facts.of("sandbox.violation")).toMatchObject([violation, violation])
    },
  )

  it("[RT-SBX-2] a read-only boundary lets nothing be written, also in the workspace", async () => {
    const { run, facts, cwd } = given()
    const boundary = { profile: "read_only", network: "none" } as const
    expect(await writeFile.run({ path: "a", content: "x" }, { ...run, boundary })).toMatchObject({
      category: "sandbox_violation",
    })
    expect(existsSync(join(cwd, "a"))).toBe(false)
    expect(facts.of("sandbox.violation")).toMatchObject([{ target: join(cwd, "a"), profile: "read_only" }])
  })

  it("a path outside that was granted is written", async () => {
    const { run } = given()
    const outside = join(folder(), "f")
    expect(
      await writeFile.run({ path: outside, content: "x" }, { ...run, granted: [outside] }),
    ).toMatchObject({ ok: true })
    expect(readFileSync(outside, "utf8")).toBe("x")
  })

  it("[RT-TOOL-2] input that does not fit is refused before any effect", async () => {
    const { run, cwd, facts } = given()
    expect(writeFile.check({ path: 3, content: "x" })).toMatchObject([{ path: "path" }])
    expect(writeFile.check({ path: "a", content: "x", extra: 1 })).toHaveLength(1)
    expect(writeFile.check({ path: "a", content: "x" })).toEqual([])
    expect(await writeFile.run({ path: "a" }, run)).toMatchObject({ ok: false, category: "invalid_args" })
    expect([readdirSync(cwd), facts.all]).toEqual([[], []])
  })

  it("replaces a unique piece exactly, with signs that mean something elsewhere", async () => {
    const { run, read } = given({ a: "cost: $1\nb\n" })
    expect(await editFile.run({ path: "a", old_text: "$1", new_text: "$& $2" }, run)).toMatchObject({
      ok: true,
      data: { replaced: 1, lines: [1] },
    })
    expect(read("a")).toBe("cost: $& $2\nb\n")
  })

  it("keeps the line breaks of the file", async () => {
    const { run, read } = given({ a: "one\r\ntwo\r\nthree\r\n" })
    await editFile.run({ path: "a", old_text: "one\ntwo", new_text: "1\n2" }, run)
    expect(read("a")).toBe("1\r\n2\r\nthree\r\n")
  })

  it("refuses a piece that is there several times, and tells where; replace_all takes all", async () => {
    const { run, read } = given({ a: "x\ny\nx\n" })
    const edit = { path: "a", old_text: "x", new_text: "z" }
    expect(await editFile.run(edit, run)).toMatchObject({
      ok: false,
      message: expect.stringContaining("2 times, at lines 1, 3"),
    })
    expect(read("a")).toBe("x\ny\nx\n")
    await editFile.run({ ...edit, replace_all: true }, run)
    expect(read("a")).toBe("z\ny\nz\n")
  })

  it("refuses a piece that is not there and shows the nearest", async () => {
    const { run, read } = given({ a: "function add(a, b) {\n    return a + b\n}\n" })
    const outcome = await editFile.run({ path: "a", old_text: "\treturn a +b", new_text: "x" }, run)
    expect(outcome).toMatchObject({
      ok: false,
      message: expect.stringContaining("line 2:\n    return a + b"),
    })
    expect(read("a")).toContain("return a + b")
  })
})

describe("what a call would touch", () => {
  it("names real paths through links, also of files that do not exist yet", async () => {
    const { cwd } = given()
    const other = folder()
    symlinkSync(other, join(cwd, "link"))
    symlinkSync(join(other, "later"), join(cwd, "dangling"))
    const where = { cwd, roots: [cwd] }
    const touched = async (path: string) => writeFile.touches({ path, content: "" }, where)
    expect(await touched("link/new/deep")).toEqual([{ kind: "write", path: join(other, "new/deep") }])
    expect(await touched("dangling")).toEqual([{ kind: "write", path: join(other, "later") }])
    expect(await touched("a/../b")).toEqual([{ kind: "write", path: join(cwd, "b") }])
    expect(await readFile.touches({ path: "link" }, where)).toEqual([{ kind: "read", path: other }])
  })

  it("ends on links in a circle", async () => {
    const { cwd } = given()
    symlinkSync(join(cwd, "b"), join(cwd, "a"))
    symlinkSync(join(cwd, "a"), join(cwd, "b"))
    expect((await realPath("a", cwd)).startsWith(cwd)).toBe(true)
  })
})

describe("finding", () => {
  const files = {
    ".gitignore": "*.log\n/build/\n!keep.log\n",
    "src/a.ts": "const needle = 1\nsecond\nNEEDLE\n",
    "src/deep/b.ts": "nothing\n",
    "src/deep/.gitignore": "c.ts\n",
    "src/deep/c.ts": "needle\n",
    "build/out.ts": "needle\n",
    "x.log": "needle\n",
    "keep.log": "needle\n",
    "node_modules/m/i.ts": "needle\n",
    "bin.ts": Buffer.from("needle\0"),
  }

  it("glob honours .gitignore, at every level", async () => {
    const { run } = given(files)
    const found = await glob.run({ pattern: "*.ts" }, run)
    expect(found).toMatchObject({ output: "bin.ts\nsrc/a.ts\nsrc/deep/b.ts" })
    expect(await glob.run({ pattern: "**/*.log" }, run)).toMatchObject({ output: "keep.log" })
    expect(await glob.run({ pattern: "deep/*.ts", path: "src" }, run)).toMatchObject({
      output: "src/deep/b.ts",
    })
    expect(await glob.run({ pattern: "*.ts", limit: 1 }, run)).toMatchObject({
      data: { files: 1, more: true },
    })
  })

  it("list_files marks what is ignored", async () => {
    const { run } = given(files)
    const listed = await listFiles.run({}, run)
    const lines = listed.ok ? String(listed.output).split("\n") : []
    expect(lines).toContain("build/\t(ignored)")
    expect(lines).toContain("keep.log\t7")
    expect(lines).toContain("x.log\t7\t(ignored)")
    expect(await listFiles.run({ path: "none" }, run)).toMatchObject({ ok: false })
  })

  it("grep gives lines of text files", async () => {
    const { run } = given(files)
    expect(await grep.run({ pattern: "needle" }, run)).toMatchObject({
      output: "keep.log:1: needle\nsrc/a.ts:1: const needle = 1",
    })
    expect(
      await grep.run({ pattern: "^needle$", ignore_case: true, glob: "*.ts", context: 1 }, run),
    ).toMatchObject({
      output: "src/a.ts:2- second\nsrc/a.ts:3: NEEDLE",
    })
    expect(await grep.run({ pattern: "needle", limit: 1 }, run)).toMatchObject({
      data: { matches: 1, more: true },
    })
    expect(await grep.run({ pattern: "needle", path: "src/a.ts" }, run)).toMatchObject({
      data: { matches: 1 },
    })
    expect(await grep.run({ pattern: "(" }, run)).toMatchObject({ ok: false, category: "tool_error" })
  })

  it("a grep that is stopped does not pass for one that looked everywhere", async () => {
    const { run } = given(files)
    const stop = new AbortController()
    stop.abort()
    expect(await grep.run({ pattern: "needle" }, { ...run, signal: stop.signal })).toMatchObject({
      ok: false,
      category: "interrupted",
      message: "Not all files were searched.",
    })
    expect(grep.time_limit_ms).toBe(30_000)
  })

  it("grep does not hang on a pattern that never ends", async () => {
    const { run } = given({ a: `${"a".repeat(40)}!\n` })
    expect(await grep.run({ pattern: "^(a+)+$" }, run)).toMatchObject({ ok: false, category: "time_limit" })
  })
})
