import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import {
  allowed,
  importsOf,
  importViolations,
  leftoverViolations,
  needs,
  readSources,
  type SourceFile,
  sizeViolations,
  waitingViolations,
} from "../scripts/architecture.ts"
import { differences } from "../scripts/drift.ts"

const root = new URL("..", import.meta.url).pathname
const sources = readSources(root)

describe("this repository", () => {
  test("the sources are found", () => {
    expect(sources.map(({ path }) => path)).toContain("packages/facts/src/envelope.ts")
  })
  test("the document names every package and what it may import", () => {
    const text = readFileSync(join(root, "docs", "architecture.md"), "utf8")
    const rows = text.matchAll(/^\| `(?:packages|apps)\/([\w-]+)` \|.*\| ([^|]+) \|$/gm)
    const told = [...rows].map(([, name = "", imports = ""]) => [name, imports.split(", ").sort()])
    const really = Object.entries(allowed).map(([name, own]) => [
      name,
      [...own, ...(needs[name] ?? [])].sort(),
    ])
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(really))
  })
  test("imports are the allowed ones", () => expect(importViolations(sources)).toEqual([]))
  test("files keep to their size", () => expect(sizeViolations(sources)).toEqual([]))
  test("nothing is waited for without a bound", () => expect(waitingViolations(sources)).toEqual([]))
  test("no module asks what the oldest Node that comes with it does not know", () => {
    const asks = ["import", "meta", "main"].join(".")
    expect(sources.filter(({ text }) => text.includes(asks)).map(({ path }) => path)).toEqual([])
  })
  test("no test is switched off, nothing is put off", () => expect(leftoverViolations(sources)).toEqual([]))
})

describe("waiting", () => {
  // In two, or this file would be found too.
  const waits = `${"spawn"}Sync`
  test.each([
    [`${waits}("a", [b(c)], { timeout: 1 })`, []],
    [`${waits}("a", [b(c)])\nconst timeout = 1`, [`a.ts waits for ${waits} without a timeout`]],
    [`import { ${waits} } from "node:child_process"`, []],
  ])("%j", (text, found) => expect(waitingViolations([{ path: "a.ts", text }])).toEqual(found))
})

describe("imports", () => {
  test.each([
    ['import { z } from "zod"', "zod"],
    ['import type { A } from "./a.ts"', "./a.ts"],
    ['import {\n  a,\n  type B,\n} from "b"', "b"],
    ['import "./style.css"', "./style.css"],
    ['import * as all from "all"', "all"],
    ['import $, { b as c } from "d"', "d"],
    ['export * from "./e.ts"', "./e.ts"],
    ['export * as f from "./f.ts"', "./f.ts"],
    ['export type { G } from "./g.ts"', "./g.ts"],
    ['const h = await import("h")', "h"],
    ['let i: import("i").I', "i"],
    ['new Worker(new URL("./w.ts", import.meta.url))', "./w.ts"],
    ['const globs = "packages/*/x"\nimport "j" // "**/"', "j"],
  ])("%j imports %s", (text, specifier) => expect(importsOf(text)).toEqual([specifier]))

  test.each([
    '// import "a"',
    '/** import "a" */',
    '/*\nimport "a"\n*/',
    'export const from = "a"',
    "important()",
    'new URL("../../..", import.meta.url)',
  ])("%j imports nothing", (text) => expect(importsOf(text)).toEqual([]))

  test.each([
    ["packages/facts/src/a.ts", "node:fs", "facts runs in a browser"],
    ["packages/facts/src/a.ts", "fs", "facts needs only zod"],
    ["packages/protocol/src/a.ts", "react", "protocol needs only zod, gpt-tokenizer"],
    ["packages/protocol/src/a.ts", "@factum/facts", "protocol may not import facts"],
    ["packages/agent-ui/src/adapters/a.ts", "node:path", "agent-ui runs in a browser"],
    ["packages/agent-ui/src/state.ts", "@factum/facts", "agent-ui imports facts in its adapters only"],
    ["packages/agent-ui/src/adapters/a.ts", "@factum/runtime", "agent-ui may not import runtime"],
    ["packages/runtime/src/a.ts", "@factum/agent-ui", "runtime may not import agent-ui"],
    ["packages/runtime/src/a.ts", "../../facts/src/index.ts", "leaves packages/runtime"],
    ["packages/conformance/src/a.ts", "@factum/runtime", "conformance may not import runtime"],
    ["packages/client/src/a.ts", "@factum/protocol", "client may not import protocol"],
    ["apps/workbench/src/a.tsx", "@factum/runtime", "workbench may not import runtime"],
    ["apps/workbench/src/a.tsx", "@factum/runtime/contract", "workbench may not import runtime"],
    ["apps/workbench/src/a.tsx", "../../../packages/runtime/src/index.ts", "leaves apps/workbench"],
    ["apps/host/src/a.ts", "@factum/workbench", "host may not import workbench"],
  ])("%s may not import %s", (path, specifier, reason) => {
    const file = { path, text: `import { a } from "${specifier}"\n` }
    expect(importViolations([file])).toEqual([`${path}: ${specifier}: ${reason}`])
  })

  test.each([
    ["packages/facts/src/events/a.ts", "../define.ts"],
    ["packages/facts/src/a.ts", "zod/mini"],
    ["packages/runtime/src/a.ts", "@factum/facts"],
    ["packages/runtime/src/a.ts", "node:sqlite"],
    ["packages/agent-ui/src/adapters/runtime.ts", "@factum/facts"],
    ["apps/host/src/a.ts", "@factum/runtime/sqlite"],
    ["apps/workbench/src/a.tsx", "@factum/facts"],
    ["apps/workbench/test/a.test.ts", "@factum/runtime"],
  ])("%s may import %s", (path, specifier) => {
    expect(importViolations([{ path, text: `import { a } from "${specifier}"\n` }])).toEqual([])
  })

  test("a package outside the table is named", () => {
    expect(importViolations([{ path: "packages/utils/src/a.ts", text: "" }])).toEqual([
      "packages/utils/src/a.ts: package utils is not in the table of allowed imports",
    ])
  })
})

describe("size", () => {
  const file = (path: string, lines: number): SourceFile => ({ path, text: "x\n".repeat(lines) })
  const small = Array.from({ length: 9 }, (_, n) => file(`packages/a/src/${n}.ts`, 249))

  test("400 lines pass, 401 do not", () => {
    expect(sizeViolations([...small, file("packages/a/src/long.ts", 400)])).toEqual([])
    expect(sizeViolations([...small, file("packages/a/src/long.ts", 401)])).toEqual([
      "packages/a/src/long.ts has 401 lines; 400 is the most",
    ])
  })
  test("more than one file in ten at 250 lines is named", () => {
    expect(sizeViolations([...small.slice(1), file("a.ts", 250), file("b.ts", 300)])).toEqual([
      "2 of 10 files reach 250 lines: a.ts (250), b.ts (300)",
    ])
  })
  test("tests and generated files are exempt", () => {
    const generated = {
      path: "packages/a/src/g.ts",
      text: `// Generated from the declarations.\n${"x\n".repeat(900)}`,
    }
    expect(
      sizeViolations([file("packages/a/test/a.test.ts", 900), file("test/b.ts", 900), generated]),
    ).toEqual([])
  })
})

describe("leftovers", () => {
  // Put together here, so that this file does not name itself.
  const samples = ["only", "skip", "todo"].map((word) => `test.${word}("a", run)`)
  const notes = ["TO", "FIX"].map((start, n) => `// ${start}${["DO", "ME"][n]}: later`)

  test.each([...samples, `describe.${"skip"}.each([])`, ...notes])("%j is found", (line) => {
    const found = leftoverViolations([{ path: "packages/a/test/a.test.ts", text: `ok()\n${line}\n` }])
    expect(found).toEqual([expect.stringMatching(/^packages\/a\/test\/a\.test\.ts:2: /)])
  })
  test("a list of things to do is no leftover", () => {
    expect(
      leftoverViolations([{ path: "packages/a/src/a.ts", text: "const todo = queue.onlyChild(skip)" }]),
    ).toEqual([])
  })
})

describe("drift", () => {
  test("missing, changed and leftover files are named", () => {
    const folder = mkdtempSync(join(tmpdir(), "factum-drift-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, "schema"))
    for (const name of ["same", "changed", "leftover"]) writeFileSync(join(folder, "schema", name), "old")
    const files = ["same", "changed", "missing"].map((name) => [
      `schema/${name}`,
      name === "same" ? "old" : "new",
    ])
    expect(differences(new Map(files as [string, string][]), folder)).toEqual([
      "schema/changed is out of date: run npm run generate.",
      "schema/missing is missing: run npm run generate.",
      "schema/leftover is no longer generated: delete it.",
    ])
  })
})
