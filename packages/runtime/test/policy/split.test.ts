import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { longestCommand, split } from "../../src/policy/shell/split.ts"

const at = { cwd: "/ws", home: "/home/u" }
const commands = (text: string): readonly string[] =>
  split(text, at).commands.map(({ words }) => words.map(({ text: t, value }) => value ?? `?${t}`).join(" "))
const files = (text: string): readonly string[] =>
  split(text, at)
    .files.filter(({ kind }) => kind !== "mention")
    .map(({ kind, word, cwds }) => `${kind} ${word.value ?? "?"} in ${cwds.join(" ") || "?"}`)

describe("splitting a command", () => {
  it.each([
    ["a && b; c | d &", ["a", "b", "c", "d"]],
    ["env A=1 timeout 5 x y", ["env A=1 timeout 5 x y", "timeout 5 x y", "x y"]],
    ["bash -c 'a; b' | c", ["bash -c a; b", "a", "b", "c"]],
    ["x $(y $(z))", ["z", "y ?$(z)", "x ?$(y $(z))"]],
    ["find . -exec a {} + -exec b \\;", ["find . -exec a {} + -exec b ;", "a ?{}", "b"]],
    ["xargs -n1 a b", ["xargs -n1 a b", "a b ?…"]],
    ["X=1", [""]],
    ["", []],
  ])("%s", (text, wanted) => {
    expect(commands(text)).toEqual(wanted)
  })

  it.each([
    ["a > f < g 2>> h", ["write f in /ws", "read g in /ws", "write h in /ws"]],
    ["a > f 2>&1 >/dev/null 3>&-", ["write f in /ws"]],
    ["cd x && a > f", ["read x in /ws", "write f in /ws/x"]],
    ["cd x; a > f", ["read x in /ws", "write f in /ws/x /ws"]],
    ["cd x || a > f", ["read x in /ws", "write f in /ws"]],
    ["! cd x && a > f", ["read x in /ws", "write f in /ws"]],
    ["(cd x); a > f", ["read x in /ws", "write f in /ws"]],
    ["cd x & a > f", ["read x in /ws", "write f in /ws"]],
    ["cd /y && cd z && a > f", ["read /y in /ws", "read z in /y", "write f in /y/z"]],
    ["cd && a > f", ["write f in /home/u"]],
    ["cd $X && a > f", ["write f in ?"]],
    ["cd - && a > f", ["write f in ?"]],
    ["cd x/.. && a > f", ["read x/.. in /ws", "write f in /ws /ws/x/.."]],
    ["eval 'cd x' && a > f", ["read x in /ws", "write f in /ws/x /ws"]],
    ["bash -c 'cd x' && a > f", ["read x in /ws", "write f in /ws"]],
    ["if cd x; then a > f; fi; a > g", ["read x in /ws", "write f in /ws/x /ws", "write g in /ws/x /ws"]],
    ["for i in 1; do cd x; done; a > f", ["read x in ?", "write f in ?"]],
    ["cd() { :; }; cd x && a > f", ["read x in /ws", "write f in ?"]],
    ["f() { a > f; }", ["write f in ?"]],
    ["$X; a > f", ["write f in ?"]],
  ])("the files of %s", (text, wanted) => {
    expect(files(text)).toEqual(wanted)
  })

  it.each(["a 'b", "if a", "a )", "a |", "${", "a\u0000", "a\rb", "a\u001b"])("%j has problems", (text) => {
    expect(split(text, at).problems).not.toEqual([])
  })

  it("what is too long to be run is not read", () => {
    const long = `rm x #${"x".repeat(longestCommand)}`
    expect(split(long, at)).toEqual({ commands: [], files: [], problems: ["the command is too long"] })
  })

  it.each([
    "$(",
    "(",
    "`",
    "{ ",
    "${",
    '"$(',
    "((",
    "<<a\n",
    "'",
    "if ",
    "a|",
    "[[ ",
    "$((",
    "{a,",
    "<(",
    "a;",
    "@(",
    "\\",
    "case x in (",
    "${a:-",
    "f(){ ",
    "$[",
    "eval ",
    "sudo ",
    "while a; do ",
    "env -i ",
    "a=$(",
    "<<a$(",
    "a=(",
    "*[",
  ])("%j without end is read to an end", (piece) => {
    const text = piece.repeat(Math.floor(longestCommand / piece.length))
    const { commands: found, problems } = split(text, at)
    expect(found.length).toBeLessThanOrEqual(3_000)
    expect(found.length + problems.length).toBeGreaterThan(0)
  })

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const { commands: found, problems } = split(text, at)
        expect(Array.isArray(found) && Array.isArray(problems)).toBe(true)
      }),
      { numRuns: 2_000, seed: 7 },
    )
  })
})
