import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { parse } from "jsonc-parser"
import { expect, test } from "vitest"
import { configJsonSchema, schemaFile } from "../../src/config/publish.ts"
import { idleHooks } from "../../src/hook-notes.ts"
import { load } from "./given.ts"

const page = readFileSync(new URL("../../../../docs/configuration.md", import.meta.url), "utf8")
const examples = [...page.matchAll(/^File `(user|project)\/([^`]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)]
const filesOf = (layer: string) =>
  Object.fromEntries(
    examples.filter((one) => one[1] === layer).map(([, , name = "", text = ""]) => [name, text]),
  )
const env = { TICKETS_TOKEN: "t-1", ISSUES_TOKEN: "i-1", TEAM_TOKEN: "team-1" }
const files = { user: filesOf("user"), project: filesOf("project") }

test("the examples of the page load without a problem", () => {
  expect(examples.map((one) => `${one[1]}/${one[2]}`)).toEqual([
    "user/factum.config.json",
    "project/factum.config.json",
    "project/.mcp.json",
    "project/.factum/agents/reviewer.md",
  ])
  const { config, problems, root } = load(files, { env })
  expect(problems).toEqual([])
  expect(config).toMatchObject({
    model: "anthropic/claude-sonnet-4-5",
    fallbacks: ["local/qwen3"],
    mode: "accept_edits",
    budgets: { turn: { steps: 50 }, session: { cost_usd: 2, tokens: 2_000_000 } },
    hooks: [
      { kind: "command", name: "format", match: "write_file", failure_policy: "open" },
      { name: "guard", on: "before_tool" },
    ],
    sandbox: { profile: "workspace_write", network: { domains: ["registry.npmjs.org"] } },
    services: { tickets: { headers: { authorization: "Bearer t-1" } } },
    reasoning: "medium",
    providers: { proxy: { api: "chat", headers: { "x-team": "team-1" }, stall_ms: 60_000 } },
    secret_names: [
      "ANTHROPIC_API_KEY",
      "DOCS_FOLDER",
      "ISSUES_TOKEN",
      "PROXY_KEY",
      "TEAM_TOKEN",
      "TICKETS_TOKEN",
    ],
    context: { reserve_tokens: 16_000, source_tokens: 8_000 },
    trusted: true,
    held: [],
  })
  expect(idleHooks(config)).toEqual([])
  expect(config.rules.map(({ effect, layer }) => [effect, layer])).toEqual([
    ["allow", "project"],
    ["ask", "project"],
    ["deny", "project"],
  ])
  expect(config.mcp).toEqual([
    {
      name: "files",
      transport: "stdio",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "./docs"],
      cwd: `${root}/project`,
    },
    {
      name: "issues",
      transport: "http",
      url: "https://issues.example.org/mcp",
      headers: { authorization: "Bearer i-1" },
      connect_timeout_ms: 10_000,
      call_timeout_ms: 60_000,
    },
  ])
  expect(config.agents).toMatchObject([
    {
      name: "reviewer",
      instructions: "You review changes. Name the file and the line of each finding.",
      reasoning: "high",
      tools: ["read_file", "grep", "glob", "files__*"],
      protocol: true,
      rules: [{ effect: "deny", layer: "agent", tool: "shell", note: "A reviewer runs nothing." }],
    },
  ])
})

test("the problem that the page shows is the one that is told", () => {
  const { problems } = load({ project: { "factum.config.json": '{\n  // the model\n  "modle": "a/b"\n}' } })
  const [one] = problems
  expect(page).toContain(`factum.config.json:${one?.line}:${one?.column}: ${one?.message} ${one?.fix}`)
})

test("the published schema is up to date: node apps/host/src/config/publish.ts writes it", () => {
  expect(readFileSync(schemaFile, "utf8")).toBe(configJsonSchema())
})

test("the published schema accepts the examples and refuses what the loader refuses", () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(configJsonSchema()),
  )
  for (const layer of ["user", "project"] as const) {
    expect(validate(parse(files[layer]["factum.config.json"] ?? ""))).toBe(true)
  }
  expect(validate({ modle: "a/b" })).toBe(false)
  expect(validate({ hooks: [{ name: "a", on: "sometimes", command: "x" }] })).toBe(false)
})
