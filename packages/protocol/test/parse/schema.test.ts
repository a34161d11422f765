import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { generated, stale } from "../../scripts/generate.ts"
import { carrierSchemas } from "../../src/carriers/schemas.ts"
import { protocolPrompt, protocolTools } from "../../src/prompt.ts"
import { o200k } from "../../src/tokens/o200k.ts"

const root = join(import.meta.dirname, "../../../..")
const folder = "packages/protocol/schema"
const files = generated()
const read = (path: string): Record<string, unknown> => JSON.parse(readFileSync(join(root, path), "utf8"))

describe("generated schemas", () => {
  it("are on disk as the declarations say, and nothing else is", () => {
    const different = [...files].filter(([path, text]) => readFileSync(join(root, path), "utf8") !== text)
    expect(different.map(([path]) => path)).toEqual([])
    expect(stale(files)).toEqual([])
    expect(readdirSync(join(root, folder)).sort()).toEqual([
      "AgentProtocolOutput.dsl.json",
      "AgentProtocolOutput.flat.json",
      "AgentProtocolOutput.items.json",
      "dsl.json",
      "flat.json",
      "items.json",
    ])
  })

  it("a file that is no longer generated is found", () => {
    const fewer = new Map([...files].filter(([path]) => !path.endsWith("/items.json")))
    expect(stale(fewer)).toEqual([`${folder}/items.json`])
  })

  it.each(["flat", "dsl", "items"] as const)(
    "[MP-CARRIER-10] the stored definition of the native call with %s is the one that is offered",
    (carrier) => {
      expect([read(`${folder}/AgentProtocolOutput.${carrier}.json`)]).toEqual(
        protocolTools({ enabled: true }, carrier),
      )
      const { $schema: _, $comment: __, title: ___, ...schema } = read(`${folder}/${carrier}.json`)
      expect(schema).toEqual(carrierSchemas()[carrier])
    },
  )

  it.each([
    ["flat", 200],
    ["items", 400],
    ["dsl", 1100],
  ] as const)(
    "[MP-CARRIER-10] the definition with %s is small enough for a prompt: %d tokens",
    (carrier, most) => {
      const [tool] = protocolTools({ enabled: true }, carrier)
      expect(o200k.count(JSON.stringify(tool))).toBeLessThan(most)
    },
  )

  it.each(["flat", "dsl", "items"] as const)(
    "[MP-CARRIER-10] what an agent is told with %s is small enough for every request",
    (carrier) => {
      expect(o200k.count(protocolPrompt({ enabled: true }, carrier))).toBeLessThan(1000)
    },
  )
})

describe("declarations against the stored schemas", () => {
  const stored = new URL("stored/", import.meta.url)
  const flat = ["spec-act", "spec-answer", "spec-done", "spec-dependent-calls", "spec-delegation"]
  const dsl = ["spec-durable", "spec-expansion", "spec-toolbar", "spec-visible-note"]
  const cases = [...flat.map((name) => ["flat", name]), ...dsl.map((name) => ["dsl", name])]

  it.each(cases)("[MP-CARRIER-10] the schema of %s takes %s", (carrier = "", name = "") => {
    const file = readdirSync(stored).find((one) => one === `${name}.json` || one === `${name}.md`) ?? ""
    const text = readFileSync(new URL(file, stored), "utf8")
    const json = file.endsWith(".md") ? text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1) : text
    const schema = z.fromJSONSchema(read(`${folder}/${carrier}.json`))
    expect(schema.safeParse(JSON.parse(json)).error?.issues).toBe(undefined)
  })

  it.each([
    { kind: "tool", id: "a", name: "read", args: { filePath: "x" }, depends: "b", result: "full" },
    { kind: "agent", id: "a", name: "auto", depends: ["b"] },
    { kind: "input", id: "a", message: "Which?" },
    { kind: "confirm", id: "a", message: "Sure?" },
    { kind: "answer", message: "Hi" },
    { kind: "done" },
    { kind: "success", output: { n: 1 } },
    { kind: "failure", message: "No." },
    { kind: "error", message: "Oh." },
    { kind: "reply", message: "Yes." },
  ])("[MP-CARRIER-10] the schema of items takes $kind", (item) => {
    const schema = z.fromJSONSchema(read(`${folder}/items.json`))
    expect(schema.safeParse({ version: "2", items: [item] }).error?.issues).toBe(undefined)
  })

  it.each([
    ["flat", { kind: "act", calls: [{ id: "a", type: "robot", name: "x" }] }],
    ["flat", { calls: [] }],
    ["dsl", { type: "agent.protocol", version: "1", intent: "execute" }],
    [
      "dsl",
      {
        type: "agent.protocol",
        version: "2",
        intent: "execute",
        payload: { type: "action_graph", actions: [] },
      },
    ],
    ["items", { version: "2", items: [{ kind: "script", id: "a" }] }],
  ])("[MP-CARRIER-10] the schema of %s does not take %j", (carrier, value) => {
    expect(z.fromJSONSchema(read(`${folder}/${carrier}.json`)).safeParse(value).success).toBe(false)
  })
})
