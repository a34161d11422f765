import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { loadConfig } from "../src/config/index.ts"
import { offersOf } from "../src/models.ts"
import { openWork } from "../src/work.ts"
import { temporaryDirectory } from "./hosting.ts"

function project() {
  const { path, remove } = temporaryDirectory()
  onTestFinished(remove)
  const user = join(path, "user")
  const root = join(path, "project")
  mkdirSync(join(root, ".factum", "agents"), { recursive: true })
  mkdirSync(user, { recursive: true })
  writeFileSync(join(user, "factum.config.json"), JSON.stringify({ trust: [root] }))
  const steps = [{ id: "look", tool: "list_files", input: { path: "input:where" } }]
  const services = {
    tickets: { description: "Opens a ticket.", url: "http://127.0.0.1:9/", input_schema: { type: "object" } },
  }
  const providers = { local: { kind: "openai_compatible", base_url: "http://127.0.0.1:9/v1" } }
  const config = {
    model: "local/large",
    providers,
    services,
    pipelines: { survey: { description: "Looks.", steps } },
  }
  writeFileSync(join(root, "factum.config.json"), JSON.stringify(config))
  const front = [
    "name: reviewer",
    "description: Reads changes.",
    "model: local/small",
    "tools: [read_file]",
    "reasoning: high",
  ]
  writeFileSync(
    join(root, ".factum", "agents", "reviewer.md"),
    ["---", ...front, "---", "You review."].join("\n"),
  )
  return { root, user, env: { FACTUM_HOME: user, HOME: user, XDG_CONFIG_HOME: user } }
}

test("a project's pipelines, services and agents are what its agent works with", async () => {
  const { root, user } = project()
  const { config } = loadConfig(root, user, { env: {} })
  expect(config.trusted).toBe(true)
  expect(Object.keys(config.services)).toEqual(["tickets"])
  const offers = offersOf(config, {})
  expect(offers.map(({ model, reserved }) => [model, reserved])).toEqual([
    ["large", undefined],
    ["small", true],
  ])
})

test("openWork gives them to the agent", async () => {
  const { root } = project()
  const work = await openWork(root, { env: {} })
  onTestFinished(() => work.close())
  // The tools are built with it, and none of them is executed here.
  const agent = await work.agent({} as Parameters<typeof work.agent>[0], "ses_1")
  expect(agent.pipelines?.map(({ name }) => name)).toEqual(["survey"])
  expect(agent.delegates).toMatchObject([
    {
      name: "reviewer",
      instructions: "You review.",
      tools: ["read_file"],
      model: { provider: "local", model: "small", replaceable: false },
      reasoning: "high",
    },
  ])
})
