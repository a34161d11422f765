import type { Verdict } from "@factum/facts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Mode, Rule } from "../../src/policy/types.ts"
import { settle, type Voice, verdictOf, winnerOf } from "../../src/policy/verdict.ts"
import type { Touch } from "../../src/ports/tool.ts"
import { command, judged, type World, world } from "./given.ts"

let of: World
beforeAll(async () => {
  of = await world()
})
afterAll(() => of.end())

const verdicts = ["allow", "ask", "deny"] as const
const five = ["mode", "rule", "hook", "classifier", "host"] as const
const voice = (source: Voice["source"], verdict: Voice["verdict"]): Voice => ({
  source,
  verdict,
  rule: `${source} 1`,
})
const rule = (effect: Verdict, more: Partial<Rule> = {}): Rule => ({
  effect,
  layer: "project",
  tool: "shell",
  ...more,
})
const strictest = (all: readonly Verdict[]): Verdict =>
  all.includes("deny") ? "deny" : all.includes("ask") ? "ask" : "allow"

function* orders<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield []
  for (const [i, item] of items.entries())
    for (const rest of orders(items.toSpliced(i, 1))) yield [item, ...rest]
}

function* combinations(count: number): Generator<readonly Verdict[]> {
  if (count === 0) yield []
  else for (const rest of combinations(count - 1)) for (const verdict of verdicts) yield [verdict, ...rest]
}

describe("combining", () => {
  it("[RT-PERM-1] three verdicts of five sources, in every order: deny over ask over allow", () => {
    let tried = 0
    for (const says of combinations(5)) {
      const voices = five.map((source, i) => voice(source, says[i] ?? "ask"))
      const wanted = strictest(says)
      const winners = new Set<string>()
      for (const order of orders(voices)) {
        tried++
        if (verdictOf(order) !== wanted)
          expect({ order, verdict: verdictOf(order) }).toEqual({ order, verdict: wanted })
        winners.add(winnerOf(order).source)
      }
      expect(winners.size).toBe(1)
      expect(voices.find((one) => winners.has(one.source))?.verdict).toBe(wanted)
    }
    expect(tried).toBe(243 * 120)
  })

  it.each(["deny", "ask", "allow"] as const)(
    "[RT-PERM-1] a human settles an ask, never a deny: %s",
    (verdict) => {
      expect(verdictOf([voice("rule", verdict), voice("human", "allow")])).toBe(
        verdict === "deny" ? "deny" : "allow",
      )
      expect(verdictOf([voice("rule", verdict), voice("human", "deny")])).toBe("deny")
    },
  )

  it.each(["hook", "classifier", "mode"] as const)(
    "[RT-PERM-2] an allow of the %s overrides neither a deny nor an ask rule",
    async (source) => {
      for (const effect of ["deny", "ask"] as const) {
        const explained = await judged(command("npm test", of), of, {
          mode: source === "mode" ? "full" : "ask",
          rules: [rule(effect, { match: "npm *" })],
          sources: source === "mode" ? [] : [voice(source, "allow")],
        })
        expect(explained.sources.some((one) => one.source === source && one.verdict === "allow")).toBe(true)
        expect(explained.verdict).toBe(effect)
        expect(explained.winner).toEqual({ source: "rule", rule: `project: ${effect} shell(npm *)` })
      }
    },
  )

  it.each(["hook", "classifier", "host"] as const)("an allow of the %s settles silence", async (source) => {
    const explained = await judged(command("npm test", of), of, { sources: [voice(source, "allow")] })
    expect(explained).toMatchObject({ verdict: "allow", winner: { source } })
  })

  it("a rule that allows one part of a command does not allow the whole", async () => {
    const rules = [rule("allow", { match: "npm test" })]
    const explained = await judged(command("npm test && make", of), of, { rules })
    expect(explained.verdict).toBe("ask")
    expect(explained.sources).toContainEqual({
      source: "rule",
      verdict: "none",
      rule: "project: allow shell(npm test)",
      detail: "it does not speak about `make`",
    })
  })

  it("rules of every layer are heard, and those of the host are the host's", async () => {
    for (const layer of ["host", "user", "project", "agent", "session"] as const) {
      const explained = await judged(command("npm test", of), of, {
        mode: "full",
        rules: [rule("allow", { layer: "host" }), rule("deny", { layer, match: "npm *", note: "not here" })],
      })
      expect(explained.verdict).toBe("deny")
      expect(explained.winner.source).toBe(layer === "host" ? "host" : "rule")
      expect(explained.sources.find((one) => one.verdict === "deny")?.detail).toBe("not here — `npm test`")
    }
  })
})

describe("silence and errors", () => {
  it("[RT-PERM-6] with an empty rule set what is not known to look only is asked", async () => {
    expect(await judged(command("npm test", of), of)).toMatchObject({
      verdict: "ask",
      winner: { source: "mode", rule: "mode: ask" },
      sources: [
        { source: "mode", verdict: "none" },
        { source: "rule", verdict: "none", rule: "no rule matches" },
      ],
    })
  })

  it.each(five)("[RT-PERM-6] an error of the %s never yields allow", (source) => {
    expect(verdictOf([voice(source, "error")])).toBe("ask")
    for (const other of five) expect(verdictOf([voice(source, "error"), voice(other, "allow")])).toBe("ask")
    expect(winnerOf([voice("mode", "none"), voice(source, "error")])).toEqual({ source, rule: `${source} 1` })
  })

  it("[RT-PERM-6] silence of everybody is ask", () => {
    expect(verdictOf(five.map((source) => voice(source, "none")))).toBe("ask")
    expect(verdictOf([])).toBe("ask")
  })
})

describe("answers", () => {
  const ask = () => judged(command("npm test", of), of)

  it("[RT-PERM-3] an allowed ask may run, and any other answer denies it", async () => {
    const now = await ask()
    const { digest } = now.operation
    expect(settle(now, undefined)).toBe("ask")
    expect(settle(now, { digest, outcome: "allowed" })).toBe("allow")
    for (const outcome of ["denied", "cancelled", "expired"] as const)
      expect(settle(now, { digest, outcome })).toBe("deny")
  })

  it("[RT-PERM-3] an answer never lifts a deny", async () => {
    const now = await judged(command("npm test", of), of, { rules: [rule("deny")] })
    expect(settle(now, { digest: now.operation.digest, outcome: "allowed" })).toBe("deny")
  })

  it("[RT-PERM-7] an answer about other arguments does not count", async () => {
    const other = await judged(command("npm test x", of), of)
    expect(settle(await ask(), { digest: other.operation.digest, outcome: "allowed" })).toBe("ask")
  })

  it("[RT-HOOK-3] a deny rule added while an approval is open wins over the approval", async () => {
    const before = await ask()
    const now = await judged(command("npm test", of), of, {
      rules: [rule("deny", { match: "npm *" })],
      version: "p2",
    })
    expect(now.policy_version).toBe("p2")
    expect(settle(now, { digest: before.operation.digest, outcome: "allowed" })).toBe("deny")
  })

  it("[RT-HOOK-3] of two hooks that disagree the stricter wins, in both orders", async () => {
    const two = [voice("hook", "allow"), { ...voice("hook", "deny"), rule: "hook 2" }]
    for (const sources of [two, two.toReversed()])
      expect(await judged(command("ls", of), of, { sources })).toMatchObject({
        verdict: "deny",
        winner: { source: "hook", rule: "hook 2" },
      })
  })
})

describe("modes", () => {
  type Row = readonly [string, readonly Touch[], Readonly<Record<Mode, Verdict>>]
  const rows = (): readonly Row[] => [
    [
      "a read inside",
      [{ kind: "read", path: `${of.cwd}/src/a.ts` }],
      all("allow", "allow", "allow", "allow"),
    ],
    ["a read outside", [{ kind: "read", path: `${of.out}/f` }], all("ask", "ask", "ask", "allow")],
    ["a read through a link", [{ kind: "read", path: `${of.cwd}/out/f` }], all("ask", "ask", "ask", "allow")],
    [
      "a write inside",
      [{ kind: "write", path: `${of.cwd}/src/new.ts` }],
      all("deny", "ask", "allow", "allow"),
    ],
    [
      "a delete inside",
      [{ kind: "delete", path: `${of.cwd}/src/a.ts` }],
      all("deny", "ask", "allow", "allow"),
    ],
    ["a write outside", [{ kind: "write", path: `${of.out}/f` }], all("deny", "ask", "ask", "allow")],
    [
      "a write through a link",
      [{ kind: "write", path: `${of.cwd}/out/f` }],
      all("deny", "ask", "ask", "allow"),
    ],
    [
      "a hook of git",
      [{ kind: "write", path: `${of.cwd}/.git/hooks/x` }],
      all("deny", "ask", "ask", "allow"),
    ],
    ["the root itself", [{ kind: "delete", path: of.cwd }], all("deny", "ask", "ask", "allow")],
    ["a host", [{ kind: "network", url: "https://example.org" }], all("deny", "ask", "ask", "allow")],
    ["an effect of its own", [{ kind: "other", name: "send mail" }], all("deny", "ask", "ask", "allow")],
    ["a command", command("npm test", of), all("deny", "ask", "ask", "allow")],
    ["a look", command("git status", of), all("allow", "allow", "allow", "allow")],
    ["nothing", [], all("allow", "allow", "allow", "allow")],
  ]
  const all = (plan: Verdict, ask: Verdict, accept_edits: Verdict, full: Verdict) => ({
    plan,
    ask,
    accept_edits,
    full,
  })

  it.each(["plan", "ask", "accept_edits", "full"] as const)(
    "judges every kind of touch in %s",
    async (mode) => {
      for (const [name, touches, wanted] of rows())
        expect([name, (await judged(touches, of, { mode })).verdict]).toEqual([name, wanted[mode]])
    },
  )

  it("plan says that it is the mode that denies, also against an allow rule", async () => {
    const explained = await judged(command("npm test", of), of, { mode: "plan", rules: [rule("allow")] })
    expect(explained).toMatchObject({ verdict: "deny", winner: { source: "mode", rule: "mode: plan" } })
    expect(explained.sources[0]?.detail).toBe(
      "`npm test`: plan mode only looks: it is not known to look only",
    )
  })

  it("a protected path stays asked under an allow rule", async () => {
    const touches: readonly Touch[] = [{ kind: "write", path: `${of.cwd}/.git/config` }]
    const rules = [rule("allow", { tool: "write", match: "**" })]
    expect((await judged(touches, of, { tool: "write", rules })).verdict).toBe("ask")
  })

  it("a key file is asked even when the workspace is the home", async () => {
    const home = { ...of, cwd: of.home, roots: [of.home] }
    expect((await judged([{ kind: "read", path: `${of.home}/.ssh/id` }], home)).verdict).toBe("ask")
    expect((await judged([{ kind: "read", path: `${of.home}/notes` }], home)).verdict).toBe("allow")
  })

  it.each(["deny", "ask"] as const)(
    "a rule without a pattern speaks about a call that touches nothing: %s",
    async (e) => {
      const rules = [rule(e, { tool: "delegate" })]
      expect((await judged([], of, { tool: "delegate", mode: "full", rules })).verdict).toBe(e)
      expect((await judged([], of, { tool: "other", mode: "full", rules })).verdict).toBe("allow")
    },
  )
})
