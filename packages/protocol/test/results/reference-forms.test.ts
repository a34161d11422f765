import { describe, expect, it } from "vitest"
import { parseReference, type Reference } from "../../src/references.ts"

const form =
  "Use md:<section>, action:<id>.summary, action:<id>.output, input:user.goal, runtime://<run>/… or artifact:<name>."

const read = (text: string) => parseReference(text, "payload.x")
const refused = (code: string, message: string) => ({
  ok: false,
  issues: [{ code, path: "payload.x", message, fix: form }],
})

describe("the text of a reference", () => {
  it.each<[string, string, Reference]>([
    ["MP-REF-1", "md:goal", { kind: "md", section: "goal" }],
    ["MP-REF-1", "md: 2 goals ", { kind: "md", section: "2 goals" }],
    ["MP-REF-1", "md:step 2", { kind: "md", section: "step 2" }],
    ["MP-REF-6", "action:a_1.summary", { kind: "action", action_id: "a_1", part: "summary" }],
    ["MP-REF-6", "action:a-1.output", { kind: "action", action_id: "a-1", part: "output" }],
    ["MP-REF-7", "input:user.goal", { kind: "input", name: "user.goal" }],
    ["MP-REF-8", "runtime://runs/run_1/a/output", { kind: "runtime", run_id: "run_1", path: "a/output" }],
    ["MP-REF-8", "runtime://run_1/a/output", { kind: "runtime", run_id: "run_1", path: "a/output" }],
    ["MP-REF-8", "runtime://run_1", { kind: "runtime", run_id: "run_1", path: "" }],
    ["MP-REF-9", "artifact:log-1.txt", { kind: "artifact", name: "log-1.txt" }],
    ["MP-REF-9", "artifact://runs/run_1/a", { kind: "runtime", run_id: "run_1", path: "a" }],
    ["MP-SAFE-5", "file:src/a.ts", { kind: "file", path: "src/a.ts" }],
    ["MP-SAFE-5", "file://current/a.ts", { kind: "file", path: "//current/a.ts" }],
    ["MP-SAFE-5", "repo://current/src//current/a.ts", { kind: "file", path: "src//current/a.ts" }],
    ["MP-SAFE-5", "repo://current", { kind: "file", path: "" }],
    ["MP-SAFE-5", "repo://src/a.ts", { kind: "file", path: "src/a.ts" }],
    ["MP-SAFE-5", "repo:src//current/a.ts", { kind: "file", path: "src//current/a.ts" }],
  ])("[%s] %s is read", (_, text, value) => {
    expect(read(text)).toEqual({ ok: true, value })
  })

  it.each(["md:", "md:  ", "md:12", "md: 12 "])("[MP-REF-3] %j names no section", (text) => {
    expect(read(text)).toEqual(refused("unresolved_ref", `${text} names no section by its words.`))
  })

  it.each(["action:a", "action:a.text", "action:a b.summary", "action:a.summary.x", "action:.output"])(
    "[MP-REF-6] %s is refused",
    (text) => {
      const message = `${text} is not action:<id>.summary or action:<id>.output.`
      expect(read(text)).toEqual(refused("unresolved_ref", message))
    },
  )

  it.each(["input:goal", "input:", "input:user.goal "])("[MP-REF-7] %j is refused", (text) => {
    expect(read(text)).toEqual(refused("unresolved_ref", `${text} is not input:user.goal.`))
  })

  it.each([
    "runtime:",
    "runtime:run_1",
    "runtime:x//run_1",
    "runtime://",
    "runtime://a b/c",
    "artifact:///a",
  ])("[MP-REF-8] %s names no run", (text) => {
    expect(read(text)).toEqual(refused("unresolved_ref", `${text} names no run.`))
  })

  it.each(["artifact:", "artifact:a b", "artifact:a/b", "artifact:/a", "artifact: a"])(
    "[MP-REF-9] %j names no artifact",
    (text) => {
      expect(read(text)).toEqual(refused("unresolved_ref", `${text} is not artifact:<name>.`))
    },
  )

  it.each(["http://a", "goal", "", " md:goal", "1md:goal", "MD:goal", "md", "Xfile:a"])(
    "[MP-REF-11] %j has no known scheme",
    (text) => {
      expect(read(text)).toEqual(refused("unknown_scheme", `${text} has no known scheme.`))
    },
  )

  it("[MP-REF-11] a long text without a scheme is told in part", () => {
    expect(read("x".repeat(81))).toEqual(refused("unknown_scheme", `${"x".repeat(80)} has no known scheme.`))
  })
})
