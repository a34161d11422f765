import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import * as harness from "../../src/harness/index.ts"
import * as protocol from "../../src/index.ts"
import * as tokens from "../../src/tokens/o200k.ts"

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8")
const example = join(import.meta.dirname, "example.ts")

it("the example of the README is the one that runs, and prints what the README says", async () => {
  expect(/^```ts\n(.*?)^```$/ms.exec(readme)?.[1]).toBe(readFileSync(example, "utf8"))
  const { stdout } = await promisify(execFile)(process.execPath, [example])
  const told = /^````text\n(.*?)^````$/ms.exec(readme)?.[1] ?? ""
  expect(told).toContain("### Result for gone")
  expect(stdout.endsWith(told)).toBe(true)
})

it("every entry point of the README exists", () => {
  const table = readme.slice(readme.indexOf("## Entry points"))
  const named = [...table.matchAll(/`(\w+)`/g)].flatMap(([, name]) => (name === "retry" ? [] : [name]))
  expect(named.length).toBeGreaterThan(30)
  const offered = new Set([protocol, harness, tokens].flatMap((entry) => Object.keys(entry)))
  expect(named.filter((name) => !offered.has(name ?? ""))).toEqual([])
})

it("docs/protocol.md tells the limits as they are", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/protocol.md"), "utf8")
  const told = [...docs.matchAll(/^\| `(\w+)`: .* \| ([\d,]+) \|$/gm)]
  const limits = told.map(([, name = "", value = ""]) => [name, Number(value.replaceAll(",", ""))])
  expect(Object.fromEntries(limits)).toEqual(protocol.defaultLimits)
})

it("docs/protocol.md names every return policy, failure policy and type of executor", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/protocol.md"), "utf8")
  const names = [
    ...protocol.returnPolicies,
    ...protocol.failureChoices,
    ...protocol.executorTypes,
    ...protocol.sideEffects,
    ...protocol.visibilities,
    ...protocol.replayModes,
  ]
  expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([])
})
