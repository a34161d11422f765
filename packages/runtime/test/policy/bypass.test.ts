import { validateDraft } from "@factum/facts"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { verdictOf } from "../../src/policy/verdict.ts"
import { bypasses, settings } from "./bypass.ts"
import { command, judged, type World, world } from "./given.ts"
import { looking } from "./looking.ts"
import { wrapped } from "./wrapped.ts"

let of: World
beforeAll(async () => {
  of = await world()
})
afterAll(() => of.end())

const cases = [...bypasses, ...wrapped, ...looking].flatMap(([name, verdict, texts]) =>
  texts.map((text) => ({ name, verdict, text })),
)

describe("the bypass corpus", () => {
  it("has at least 150 cases, each of them once", () => {
    expect(cases.length).toBeGreaterThanOrEqual(150)
    expect(new Set(cases.map(({ name, text }) => `${name} ${text}`)).size).toBe(cases.length)
  })

  it.each(cases)("[RT-PERM-7] $name: $text: $verdict", async ({ name, verdict, text }) => {
    const explained = await judged(command(text, of), of, settings[name])
    expect(explained.verdict, JSON.stringify(explained.sources)).toBe(verdict)
  })

  it("[RT-PERM-4] every explanation alone reproduces its verdict, and is a fact", async () => {
    for (const { name, text } of cases) {
      const explained = await judged(command(text, of), of, settings[name])
      expect(verdictOf(explained.sources)).toBe(explained.verdict)
      expect(explained.sources.map(({ source, rule }) => `${source} ${rule}`)).toContain(
        `${explained.winner.source} ${explained.winner.rule}`,
      )
      const payload = { evaluation_id: "evl_1", ...explained }
      const draft = { type: "permission.evaluated", session_id: "ses_1", thread_id: "thr_1", payload }
      expect(validateDraft(draft)).toMatchObject({ ok: true })
    }
  })
})

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const wrappers: readonly ((inner: string) => string)[] = [
  (c) => `ls; ${c}`,
  (c) => `true && ${c}`,
  (c) => `false || { ${c}\n}`,
  (c) => `(${c}\n)`,
  (c) => `{ ${c}\n}`,
  (c) => `{ ${c}\n} &`,
  (c) => `echo $(${c}\n)`,
  (c) => `echo "$(${c}\n)"`,
  (c) => `y=$(${c}\n)`,
  (c) => `cat <(${c}\n)`,
  (c) => `if ${c}\nthen :; fi`,
  (c) => `for i in 1 2; do ${c}\ndone`,
  (c) => `while ${c}\ndo :; done`,
  (c) => `case a in a) ${c}\n;; esac`,
  (c) => `f() { ${c}\n}; f`,
  (c) => `! { ${c}\n}`,
  (c) => `{ ${c}\n} | cat`,
  (c) => `ls | { ${c}\n}`,
  (c) => `echo $((1 + $(${c}\n)))`,
  (c) => `[[ -n $(${c}\n) ]]`,
  (c) => `{ ${c}\n} > /dev/null 2>&1`,
  (c) => `cd src && { ${c}\n}`,
  (c) => `bash -c ${quoted(c)}`,
  (c) => `sh -ec ${quoted(c)}`,
  (c) => `sudo -u root bash -c ${quoted(c)}`,
  (c) => `env -i A=1 sh -c ${quoted(c)}`,
  (c) => `timeout 5 nice -n 3 bash -c ${quoted(c)}`,
  (c) => `eval ${quoted(c)}`,
  (c) => `xargs -I% sh -c ${quoted(c)}`,
  (c) => `find . -exec bash -c ${quoted(c)} \\;`,
  (c) => `trap ${quoted(c)} EXIT`,
  (c) => `echo ${quoted(c)} | sh`,
  (c) => `bash <<< ${quoted(c)}`,
  (c) => `python3 -c ${quoted(`import os; os.system(${JSON.stringify(c)})`)}`,
  (c) => `ssh host ${quoted(c)}`,
  (c) => `mystery --run ${quoted(c)}`,
]

describe("wrapping", () => {
  it("[RT-PERM-7] no wrapping of a denied command is ever allowed", async () => {
    const wrapped = fc
      .tuple(
        fc.constantFrom("rm x", "rm -rf /", "/bin/rm x", "r\\m x", "'rm' x", "env rm x", "A=1 rm x"),
        fc.array(fc.constantFrom(...wrappers), { maxLength: 5 }),
      )
      .map(([text, around]) => around.reduce<string>((inner, wrap) => wrap(inner), text))
    await fc.assert(
      fc.asyncProperty(wrapped, async (text) => {
        const explained = await judged(command(text, of), of, settings.noRm)
        expect(explained.verdict, text).not.toBe("allow")
      }),
      { numRuns: 1_000, seed: 4 },
    )
  })

  it("[RT-PERM-7] no wrapping makes an unknown command free in ask mode", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...wrappers), { maxLength: 4 }), async (around) => {
        const text = around.reduce<string>((inner, wrap) => wrap(inner), "mystery x")
        expect((await judged(command(text, of), of, settings.ask)).verdict, text).toBe("ask")
      }),
      { numRuns: 300, seed: 5 },
    )
  })
})
