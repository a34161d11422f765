import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import type { Verdict } from "@factum/facts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Rule } from "../../src/policy/types.ts"
import type { Touch } from "../../src/ports/tool.ts"
import { command, judged, type World, world } from "./given.ts"

let of: World
beforeAll(async () => {
  of = await world()
})
afterAll(() => of.end())

const rule = (effect: Verdict, tool: string, match?: string): Rule => ({
  effect,
  layer: "user",
  tool,
  ...(match === undefined ? {} : { match }),
})

describe("the tool that a rule names", () => {
  it.each([
    ["github__get_issue", "github__get_issue", "allow"],
    ["github__get_issue", "github__get_issue_and_close", "ask"],
    ["github__get_*", "github__get_issue", "allow"],
    ["edit", "edit_file", "allow"],
    ["fetch", "web_fetch", "allow"],
    ["process", "process_start", "allow"],
    ["edit", "edit_file_and_push", "ask"],
    ["shel", "shell", "ask"],
  ] as const)("[RT-PERM-7] allow %s and a call of %s: %s", async (named, tool, verdict) => {
    const touches: readonly Touch[] = [{ kind: "other", name: tool }]
    expect((await judged(touches, of, { tool, rules: [rule("allow", named)] })).verdict).toBe(verdict)
  })

  const write: readonly Touch[] = [{ kind: "write", path: "a" }]
  const read: readonly Touch[] = [{ kind: "read", path: "src/a.ts" }]
  it.each([
    ["shell", "process_start", "npm test", "deny"],
    ["shell", "shell", "npm test", "deny"],
    ["process", "shell", "npm test", "deny"],
    ["write_file", "edit_file", write, "deny"],
    ["edit", "write_file", write, "deny"],
    ["write_file", "shell", "echo x > a", "deny"],
    ["write_file", "shell", "npm test", "allow"],
    ["read_file", "shell", "cat src/a.ts", "deny"],
    ["grep", "read_file", read, "allow"],
    ["web_fetch", "shell", "npm install a.test", "allow"],
    ["delegate", "shell", "npm test", "allow"],
  ] as const)(
    "[RT-PERM-7] deny %s without a pattern, and %s doing %j: %s",
    async (named, tool, does, verdict) => {
      const touches = typeof does === "string" ? command(does, of) : does
      const explained = await judged(touches, of, { tool, mode: "full", rules: [rule("deny", named)] })
      expect(explained.verdict).toBe(verdict)
    },
  )

  it("[RT-PERM-7] a command rule holds for what is typed into a shell", async () => {
    const touches: readonly Touch[] = [
      { kind: "other", name: "input to prc_1" },
      { kind: "command", command: "rm x\n" },
    ]
    const rules = [rule("deny", "shell", "rm *")]
    expect((await judged(touches, of, { tool: "process_input", mode: "full", rules })).verdict).toBe("deny")
  })
})

describe("patterns that are odd", () => {
  it.each(["./", ".", "", "*", "[", "{a,"])("%j is judged and throws nothing", async (match) => {
    for (const effect of ["allow", "ask", "deny"] as const) {
      const rules = [rule(effect, "*", match)]
      for (const touches of [command("cat src/a.ts", of), [{ kind: "write", path: "a" }] as const])
        expect(["allow", "ask", "deny"]).toContain((await judged(touches, of, { rules })).verdict)
    }
  })

  it("./ is the whole workspace", async () => {
    const asked = { tool: "write_file", rules: [rule("allow", "write", "./")] }
    expect((await judged([{ kind: "write", path: "src/a.ts" }], of, asked)).verdict).toBe("allow")
    expect((await judged([{ kind: "write", path: `${of.out}/f` }], of, asked)).verdict).toBe("ask")
  })
})

describe("repositories", () => {
  it("[RT-PERM-7] what looks like a repository and is no .git is asked: its settings name programs", async () => {
    const bare = path.join(of.cwd, "deep/x")
    await mkdir(path.join(bare, "src"), { recursive: true })
    const verdict = async (text: string) =>
      (await judged(command(text, of), of, { mode: "accept_edits" })).verdict
    for (const text of ["git -C deep/x status", "cd deep/x && git status", "git -C deep/x/src log"])
      expect(await verdict(text), text).toBe("allow")
    await writeFile(path.join(bare, "HEAD"), "ref: refs/heads/main\n")
    for (const text of ["git -C deep/x status", "cd deep/x && git status", "git -C deep/x/src log"])
      expect(await verdict(text), text).toBe("ask")
    expect(await verdict("git status")).toBe("allow")
  })

  it("what is in the files of a repository around the workspace is outside of it", async () => {
    const inner = { ...of, cwd: path.join(of.cwd, "src"), roots: [path.join(of.cwd, "src")] }
    expect((await judged(command("git status", inner), inner)).verdict).toBe("allow")
    expect((await judged(command("git show HEAD", inner), inner)).verdict).toBe("ask")
    expect((await judged(command("git diff -- a.ts", inner), inner)).verdict).toBe("allow")
  })

  it("a search through a home that is the workspace is asked, for it holds keys", async () => {
    const home = { ...of, cwd: of.home, roots: [of.home] }
    expect((await judged(command("grep -r x .", home), home)).verdict).toBe("ask")
    expect((await judged(command("ls", home), home)).verdict).toBe("allow")
  })
})
