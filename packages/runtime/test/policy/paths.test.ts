import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { domainMatch, globMatch, realRules } from "../../src/policy/match.ts"
import { realPath } from "../../src/policy/paths.ts"
import type { Rule } from "../../src/policy/types.ts"
import { filled, judged, type World, world } from "./given.ts"

let of: World
beforeAll(async () => {
  of = await world()
})
afterAll(() => of.end())

describe("real paths", () => {
  it.each([
    ["{ws}/src/a.ts", "{ws}/src/a.ts"],
    ["{ws}/src//./a.ts", "{ws}/src/a.ts"],
    ["{ws}/link/key", "{ws}/secrets/key"],
    ["{ws}/link/new/deep", "{ws}/secrets/new/deep"],
    ["{ws}/out/f", "{out}/f"],
    ["{ws}/out/../x", "{out}/../x"],
    ["{ws}/nothing/../src", "{ws}/src"],
    ["/../..", "/"],
  ])("%s is %s", async (file, real) => {
    const wanted = filled(real, of).replace("/out/../", "/")
    expect(await realPath(filled(file, of))).toBe(wanted)
  })

  it.each(["{ws}/loop", "{ws}/loop/x", "relative", "/proc/self/cwd/x", "/proc/1/root/x"])(
    "%s cannot be told",
    async (file) => {
      expect(await realPath(filled(file, of))).toBeUndefined()
    },
  )
})

describe("globs", () => {
  it.each([
    // pattern, path, allows, forbids
    ["src/**", "{ws}/src/a.ts", true, true],
    ["./src/**", "{ws}/src/a.ts", true, true],
    ["src", "{ws}/src/a.ts", false, true],
    ["src/", "{ws}/src/x/y", false, true],
    ["*.ts", "{ws}/a.ts", true, true],
    ["*.ts", "{ws}/src/a.ts", false, true],
    [".env", "{ws}/src/.env", false, true],
    ["**/.env", "{ws}/src/.env", true, true],
    ["src/*", "{ws}/SRC/a.ts", false, true],
    ["src/*", "{out}/src/a.ts", false, false],
    ["../out/*", "{out}/f", true, true],
    ["~/.ssh/**", "{home}/.ssh/id", true, true],
    ["~", "{home}/x", false, true],
    ["{out}/**", "{out}/f", true, true],
    ["{out}/**", "{ws}/f", false, false],
    ["!src/**", "{ws}/other", false, false],
  ] as const)("%s and %s: allow %s, forbid %s", (pattern, file, allows, forbids) => {
    const at = filled(file, of)
    expect(globMatch(filled(pattern, of), at, of, false)).toBe(allows)
    expect(globMatch(filled(pattern, of), at, of, true)).toBe(forbids)
  })

  it("a rule that names a link also means where it leads", async () => {
    const rule: Rule = { effect: "deny", layer: "user", tool: "read", match: "link/**" }
    expect(await realRules([rule], of)).toEqual([{ ...rule, real: [`${of.cwd}/secrets/**`] }])
    const read = (file: string) => judged([{ kind: "read", path: file }], of, { tool: "read", rules: [rule] })
    expect((await read(`${of.cwd}/secrets/key`)).verdict).toBe("deny")
    expect((await read(`${of.cwd}/src/a.ts`)).verdict).toBe("allow")
  })

  it("an allow rule counts for the place where a link leads, not for its name", async () => {
    const rules: readonly Rule[] = [{ effect: "allow", layer: "user", tool: "write", match: "**" }]
    const write = (file: string) => judged([{ kind: "write", path: file }], of, { tool: "write", rules })
    expect((await write(`${of.cwd}/out/f`)).verdict).toBe("ask")
    expect((await write(`${of.cwd}/src/f`)).verdict).toBe("allow")
  })

  it.each(["write", "edit", "w*"])(
    "a deny rule for %s holds for a redirection of the shell",
    async (tool) => {
      const rules: readonly Rule[] = [{ effect: "deny", layer: "user", tool, match: "src/**" }]
      const touches = [{ kind: "command", command: "echo x > src/a.ts", cwd: of.cwd }] as const
      expect((await judged(touches, of, { mode: "full", rules })).verdict).toBe("deny")
    },
  )
})

describe("domains", () => {
  it.each([
    ["example.org", "example.org", true, true],
    ["example.org", "a.example.org", false, false],
    ["*.example.org", "a.example.org", true, true],
    ["*.example.org", "example.org", false, true],
    ["*.example.org", "badexample.org", false, false],
    ["EXAMPLE.org.", "example.org", true, true],
    ["*", "x", true, true],
  ])("%s and %s: allow %s, forbid %s", (pattern, host, allows, forbids) => {
    expect(domainMatch(pattern, host, false)).toBe(allows)
    expect(domainMatch(pattern, host, true)).toBe(forbids)
  })

  it.each([
    ["https://a.evil.test/x", "deny"],
    ["https://A.EVIL.TEST.:8443", "deny"],
    ["https://user@a.evil.test", "deny"],
    ["https://good.test", "allow"],
    ["https://a.evil.test.good.test", "allow"],
    ["not a url", "ask"],
  ])("%s: %s", async (url, verdict) => {
    const rules: readonly Rule[] = [{ effect: "deny", layer: "user", tool: "fetch", match: "*.evil.test" }]
    expect(
      (await judged([{ kind: "network", url }], of, { tool: "fetch", mode: "full", rules })).verdict,
    ).toBe(verdict)
  })
})
