import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { painter } from "../../src/cli/paint.ts"
import { Screen } from "../../src/cli/screen.ts"
import { place } from "./factum.ts"

let at: ReturnType<typeof place>
beforeEach(() => {
  at = place()
})
afterEach(() => at.remove())

/** Clears the screen, hides what follows, links, writes the clipboard, turns text around, goes back to its start. */
const hostile =
  "x\u001b[2J\u001b[8m\u009b31m\u001b]8;;http://evil\u0007y\u001b]52;c;QQ==\u001b\\\u202eevil\u2066z\rgone\u0008\u007f"
const raw = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u
/** What a terminal gets beside colours of our own. */
const inks = [0, 1, 2, 31, 32, 33, 36].map((code) => `\u001b[${code}m`)
const withoutInk = (text: string) => inks.reduce((left, ink) => left.replaceAll(ink, ""), text)

describe("what agents, tools and providers wrote", () => {
  test("reaches no terminal as a command to it, whichever command shows it", async () => {
    const script = join(at.path, "hostile.jsonl")
    const lines = [
      { on: "^write" },
      { text: `I read. ${hostile}` },
      { tool_call: { tool: "read_file", arguments: { path: "hostile.txt" } } },
      { finish: "tool_calls" },
      { tool_call: { tool: "write_file", arguments: { path: `note${hostile}.txt`, content: hostile } } },
      { finish: "tool_calls" },
      { error: `The model is out. ${hostile}`, category: "provider_error", retryable: false },
    ]
    writeFileSync(script, lines.map((line) => JSON.stringify(line)).join("\n"))
    writeFileSync(join(at.path, "hostile.txt"), `from a file ${hostile}`)
    const shown = async (...args: string[]) => {
      const { code, out, err } = await at.factum([...args, "--script", script], "", { FORCE_COLOR: "1" })
      const text = withoutInk(out + err)
      expect({ args, raw: raw.exec(text) }).toEqual({ args, raw: null })
      return { code, text }
    }
    const run = await shown("run", `write ${hostile}`)
    expect(run).toMatchObject({ code: 3, text: expect.stringContaining("I read. x·[2J") })
    for (const words of ["> write_file", "from a file x·", "note"]) expect(run.text).toContain(words)
    const action = /act_\w+/.exec(run.text)?.[0] ?? ""
    const session = /ses_\w+/.exec((await shown("sessions")).text)?.[0] ?? ""
    expect((await shown("answer")).text).toContain("content: x\\u{1b}[2J")
    const denied = await shown("answer", action, "deny", "--note", hostile)
    expect(denied.text).toContain("The model is out. x·[2J")
    expect((await shown("show", session)).text).toContain("The model is out. x·[2J")
  })

  test("is made harmless by the screen itself, with colour around it", () => {
    let written = ""
    const to = { write: (text: string) => (written += text) }
    const screen = new Screen({ out: to, err: to, live: false }, painter(true))
    screen.line(hostile)
    screen.line(hostile, "yellow")
    expect(withoutInk(written)).not.toMatch(raw)
    expect(written).toMatch(/^x·/)
    expect(written).toContain("\n\u001b[33mx·")
    expect(written).toMatch(/\[0m\n$/)
  })
})
