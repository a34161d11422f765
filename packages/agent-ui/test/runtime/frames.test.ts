import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Envelope } from "@factum/facts"
import { describe, expect, test } from "vitest"
import { fact, types } from "../../../facts/test/given.ts"
import { fromRuntime, notShown } from "../../src/adapters/runtime/index.ts"
import { variants } from "./variants.ts"

const path = new URL("frames.golden.json", import.meta.url)
const given: Readonly<Record<string, Envelope>> = {
  ...Object.fromEntries(types.map((type) => [type, fact(type, { sequence: 5 })])),
  ...variants,
}
// UPDATE=1 writes what the adapter gives now; the change is then reviewed line by line.
if (process.env.UPDATE === "1") {
  const frames = Object.fromEntries(Object.entries(given).map(([name, one]) => [name, fromRuntime(one)]))
  writeFileSync(path, `${JSON.stringify(frames, null, 2)}\n`)
}
const golden = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {}

describe("every class of the runtime", () => {
  test("there are 113", () => expect(types).toHaveLength(113))
  test.each(Object.keys(given))("%s", (name) => {
    const one = given[name]
    if (one === undefined) throw new Error(name)
    expect(fromRuntime(one)).toStrictEqual(golden[name])
  })
  test("nothing else is in the table", () => expect(Object.keys(golden)).toEqual(Object.keys(given)))
})

describe("what nobody sees", () => {
  test("has a reason each", () => {
    expect(notShown).toEqual({
      "model.requested": "Status, routing and cost tell what the request is about.",
      "hook.started": "A hook is shown by what it decided.",
      "subagent.input": "The child's own stream shows what it was told, as its turn.",
      "history.window.loaded": "The runtime read its own past; nothing in it changed.",
      "snapshot.updated": "A read model caught up; the facts behind it are shown themselves.",
    })
  })
  test.each(Object.keys(notShown))("%s keeps its place in the sequence", (type) => {
    const one = given[type]
    if (one === undefined) throw new Error(type)
    expect(fromRuntime(one)).toEqual({ stream: "ses_1", sequence: 5, events: [] })
  })
})
