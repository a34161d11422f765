import { closeSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { place, said } from "./factum.ts"

let at: ReturnType<typeof place>
beforeEach(() => {
  at = place()
})
afterEach(() => at.remove())

const idIn = (text: string) => /ses_\w+/.exec(text)?.[0] ?? ""
const ansi = "\u001b["

describe("Ctrl-C", () => {
  test("a second one leaves the turn to the host that runs", async () => {
    const host = await at.start()
    const terminal = at.terminal(["run", "write"])
    await terminal.until("[n]o")
    // Both are read before anything can be answered.
    terminal.type("\u0003\u0003")
    expect(await terminal.ended).toBe(130)
    const session = idIn(terminal.seen())
    expect(terminal.seen()).toContain("press Ctrl-C again")
    expect(terminal.seen()).toContain(`factum attach ${session}`)
    expect(await at.factum(["show", session])).toMatchObject({
      code: 0,
      out: expect.stringContaining("> write"),
    })
    await host.end()
  })

  test("over a pipe a signal interrupts the turn, and the log tells it", async () => {
    const { child, exited } = at.spawned(["run", "slow", ...at.own])
    await said(child.stdout, "two")
    child.kill("SIGINT")
    expect(await exited).toBe(130)
    const session = idIn((await at.factum(["sessions"])).out)
    expect((await at.factum(["export", session])).out).toContain('"cancelled"')
  })
})

describe("colour", () => {
  test("is used at a terminal, and not with NO_COLOR", async () => {
    const plain = at.terminal(["doctor"])
    expect(await plain.ended).toBe(0)
    expect(plain.seen()).not.toContain(`${ansi}32m`)
    const coloured = at.terminal(["doctor"], {})
    expect(await coloured.ended).toBe(0)
    expect(coloured.seen()).toContain(`${ansi}32mok`)
  })

  test("is not used over a pipe", async () => {
    expect((await at.factum(["doctor"])).out).not.toContain(ansi)
  })
})

describe("mcp", () => {
  test("says which servers answer, with their tools, and why one does not", async () => {
    expect(await at.factum(["mcp"])).toMatchObject({
      code: 0,
      out: "No server is configured: name one in .mcp.json.\n",
    })
    const modules = join(import.meta.dirname, "../../../../node_modules/@modelcontextprotocol")
    const files = join(modules, "server-filesystem/dist/index.js")
    const servers = {
      files: { command: process.execPath, args: [files, at.path] },
      gone: { command: join(at.path, "nowhere") },
    }
    writeFileSync(join(at.path, ".mcp.json"), JSON.stringify({ mcpServers: servers }))
    const held = await at.factum(["mcp"])
    expect(held.out).toContain("files is held back until this folder is trusted")
    const config = { trust: [at.path] }
    const user = join(at.path, "config", "factum")
    mkdirSync(user, { recursive: true })
    writeFileSync(join(user, "factum.config.json"), JSON.stringify(config))
    const { code, out } = await at.factum(["mcp"])
    expect(code).toBe(1)
    expect(out).toMatch(/^files \(stdio\) [1-9]\d* tools$/m)
    expect(out).toMatch(/^ {2}\S*read_text_file {2}/m)
    expect(out).toMatch(/^gone \(stdio\) (?!\d+ tools)\S/m)
  })
})

describe("what cannot be written", () => {
  test("a full disk is told in one sentence", async () => {
    await at.factum(["run", "hello", ...at.own])
    const session = idIn((await at.factum(["sessions"])).out)
    const full = openSync("/dev/full", "w")
    try {
      for (const args of [["export", session], ["sessions"]]) {
        const { code, err } = await at.factumInto(full, args)
        expect({ code, err }).toEqual({
          code: 1,
          err: expect.stringMatching(/^What was asked for could not be written: .*ENOSPC[^\n]*\n$/),
        })
      }
    } finally {
      closeSync(full)
    }
    const nowhere = await at.factum(["export", session, "--out", join(at.path, "no", "file")])
    expect(nowhere).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(/^Nothing was exported: ENOENT[^\n]*\n$/),
    })
  })
})

describe("files", () => {
  test("an agent's are made as the person makes files, and what was said is private", async () => {
    const umask = process.umask(0o022)
    try {
      expect((await at.factum(["run", "write", "--mode", "full", ...at.own])).code).toBe(0)
      await at.factum(["init"])
    } finally {
      process.umask(umask)
    }
    const mode = (...names: string[]) => statSync(join(at.path, ...names)).mode & 0o777
    expect([mode("note.txt"), mode("factum.config.json")]).toEqual([0o644, 0o644])
    const kept = readdirSync(join(at.path, "data"))
    expect(kept).toContain("factum.db")
    expect(kept.filter((name) => (mode("data", name) & 0o077) !== 0)).toEqual([])
    expect(mode("data") & 0o077).toBe(0)
  })
})
