import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { validateDraft } from "@factum/facts"
import { describe, expect, it, onTestFinished } from "vitest"
import { findInstructions } from "../../src/context/instructions.ts"

function folder(files: Record<string, string | Uint8Array>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "instructions-")))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}
const found = ({ files }: Awaited<ReturnType<typeof findInstructions>>) =>
  files.map(({ name, text }) => [name, text])

describe("AGENTS.md", () => {
  it("files are found from the root down to the working folder, after the person's own", async () => {
    const user = folder({ "AGENTS.md": "mine\n" })
    const root = folder({
      "AGENTS.md": "root\n",
      "packages/a/AGENTS.md": "a\n",
      "packages/b/AGENTS.md": "b\n",
      "packages/a/src/deep/AGENTS.md": "below\n",
    })
    const given = await findInstructions({ root, cwd: join(root, "packages/a/src"), user })
    expect(found(given)).toEqual([
      ["user/AGENTS.md", "mine\n"],
      ["workspace/AGENTS.md", "root\n"],
      ["workspace/packages/a/AGENTS.md", "a\n"],
    ])
    expect(given).toMatchObject({ missing: [], warnings: [] })
  })

  it("the refs are a context's, with digest and no local path", async () => {
    const root = folder({ "AGENTS.md": "be kind\n" })
    const { selected, missing, warnings } = await findInstructions({ root, cwd: root })
    const digest = `sha256:${createHash("sha256").update("be kind\n").digest("hex")}`
    expect(selected).toEqual([
      {
        kind: "context",
        ref: {
          uri: "context:workspace/AGENTS.md",
          kind: "context",
          digest,
          bytes: 8,
          media_type: "text/markdown",
          title: "workspace/AGENTS.md",
        },
      },
    ])
    const payload = { selected, missing, warnings, history: { turns: 0, through_sequence: 0 } }
    const ids = { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1" }
    expect(validateDraft({ type: "context.resolved", ...ids, payload })).toMatchObject({ ok: true })
  })

  it("no file is no fault, a file that was asked for is", async () => {
    const root = folder({ "docs/style.md": "short\n" })
    const given = await findInstructions({ root, cwd: root, also: ["docs/style.md", "docs/gone.md"] })
    expect(found(given)).toEqual([["workspace/docs/style.md", "short\n"]])
    expect(given.missing).toEqual([{ name: "workspace/docs/gone.md", reason: "There is no such file." }])
  })

  it("the budget serves the nearest first and says what was cut", async () => {
    const root = folder({ "AGENTS.md": "one\ntwo\nthree\n", "a/AGENTS.md": "near\n" })
    const given = await findInstructions({ root, cwd: join(root, "a"), budget_bytes: 14 })
    expect(found(given)).toEqual([
      ["workspace/AGENTS.md", "one\ntwo\n"],
      ["workspace/a/AGENTS.md", "near\n"],
    ])
    expect(given.warnings).toEqual([
      "workspace/AGENTS.md was cut: 8 of 14 bytes fit into the budget for instructions.",
    ])
    expect(given.files[0]?.ref.title).toBe("workspace/AGENTS.md (cut)")
  })

  it("what does not fit at all is left out and said so", async () => {
    const root = folder({ "AGENTS.md": "a long line without an end", "a/AGENTS.md": "near\n" })
    const given = await findInstructions({ root, cwd: join(root, "a"), budget_bytes: 10 })
    expect(found(given)).toEqual([["workspace/a/AGENTS.md", "near\n"]])
    expect(given.warnings).toEqual([
      "workspace/AGENTS.md was left out: its 26 bytes are over the budget for instructions.",
    ])
  })

  it("letters of several bytes are not cut in two", async () => {
    const root = folder({ "AGENTS.md": "你好\n世界\n" })
    const given = await findInstructions({ root, cwd: root, budget_bytes: 9 })
    expect(found(given)).toEqual([["workspace/AGENTS.md", "你好\n"]])
  })

  it("a text that stands in two places is told once, at the nearer", async () => {
    const root = folder({ "AGENTS.md": "same\n" })
    const user = folder({ "AGENTS.md": "same\n" })
    expect(found(await findInstructions({ root, cwd: root, user }))).toEqual([
      ["workspace/AGENTS.md", "same\n"],
    ])
  })
})

describe("what is not followed", () => {
  it("a link out of the workspace", async () => {
    const outside = folder({ secret: "password\n" })
    const root = folder({})
    symlinkSync(join(outside, "secret"), join(root, "AGENTS.md"))
    const given = await findInstructions({ root, cwd: root })
    expect(given.files).toEqual([])
    expect(given.missing).toEqual([
      { name: "workspace/AGENTS.md", reason: "It is a link that leads out of its folder." },
    ])
  })

  it("a link inside of the workspace is", async () => {
    const root = folder({ "CLAUDE.md": "inside\n" })
    symlinkSync("CLAUDE.md", join(root, "AGENTS.md"))
    expect(found(await findInstructions({ root, cwd: root }))).toEqual([["workspace/AGENTS.md", "inside\n"]])
  })

  it("a name that climbs out of the workspace", async () => {
    const parent = folder({ "secret.md": "password\n", "work/x": "" })
    const given = await findInstructions({ root: join(parent, "work"), cwd: parent, also: ["../secret.md"] })
    expect(given.files).toEqual([])
    expect(given.missing.map(({ name }) => name).sort()).toEqual(["cwd", "workspace/../secret.md"])
  })

  it("a working folder that is a link out of the workspace", async () => {
    const outside = folder({ "AGENTS.md": "foreign\n" })
    const root = folder({ "AGENTS.md": "root\n" })
    symlinkSync(outside, join(root, "out"))
    const given = await findInstructions({ root, cwd: join(root, "out") })
    expect(found(given)).toEqual([["workspace/AGENTS.md", "root\n"]])
    expect(given.missing).toMatchObject([{ name: "cwd" }])
  })

  it("a pipe does not make us wait", async () => {
    const root = folder({})
    execFileSync("mkfifo", [join(root, "AGENTS.md")], { timeout: 10_000 })
    const given = await findInstructions({ root, cwd: root })
    expect(given.missing).toEqual([{ name: "workspace/AGENTS.md", reason: "It is no file." }])
  })

  it("a folder of that name", async () => {
    const root = folder({ "AGENTS.md/x": "" })
    expect((await findInstructions({ root, cwd: root })).missing).toMatchObject([
      { reason: "It is no file." },
    ])
  })

  it("bytes that are no text", async () => {
    const root = folder({ "AGENTS.md": new Uint8Array([0xff, 0xfe, 0x00]) })
    const given = await findInstructions({ root, cwd: root })
    expect(given).toMatchObject({ files: [], missing: [{ reason: "It is no text in UTF-8." }] })
  })

  it("a workspace that is not there", async () => {
    const root = join(folder({}), "gone")
    const given = await findInstructions({ root, cwd: root })
    expect(given).toMatchObject({ files: [], missing: [{ name: "workspace" }] })
  })
})
