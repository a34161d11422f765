import { Operation } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { operationOf } from "../../src/policy/operation.ts"

describe("an operation", () => {
  const touches = [{ kind: "command", command: "npm test", cwd: "/ws" }] as const

  it("is what the facts call one", () => {
    const operation = operationOf("shell", { command: "npm test" }, touches)
    expect(Operation.parse(operation)).toEqual({
      kind: "tool",
      name: "shell",
      digest: operation.digest,
      summary: { text: "run in /ws: npm test", whole: true },
    })
  })

  it("[RT-PERM-7] has the same digest for the same arguments in any order, and another for any change", () => {
    const digest = (tool: string, input: unknown, of = touches as Parameters<typeof operationOf>[2]) =>
      operationOf(tool, input, of).digest
    const one = digest("shell", { a: 1, b: { c: [1, 2], d: null } })
    expect(digest("shell", { b: { d: null, c: [1, 2] }, a: 1 })).toBe(one)
    const others = [
      digest("shell2", { a: 1, b: { c: [1, 2], d: null } }),
      digest("shell", { a: "1", b: { c: [1, 2], d: null } }),
      digest("shell", { a: 1, b: { c: [2, 1], d: null } }),
      digest("shell", { a: 1, b: { c: [1, 2] } }),
      digest("shell", { a: 1, b: { c: [1, 2], d: null } }, []),
      digest("shell", { a: 1, b: { c: [1, 2], d: null } }, [
        { kind: "command", command: "npm test", cwd: "/" },
      ]),
    ]
    expect(new Set([one, ...others]).size).toBe(7)
  })

  it("has a summary without secrets and without letters that hide something", () => {
    const mask = (text: string): string => text.replaceAll("hunter22", "[redacted]")
    const { summary } = operationOf("x", { token: "hunter22", text: "a\u202eb\u001b[2Kc" }, [], { mask })
    expect(summary).toEqual({ text: '{"text":"a\\u{202e}b\\u001b[2Kc","token":"[redacted]"}', whole: true })
    const shown = operationOf("x", {}, [{ kind: "other", name: "a\u001b[2K\u200bb" }]).summary
    expect(shown.text).toBe("a\\u{1b}[2K\\u{200b}b")
  })

  it("says when its summary is cut", () => {
    const { summary } = operationOf("x", { text: "y".repeat(9_000) }, [])
    expect(summary.whole).toBe(false)
    expect(summary.text).toHaveLength(2_000)
  })
})
