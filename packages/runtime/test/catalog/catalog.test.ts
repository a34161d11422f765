import { validateDraft } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { type CatalogScope, catalogOf } from "../../src/catalog.ts"
import type { Policy } from "../../src/policy/types.ts"
import type { Tool } from "../../src/ports/tool.ts"

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `The tool ${name}`,
  owner: "builtin",
  input_schema: { type: "object" },
  effect: "none",
  side_effects: ["read"],
  capabilities: [],
  check: () => [],
  touches: async () => [],
  run: async () => ({ ok: true, output: "" }),
  ...more,
})
const read = tool("read", { capabilities: ["files"] })
const write = tool("write", { effect: "repeatable", side_effects: ["write"], capabilities: ["files"] })
const fetch = tool("fetch", { side_effects: ["read", "external"], capabilities: ["network"] })
const tools = [write, read, fetch]

const policy: Policy = { version: "p1", mode: "ask", rules: [] }
const scope: CatalogScope = { caller: { name: "person" }, policy, mode: "ask" }
const reasons = (more: Partial<CatalogScope>, of: readonly Tool[] = tools) =>
  Object.fromEntries(
    catalogOf(of, { ...scope, ...more }).tools.map(({ name, available, reason }) => [
      name,
      available || reason,
    ]),
  )

describe("the catalog of a turn", () => {
  it("[RT-EVT-8] a turn with tools names each with owner, effect and schema", () => {
    const payload = catalogOf([read], { ...scope, context: { name: "workspace" } })
    expect(payload).toEqual({
      caller: "person",
      policy_version: "p1",
      mode: "ask",
      context: "workspace",
      tools: [
        {
          name: "read",
          description: "The tool read",
          owner: "builtin",
          effect: "none",
          input_schema: { type: "object" },
          available: true,
        },
      ],
    })
    const ids = { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1" }
    expect(validateDraft({ type: "tool.catalog.resolved", ...ids, payload })).toMatchObject({ ok: true })
  })

  it("[RT-EVT-8] a turn without tools has an empty list", () => {
    expect(catalogOf([], scope)).toEqual({ caller: "person", policy_version: "p1", mode: "ask", tools: [] })
  })

  it("the order of the tools is that of their names, however they came", () => {
    expect(Object.keys(reasons({}))).toEqual(["fetch", "read", "write"])
    expect(catalogOf(tools.toReversed(), scope)).toEqual(catalogOf(tools, scope))
  })

  it("a withheld tool has no schema", () => {
    const [first] = catalogOf([write], { ...scope, mode: "plan" }).tools
    expect(first).toEqual({
      name: "write",
      description: "The tool write",
      owner: "builtin",
      effect: "repeatable",
      available: false,
      reason: "In plan mode nothing is changed.",
    })
  })

  it("of two tools with one name the first is offered", () => {
    const twin = tool("read", { owner: "mcp:files" })
    const listed = catalogOf([read, twin], scope).tools
    expect(listed).toMatchObject([
      { owner: "builtin", available: true },
      { owner: "mcp:files", available: false, reason: "A tool of builtin has the same name." },
    ])
  })

  it("what cannot be reached is listed with its reason", () => {
    const unavailable = [
      { name: "mcp:files", owner: "mcp:files", reason: "It did not start." },
      { name: "read", owner: "mcp:other", reason: "never shown: there is a tool of that name" },
    ]
    expect(reasons({ unavailable }, [read])).toEqual({ "mcp:files": "It did not start.", read: true })
  })
})

describe("the list follows", () => {
  const all = { fetch: true, read: true, write: true }

  it("[RT-SNAP-3] the caller", () => {
    expect(reasons({})).toEqual(all)
    const caller = { name: "guest", tools: ["re*"] }
    expect(reasons({ caller })).toEqual({
      fetch: "Not among the tools of guest.",
      read: true,
      write: "Not among the tools of guest.",
    })
    expect(catalogOf(tools, { ...scope, caller }).caller).toBe("guest")
  })

  it("[RT-SNAP-3] the policy", () => {
    const rules = [{ effect: "deny", layer: "project", tool: "w*", note: "frozen" }] as const
    const next = { ...policy, version: "p2", rules }
    expect(reasons({ policy: next })).toEqual({ ...all, write: "Denied by a rule of the project: frozen" })
    expect(catalogOf(tools, { ...scope, policy: next }).policy_version).toBe("p2")
  })

  it("[RT-SNAP-3] the context", () => {
    const context = { name: "offline", lacks: ["network"] }
    expect(reasons({ context })).toEqual({ ...all, fetch: "The context offline has no network." })
    expect(catalogOf(tools, { ...scope, context }).context).toBe("offline")
  })

  it("[RT-SNAP-3] the mode", () => {
    const no = "In plan mode nothing is changed."
    expect(reasons({ mode: "plan" })).toEqual({ fetch: no, read: true, write: no })
    expect(catalogOf(tools, { ...scope, mode: "plan" }).mode).toBe("plan")
  })

  it("[RT-CMD-29] two callers in two modes have four lists", () => {
    const callers = [{ name: "person" }, { name: "guest", tools: ["read", "write"] }]
    const lists = callers.flatMap((caller) =>
      (["ask", "plan"] as const).map((mode) =>
        catalogOf(tools, { ...scope, caller, mode })
          .tools.filter(({ available }) => available)
          .map(({ name }) => name),
      ),
    )
    expect(lists).toEqual([["fetch", "read", "write"], ["read"], ["read", "write"], ["read"]])
  })

  it("the agent narrows what its caller may use and never widens it", () => {
    const caller = { name: "guest", tools: ["read"] }
    expect(reasons({ caller, agent: { name: "writer", tools: ["write", "read"] } })).toEqual({
      fetch: "Not among the tools of guest.",
      read: true,
      write: "Not among the tools of guest.",
    })
    expect(reasons({ agent: { name: "mute", tools: [] } }, [read])).toEqual({
      read: "Not among the tools of mute.",
    })
  })

  it.each([
    ["deny", "rm *"],
    ["ask", undefined],
    ["allow", undefined],
  ] as const)("a rule %s with match %s withholds nothing", (effect, match) => {
    const rule = { effect, layer: "user", tool: "*", ...(match ? { match } : {}) } as const
    expect(reasons({ policy: { ...policy, rules: [rule] } })).toEqual(all)
  })
})
