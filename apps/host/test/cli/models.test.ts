import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { serveChat } from "../provider.ts"
import { place, said } from "./factum.ts"

let at: ReturnType<typeof place>
beforeEach(() => {
  at = place()
})
afterEach(() => at.remove())

function write(name: string, content: string): void {
  const path = join(at.path, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
const configure = (config: unknown) => write("config/factum/factum.config.json", JSON.stringify(config))
const factsIn = (out: string): { type: string; payload: Record<string, unknown> }[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("a configured model", () => {
  test("is asked as the files say, and what runs low is told", async () => {
    await using provider = await serveChat({ text: "Hello." }, { text: "Thought over." })
    const limits = [{ name: "rate", unit: "requests", max: 10, every_ms: 60_000, low_below: 10 }]
    const own = { kind: "openai", api: "chat", base_url: provider.url, api_key_env: "OWN_KEY", limits }
    const models = { m: { output_tokens: 900, usd_per_million: { input: 1, output: 2, cached_input: 0.1 } } }
    const headers = { "x-team": "$".concat("{TEAM_TOKEN}") }
    configure({ model: "own/m", reasoning: "low", providers: { own: { ...own, models, headers } } })
    write(
      "config/factum/agents/thinker.md",
      "---\nname: thinker\ndescription: Thinks.\nreasoning: high\n---\nThink.",
    )
    const keys = { OWN_KEY: "key-of-own-123", TEAM_TOKEN: "team-token-456" }

    const first = await at.factum(["run", "Hi", "--json"], "", keys)
    expect(first.err).toBe("")
    expect(provider.asked[0]).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer key-of-own-123", "x-team": "team-token-456" },
      body: { model: "m", reasoning_effort: "low", max_completion_tokens: 900 },
    })
    const low = factsIn(first.out).filter(({ type }) => type === "quota.low")
    expect(low).toMatchObject([{ payload: { quota: "rate of own", remaining: 9, threshold: 10 } }])
    expect(first.out).not.toMatch(/key-of-own-123|team-token-456/)

    const second = await at.factum(["run", "Hi", "--agent", "thinker"], "", keys)
    expect(second.out).toBe("Thought over.\n")
    expect(provider.asked[1]?.body).toMatchObject({ reasoning_effort: "high" })
  })
})

describe("where no model can be asked", () => {
  const keyless =
    "anthropic/some cannot be asked: anthropic needs an API key; none is set. Set ANTHROPIC_API_KEY"
  const hosted = async () => {
    const { child } = at.spawned(["start", "--no-open", "--port", "0"])
    await said(child.stdout, "Factum is running")
  }

  test("run ends at once with what is missing, and begins nothing", async () => {
    configure({ model: "anthropic/some" })
    for (const more of [[], ["--json"]]) {
      const { code, out, err } = await at.factum(["run", "hello", ...more])
      expect({ code, out }).toEqual({ code: 1, out: "" })
      expect(err).toContain(keyless)
      expect(err).toContain("Nothing was begun: no model can be asked.")
    }
    expect((await at.factum(["sessions"])).out).not.toContain("hello")
  })

  test.each([
    ["foo/bar", 'The provider "foo" of foo/bar is not configured.'],
    ["anthropc/bar", 'Did you mean "anthropic"?'],
    ["foo", "foo names no model: write it as provider/model."],
  ])("run says that it does not know the model %s", async (model, message) => {
    const { code, out, err } = await at.factum(["run", "hello", "--model", model])
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: expect.stringContaining(message) })
  })

  test.each([
    [
      "a key that is not known",
      '{\n  "modle": "anthropic/some"\n}',
      /factum\.config\.json:2:3: .* Did you mean "model"\?/,
    ],
    ["no provider/model", '{"model": "claude"}', /factum\.config\.json:1:11: .*provider\/model/],
    [
      "an unknown provider",
      '{"model": "foo/bar"}',
      /factum\.config\.json:1:11: The provider "foo" is not configured/,
    ],
  ])("the demo never answers in place of settings that cannot be used: %s", async (_, content, message) => {
    write("factum.config.json", content)
    const { code, out, err } = await at.factum(["run", "hello"])
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(message)
    expect(err).toContain("Nothing was begun: repair the settings first")
  })

  test("through a host that runs, run and attach end with 3, the reason and how to go on", async () => {
    configure({ model: "anthropic/some" })
    await hosted()
    const { code, out, err } = await at.factum(["run", "hello"])
    expect({ code, out }).toEqual({ code: 3, out: "" })
    expect(err).toContain(keyless)
    const [, session = ""] = /factum attach (ses_\w+)\n$/.exec(err) ?? []
    for (const command of [
      ["attach", session],
      ["run", "again", "--json"],
    ])
      expect(await at.factum(command)).toMatchObject({ code: 3, err: expect.stringContaining(keyless) })
  })

  test("at a terminal it is said as well", async () => {
    configure({ model: "anthropic/some" })
    await hosted()
    const terminal = at.terminal(["run", "hello"])
    expect(await terminal.ended).toBe(3)
    expect(terminal.seen()).toContain("Set ANTHROPIC_API_KEY")
  })

  test("what waits for a real model is not answered by the demo, once its settings are lost", async () => {
    configure({ model: "anthropic/some" })
    const host = at.spawned(["start", "--no-open", "--port", "0"])
    await said(host.child.stdout, "Factum is running")
    const { err } = await at.factum(["run", "hello"])
    const [, session = ""] = /factum attach (ses_\w+)\n$/.exec(err) ?? []
    host.child.kill("SIGTERM")
    await host.exited
    for (const config of [{ modle: "anthropic/some" }, {}]) {
      configure(config)
      const { code, out } = await at.factum(["attach", session])
      expect({ code, out }).toEqual({ code: 3, out: "" })
    }
  })
})

describe("a cassette", () => {
  const keys = { LOCAL_KEY: "key-of-local-123" }
  const local = (base_url: string) => {
    const models = { m: { output_tokens: 900 } }
    const provider = { kind: "openai_compatible", base_url, api_key_env: "LOCAL_KEY", models }
    configure({ model: "local/m", reasoning: "low", providers: { local: provider } })
  }

  test("is recorded without secrets, and played without key and network", async () => {
    const provider = await serveChat(
      { tool: "read_file", input: { path: "note.txt" } },
      { text: "It says hello. Your key is key-of-local-123." },
    )
    local(provider.url)
    write("note.txt", "hello from the note")
    const tape = join(at.path, "talk.jsonl")

    const live = await at.factum(["run", "What does it say?", "--record", "talk.jsonl"], "", keys)
    expect(live).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^It says hello\. Your key is \[redacted/),
    })
    expect(provider.asked).toHaveLength(2)
    expect(JSON.stringify(provider.asked[1]?.body)).toContain("hello from the note")
    await provider.close()

    const text = readFileSync(tape, "utf8")
    expect(text).toContain('"asked":"What does it say?"')
    expect(text).not.toContain("key-of-local-123")
    expect(statSync(tape).mode & 0o077).toBe(0)

    const elsewhere = ["--data", "other-data", "--cassette", "talk.jsonl"]
    const played = await at.factum(["run", "What does it say?", "--json", ...elsewhere])
    expect(played).toMatchObject({ code: 0, err: "" })
    const facts = factsIn(played.out)
    const asked = facts.filter(({ type }) => type === "model.requested")
    expect(asked.map(({ payload }) => `${payload.provider}/${payload.model}`)).toEqual(["local/m", "local/m"])
    expect(facts.filter(({ type }) => type === "tool.result")).toHaveLength(1)
    const [, last] = facts.filter(({ type }) => type === "model.completed")
    expect(JSON.stringify(last?.payload)).toContain("It says hello. Your key is [redacted")
    expect(provider.asked).toHaveLength(2)

    const other = await at.factum(["run", "Something else?", ...elsewhere])
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining("The cassette has no take left") })
    // Three processes one after the other, which a busy machine starts slowly.
  }, 120_000)

  test.each([
    ["gone.jsonl", undefined, "cannot be read"],
    ["bad.jsonl", "nope", "is wrong in line 1"],
    ["empty.jsonl", "", "holds no answer"],
  ])("that is no cassette is said: %s", async (name, content, message) => {
    if (content !== undefined) write(name, content)
    const { code, err } = await at.factum(["run", "Go", "--cassette", name])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
  })

  test("needs a model to record, and goes with no script", async () => {
    const without = await at.factum(["run", "Go", "--record", "talk.jsonl"])
    expect(without).toMatchObject({ code: 2, err: expect.stringContaining("There is no model to record") })
    const both = await at.factum(["run", "Go", "--cassette", "talk.jsonl", ...at.own])
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining("do not go together") })
  })
})

test("a hook that matches no tool is told by doctor and before the first turn", async () => {
  configure({ hooks: [{ name: "format", on: "after_tool", match: "write", command: "true" }] })
  const told = 'The hook "format" never runs: no tool is called "write". Did you mean "write_file"?'
  expect((await at.factum(["doctor"])).out).toContain(told)
  expect(await at.factum(["run", "hello", ...at.own])).toMatchObject({
    code: 0,
    err: expect.stringContaining(told),
  })
})
