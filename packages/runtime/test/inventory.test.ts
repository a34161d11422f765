import { commands, ToolInventorySnapshot } from "@factum/facts"
import { describe, expect, it } from "vitest"
import type { Delegate, Policy } from "../src/index.ts"
import { done, ends, openRuntime, refused, submit, until } from "./harness.ts"
import { agentWith, fakeTool, linesModel, of, reader } from "./loop/given.ts"

const policy: Policy = { version: "p1", mode: "full", rules: [] }
const clerk: Delegate = {
  name: "clerk",
  description: "Looks things up.",
  instructions: "",
  capabilities: [],
  protocol: false,
  tools: ["look"],
  rules: [],
}

async function idle() {
  const agent = agentWith([fakeTool("write"), reader("look")], { policy, delegates: [clerk] })
  const opened = await openRuntime(linesModel([{ text: "Hello." }]).model, { agent })
  const { session_id, thread_id, turn_id } = await submit(opened.runtime, "Hello")
  const seen = await until(opened.runtime, session_id, ends("thread.updated", 2))
  return { ...opened, scope: { session_id, thread_id, turn_id }, seen }
}

type Inventory = { inventory: ToolInventorySnapshot }
const available = ({ inventory }: Inventory) =>
  inventory.tools.filter((tool) => tool.available).map(({ name }) => name)

describe("get_tool_inventory", () => {
  it("[RT-CMD-29] two callers in two modes have four lists, each named after what was asked", async () => {
    const { runtime, scope } = await idle()
    const ask = (caller: string, mode: string) =>
      done<Inventory>(runtime, "get_tool_inventory", { ...scope, caller, policy: "p1", mode })
    expect(available(await ask("main", "full"))).toEqual(["delegate", "look", "write"])
    expect(available(await ask("clerk", "full"))).toEqual(["look"])
    expect(available(await ask("main", "plan"))).not.toContain("write")
    expect(available(await ask("clerk", "plan"))).toEqual(["look"])
    const { inventory } = await ask("clerk", "plan")
    expect(ToolInventorySnapshot.schema.parse(inventory)).toMatchObject({
      caller: "clerk",
      policy: "p1",
      context: "tools",
      mode: "plan",
      sequence: runtime.log.head(scope.session_id),
      freshness: "current",
    })
  })

  it("[RT-CMD-29] it is what a turn is given, and leaves the catalog of a turn as it is", async () => {
    const { runtime, scope, seen } = await idle()
    const given = of(seen, "tool.catalog.resolved")[0]?.payload
    const asked = { ...scope, caller: "main", policy: "p1" }
    const { inventory } = await done<Inventory>(runtime, "get_tool_inventory", { ...asked, mode: "full" })
    expect(inventory.tools).toEqual(given?.tools)
    await done(runtime, "get_tool_inventory", { ...asked, mode: "plan" })
    const kept = runtime.snapshot("tool_inventory_snapshot", scope)
    expect(kept).toMatchObject({ ok: true, result: { mode: "full", tools: given?.tools } })
  })

  it.each([
    ["caller", { caller: "nobody" }],
    ["policy", { policy: "p0" }],
    ["mode", { mode: "any" }],
    ["thread_id", { thread_id: "thr_x" }],
    ["session_id", { session_id: "ses_x" }],
  ])("[RT-CMD-29] another %s than there is is not found", async (field, other) => {
    const { runtime, scope } = await idle()
    const input = { session_id: scope.session_id, caller: "main", policy: "p1", mode: "full", ...other }
    expect(await refused(runtime, "get_tool_inventory", { input })).toMatchObject({
      code: "not_found",
      field: `input.${field}`,
    })
  })
})

it("[RT-CMD-6] no read appends anything, to its session or another, whether it is carried out or refused", async () => {
  const { runtime, scope } = await idle()
  const { session_id, thread_id } = scope
  const inputs: Record<string, unknown> = {
    list_tasks: { session_id },
    get_task: { task_id: "tsk_x" },
    get_session: { session_id },
    get_thread_read: { session_id, thread_id },
    get_tool_inventory: { ...scope, caller: "main", policy: "p1", mode: "full" },
    get_execution_environment: scope,
    list_subagents: { session_id },
    list_jobs: { session_id },
    get_job: { job_id: "job_x" },
    wait_subagents: { ...scope, subagent_ids: ["sub_x"], time_limit_ms: 1 },
  }
  const reads = Object.entries(commands).filter(([, { mutates }]) => !mutates)
  expect(Object.keys(inputs).sort()).toEqual(reads.map(([name]) => name).sort())
  const heads = () => runtime.log.streams({ limit: 100 })
  const before = heads()
  for (const [name, input] of Object.entries(inputs)) {
    for (const body of [{ input }, { input, command_id: `cmd_${name}` }]) {
      const outcome = await runtime.execute(name, body)
      if (!outcome.ok)
        expect({ name, refusal: outcome.refusal }).toMatchObject({ refusal: { code: "unavailable" } })
      expect({ name, done: outcome.ok }).toEqual({
        name,
        done: (runtime.commands as readonly string[]).includes(name),
      })
    }
  }
  expect(heads()).toEqual(before)
})
