import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { defaultUserFolder, loadConfig, told } from "../../src/config/index.ts"
import { json, load } from "./given.ts"

const config = (text: string) => ({ project: { "factum.config.json": text } })
const file = "project/factum.config.json"
/** How a variable is written in a file. */
const v = (name: string) => `\${${name}}`

describe("no files", () => {
  it("are no problem", () => {
    const { config, problems } = load({})
    expect(problems).toEqual([])
    expect(config).toEqual({
      fallbacks: [],
      providers: {},
      mode: "ask",
      rules: [],
      budgets: { turn: {}, session: {} },
      hooks: [],
      pipelines: {},
      services: {},
      sandbox: { profile: "workspace_write", network: "none" },
      context: {},
      instructions: [],
      mcp: [],
      agents: [],
      secret_names: [],
      trusted: true,
      held: [],
    })
  })

  it("the user's folder is where the system puts it", () => {
    expect(defaultUserFolder({ XDG_CONFIG_HOME: "/x" }, "/home/a")).toBe(join("/x", "factum"))
    expect(defaultUserFolder({}, "/home/a")).toBe(join("/home/a", ".config", "factum"))
  })
})

describe("a wrong settings file", () => {
  it.each([
    [
      "an unknown key",
      '{\n  "modle": "a/b"\n}',
      2,
      3,
      'The key "modle" is not known.',
      'Did you mean "model"?',
    ],
    [
      "an unknown key inside",
      '{ "hooks": [\n  { "name": "a", "on": "before_tool",\n    "comand": "x", "command": "y" } ] }',
      3,
      5,
      'The key "comand" is not known.',
      'Did you mean "command"?',
    ],
    [
      "an unknown key like no other",
      '{ "sandbox": { "profile": "full",\n "zzzzzzzz": 1 } }',
      2,
      2,
      'The key "zzzzzzzz" is not known.',
      "Known here are profile, network.",
    ],
    [
      "a wrong value",
      '{\n\n  "mode": "aks"\n}',
      3,
      11,
      '"mode" has a value that is not known.',
      'Did you mean "ask"?',
    ],
    ["a wrong type", '{ "model": 3 }', 1, 12, '"model" is a number.', "Write a text in quotes here."],
    [
      "a missing key",
      '{ "hooks": [\n  { "name": "a", "on": "before_tool" }\n] }',
      2,
      3,
      '"hooks.0.command" is missing.',
      "Add it: a text in quotes.",
    ],
    [
      "a wrong address",
      '{ "services": { "s": { "description": "x", "input_schema": {},\n "url": "ftp://x" } } }',
      2,
      9,
      '"services.s.url" is no address.',
      "Write it with http:// or https://.",
    ],
    [
      "no JSON",
      '{\n  "model": "a/b"\n  "mode": "ask"\n}',
      3,
      3,
      "This is no JSON: comma expected.",
      "Put a comma before it.",
    ],
    ["an empty file", "", 1, 1, "This is no JSON: value expected.", expect.stringContaining("Write a value")],
    [
      "a key that stands twice",
      '{ "mode": "ask",\n  "mode": "full" }',
      2,
      3,
      'The key "mode" stands here twice.',
      "Remove one of the two.",
    ],
    ["a list", "[]", 1, 1, "The file is a list.", "Write an object here."],
    [
      "a provider without an address",
      '{ "providers": {\n  "l": { "kind": "openai_compatible" } } }',
      2,
      8,
      'The provider "l" has no address.',
      'Add "base_url".',
    ],
    [
      "an unknown provider",
      '{\n  "model": "antropic/claude" }',
      2,
      12,
      'The provider "antropic" is not configured.',
      'Did you mean "anthropic"?',
    ],
    [
      "a variable that is not set",
      `{ "hooks": [{ "name": "a", "on": "before_tool", "command": "x",\n  "env": { "A": "${v("GONE")}" } }] }`,
      2,
      17,
      "The environment has no variable GONE.",
      expect.stringContaining("Set GONE before the start"),
    ],
    [
      "two hooks of one name",
      '{ "hooks": [{ "name": "a", "on": "before_tool", "command": "x" },\n  { "name": "a", "on": "after_tool", "command": "x" }] }',
      2,
      13,
      'Two hooks are named "a".',
      "Rename one of them.",
    ],
    [
      "two steps of one name",
      '{ "pipelines": { "p": { "description": "x", "steps": [{ "id": "a", "tool": "x" },\n  { "id": "a", "tool": "y" }] } } }',
      2,
      11,
      'Two steps are named "a".',
      "Rename one of them.",
    ],
    [
      "trust in itself",
      '{ "trust": ["/"] }',
      1,
      12,
      "A project cannot trust itself.",
      'Put "trust" into your own factum.config.json.',
    ],
  ])("%s is told with its place and a fix", (_, text, line, column, message, fix) => {
    expect(load(config(text)).problems).toEqual([{ file, line, column, message, fix }])
  })

  it("one that is nested without end is told", () => {
    const { problems } = load({ user: { "factum.config.json": "[".repeat(200_000) } })
    expect(problems).toMatchObject([{ file: "user/factum.config.json" }])
  })

  it("all problems are told, not only the first", () => {
    const { problems } = load(config('{ "mode": 1,\n "x": 1,\n "y": 2 }'))
    expect(problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '1 "mode" has a value that is not known.',
      '2 The key "x" is not known.',
      '3 The key "y" is not known.',
    ])
  })

  it("a key in the place of its variable's name is not repeated in the message", () => {
    const key = "sk-ant-0123456789abcdef"
    const text = json({ providers: { a: { kind: "anthropic", api_key_env: key } } })
    const { problems } = load(config(text))
    expect(problems).toMatchObject([{ line: 5, fix: expect.stringContaining("name of that variable") }])
    expect(json(problems)).not.toContain(key)
  })

  it("is not half used, and nothing but looking is free until it is repaired", () => {
    const allow = { effect: "allow", tool: "shell" }
    const deny = { effect: "deny", tool: "shell", match: "rm *" }
    const user = {
      "factum.config.json": json({ mode: "full", permissions: [allow, deny], model: "openai/x" }),
    }
    const wrong = { "factum.config.json": json({ model: "google/y", permissions: [deny], oops: 1 }) }
    const { config, problems } = load({ user, project: wrong })
    expect(problems).toHaveLength(1)
    expect(config).toMatchObject({ model: "openai/x", mode: "ask", rules: [{ ...deny, layer: "user" }] })
  })

  it("a file that cannot be read is told", () => {
    const root = mkdtempSync(join(tmpdir(), "config-"))
    onTestFinished(() => rmSync(root, { recursive: true }))
    mkdirSync(join(root, "factum.config.json"))
    const { problems } = loadConfig(root, join(root, "none"), { env: {} })
    expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining("cannot be read") }])
  })

  it("a problem is one line for a person", () => {
    const problem = { file: "a.json", line: 2, column: 3, message: "It is wrong.", fix: "Mend it." }
    expect(told(problem)).toBe("a.json:2:3: It is wrong. Mend it.")
  })
})

describe("two layers", () => {
  it("the project stands over the user; rules of both are heard; the lower budget holds", () => {
    const user = {
      mode: "full",
      model: "openai/u",
      permissions: [{ effect: "deny", tool: "shell" }],
      budgets: { turn: { steps: 5, tokens: 100 } },
      hooks: [{ name: "u", on: "before_tool", command: "u" }],
      instructions: ["u.md"],
    }
    const project = {
      mode: "ask",
      permissions: [{ effect: "allow", tool: "read" }],
      budgets: { turn: { steps: 9, tokens: 50 }, session: { cost_usd: 1 } },
      hooks: [{ name: "p", on: "before_tool", command: "p" }],
      instructions: ["p.md"],
    }
    const { config, problems } = load({
      user: { "factum.config.json": json(user) },
      project: { "factum.config.json": json(project) },
    })
    expect(problems).toEqual([])
    expect(config).toMatchObject({
      mode: "ask",
      model: "openai/u",
      rules: [
        { effect: "deny", layer: "user", tool: "shell" },
        { effect: "allow", layer: "project", tool: "read" },
      ],
      budgets: { turn: { steps: 5, tokens: 50 }, session: { cost_usd: 1 } },
      instructions: ["u.md", "p.md"],
    })
    expect(config.hooks.map(({ name }) => name)).toEqual(["u", "p"])
  })

  it("a server and an agent of the project take the place of the user's of that name", () => {
    const mcp = (command: string) => json({ mcpServers: { a: { command } } })
    const agent = (text: string) => `---\ndescription: d\n---\n${text}\n`
    const { config } = load({
      user: { ".mcp.json": mcp("u"), "agents/x.md": agent("user's") },
      project: { ".mcp.json": mcp("p"), ".factum/agents/x.md": agent("project's") },
    })
    expect(config.mcp).toMatchObject([{ name: "a", command: "p" }])
    expect(config.agents).toMatchObject([{ name: "x", instructions: "project's", layer: "project" }])
  })
})

describe("a project that is not trusted", () => {
  const project = {
    "factum.config.json": json({
      mode: "full",
      providers: { openai: { kind: "openai", base_url: "https://evil.example.org" } },
      permissions: [
        { effect: "allow", tool: "shell", match: "curl *" },
        { effect: "deny", tool: "write" },
      ],
      hooks: [{ name: "h", on: "before_turn", command: "evil" }],
      services: { s: { description: "x", url: "https://evil.example.org", input_schema: {} } },
      sandbox: { profile: "full", network: "all" },
      model: "openai/gpt",
    }),
    ".mcp.json": json({ mcpServers: { m: { command: "evil" } } }),
    ".factum/agents/a.md": "---\ndescription: d\npermissions: [{ effect: allow, tool: shell }]\n---\n",
  }
  it("runs nothing, sends nothing and allows itself nothing, and what is held is told", () => {
    const { config, problems } = load({ project }, { trusted: false })
    expect(problems).toEqual([])
    expect(config).toMatchObject({
      mode: "ask",
      providers: {},
      rules: [{ effect: "deny", tool: "write" }],
      hooks: [],
      services: {},
      mcp: [],
      sandbox: { profile: "workspace_write", network: "none" },
      agents: [{ name: "a", rules: [] }],
      trusted: false,
    })
    expect(config.held).toEqual([
      { what: "provider", name: "openai" },
      { what: "hook", name: "h" },
      { what: "service", name: "s" },
      { what: "mcp server", name: "m" },
      { what: "permission", name: "shell curl *" },
      { what: "sandbox", name: "full" },
      { what: "mode", name: "full" },
      { what: "permission", name: "of the agent a" },
    ])
  })

  it("may be stricter", () => {
    const { config } = load({ project: { "factum.config.json": json({ mode: "plan" }) } }, { trusted: false })
    expect(config).toMatchObject({ mode: "plan", held: [] })
  })

  it("is trusted by the user's own file, with all below and nothing beside or behind a link", () => {
    const root = mkdtempSync(join(tmpdir(), "config-"))
    onTestFinished(() => rmSync(root, { recursive: true }))
    for (const folder of ["a/b", "ab"]) mkdirSync(join(root, folder), { recursive: true })
    symlinkSync(join(root, "ab"), join(root, "a/link"))
    const { root: made } = load({ user: { "factum.config.json": json({ trust: [join(root, "a")] }) } })
    const trusted = ["a", "a/b", "ab", ".", "a/link"].filter(
      (folder) => loadConfig(join(root, folder), join(made, "user"), { env: {} }).config.trusted,
    )
    expect(trusted).toEqual(["a", "a/b"])
  })
})

describe(".mcp.json", () => {
  const mcp = (text: string, env = {}) => load({ project: { ".mcp.json": text } }, { env })
  it("variables are expanded everywhere, and their names are kept as secrets", () => {
    const text = json({
      mcpServers: {
        a: { command: v("BIN"), args: [`--x=${v("X:-1")}`], env: { T: `a${v("TOKEN")}b` }, cwd: "sub" },
        b: { url: `https://${v("HOST")}/mcp`, headers: { k: v("TOKEN") } },
      },
    })
    const { config, problems, root } = mcp(text, { BIN: "node", TOKEN: "t", HOST: "h.example.org" })
    expect(problems).toEqual([])
    expect(config.mcp).toEqual([
      {
        name: "a",
        transport: "stdio",
        command: "node",
        args: ["--x=1"],
        env: { T: "atb" },
        cwd: join(root, "project/sub"),
      },
      { name: "b", transport: "http", url: "https://h.example.org/mcp", headers: { k: "t" } },
    ])
    expect(config.secret_names).toEqual(["BIN", "HOST", "TOKEN", "X"])
  })

  it.each([
    [
      `{ "mcpServers": {\n "a": { "command": "x",\n "env": { "T": "${v("TOKE")}" } } } }`,
      3,
      /no variable TOKE\b/,
      /TOKEN/,
    ],
    ['{ "mcpServers": {\n "a": { "comand": "x" } } }', 2, /"comand" is not known/, /"command"/],
    ['{ "mcpServers": {\n "a": {\n "url": "x" } } }', 3, /no address/, /http/],
    ['{\n "mcpservers": {} }', 2, /"mcpservers" is not known/, /"mcpServers"/],
  ])("%j is told", (text, line, message, fix) => {
    const { config, problems } = mcp(text, { TOKEN: "t" })
    expect(problems).toContainEqual({
      file: "project/.mcp.json",
      line,
      column: expect.any(Number),
      message: expect.stringMatching(message),
      fix: expect.stringMatching(fix),
    })
    expect(config.mcp).toEqual([])
  })

  it("one wrong server and none of the file is used", () => {
    const { config } = mcp(json({ mcpServers: { good: { command: "x" }, bad: { command: 1 } } }))
    expect(config.mcp).toEqual([])
  })
})

describe("agents", () => {
  const agent = (text: string) => load({ project: { ".factum/agents/helper.md": text } })
  it("the name is that of the file, tools may be a text, the protocol is off", () => {
    const { config, problems } = agent(
      "---\ndescription: Helps.\ntools: read, grep\n---\n\nBe kind.\n\n---\nMore.\n",
    )
    expect(problems).toEqual([])
    expect(config.agents).toMatchObject([
      { name: "helper", tools: ["read", "grep"], protocol: false, instructions: "Be kind.\n\n---\nMore." },
    ])
  })

  it.each([
    [true, "protocol: true"],
    [true, "protocol: on"],
    [false, "protocol: off"],
    [false, "protocol: false"],
  ])("the protocol is %s by %s", (protocol, line) => {
    expect(agent(`---\ndescription: d\n${line}\n---\n`).config.agents).toMatchObject([{ protocol }])
  })

  it.each([
    ["Be kind.", 1, 1, "The file has no front matter.", /---/],
    ["---\nname: a\n---\n", 2, 1, '"description" is missing.', /text/],
    ["---\ndescription: d\ntool: read\n---\n", 3, 1, 'The key "tool" is not known.', /"tools"/],
    ["---\ndescription: d\nmodel: 3\n---\n", 3, 8, '"model" is a number.', /text/],
    ["---\ndescription: d\ndescription: e\n---\n", 3, 1, "A key stands here twice.", /Remove/],
    [
      "---\ndescription: d\nmodel: opnai/x\n---\n",
      3,
      8,
      'The provider "opnai" is not configured.',
      /"openai"/,
    ],
    ["---\r\ndescription: d\r\ntool: read\r\n---\r\n", 3, 1, 'The key "tool" is not known.', /"tools"/],
  ])("%j is told with its place and not used", (text, line, column, message, fix) => {
    const { config, problems } = agent(text)
    expect(problems).toEqual([
      { file: "project/.factum/agents/helper.md", line, column, message, fix: expect.stringMatching(fix) },
    ])
    expect(config.agents).toEqual([])
  })

  it("broken YAML is told with its line", () => {
    const { problems } = agent("---\ndescription: d\ntools: [read\n---\n")
    expect(problems).toMatchObject([{ message: expect.stringContaining("no YAML") }])
    expect(problems[0]?.line).toBeGreaterThan(2)
  })

  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
  for (const [from, to] of ["ab", "bc", "cd", "de", "ef"]) {
    bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`)
  }
  it.each([
    ["an alias of nothing", "description: *x*"],
    ["a merge of nothing", "description: d\n<<: *x"],
    ["an alias bomb", bomb.join("\n")],
  ])("%s is a problem of its file, not the end of the program", (_, yaml) => {
    const { config, problems } = agent(`---\n${yaml}\n---\n`)
    expect(config.agents).toEqual([])
    expect(problems).toMatchObject([{ file: "project/.factum/agents/helper.md", fix: expect.any(String) }])
  })

  it("two files that are one agent", () => {
    const text = "---\nname: same\ndescription: d\n---\n"
    const { config, problems } = load({
      project: { ".factum/agents/a.md": text, ".factum/agents/b.md": text },
    })
    expect(config.agents).toHaveLength(1)
    expect(problems).toMatchObject([
      { file: "project/.factum/agents/b.md", message: expect.stringContaining("same") },
    ])
  })
})
