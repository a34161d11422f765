import { readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { builtinTools } from "../../src/adapters/tools/index.ts"
import { type Model, type ModelChunk, speaker, type World } from "../../src/index.ts"
import { patience } from "../../src/routing/index.ts"
import { openSandbox } from "../../src/sandbox/sandbox.ts"
import { done, ends, facts, openRuntime, submit, temporaryDirectory, until } from "../harness.ts"
import { linesModel, of, outputs } from "./given.ts"

const broken = "export const add = (a, b) => a - b\n"
const check = [
  'import assert from "node:assert"',
  'import { add } from "./add.mjs"',
  "assert.equal(add(2, 3), 5)",
  'console.log("all good")',
].join("\n")
const run = { id: "t", tool: "shell", args: { command: "node check.mjs" } }

async function workplace(mode: "ask" | "accept_edits" | "plan" | "full") {
  const root = realpathSync(temporaryDirectory())
  writeFileSync(join(root, "add.mjs"), broken)
  writeFileSync(join(root, "check.mjs"), check)
  const sandbox = await openSandbox()
  let tools: ReturnType<typeof builtinTools> | undefined
  const agent = (world: World) => {
    tools ??= builtinTools(world)
    return {
      ...speaker,
      tools,
      policy: { version: "1", mode, rules: [] },
      workspace: { cwd: root, roots: [root] },
      boundary: { profile: "workspace_write", network: "none" } as const,
    }
  }
  return { root, parts: { sandbox, agent } }
}

async function* fromOne(chunk: ModelChunk): AsyncIterable<ModelChunk> {
  yield chunk
}

describe("a coding session without a network", () => {
  it("reads, edits, asks before the test run, runs it really, and answers", async () => {
    const { root, parts } = await workplace("accept_edits")
    const edit = { path: "add.mjs", old_text: "a - b", new_text: "a + b" }
    const { model, calls } = linesModel([
      { text: "I read.", calls: [{ id: "r", tool: "read_file", args: { path: "add.mjs" } }] },
      { calls: [{ id: "e", tool: "edit_file", args: edit }] },
      { calls: [run] },
      { text: "It adds now, and the check passes." },
    ])
    const { runtime } = await openRuntime(model, parts)
    const { session_id } = await submit(runtime, "Mend add")
    const asked = await until(runtime, session_id, ends("action.required"))
    const { action_id, payload } = of(asked, "action.required")[0] ?? {}
    expect(payload).toMatchObject({ tool: "shell", action_type: "tool_approval" })
    expect(JSON.stringify(payload)).toContain("node check.mjs")
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(readFileSync(join(root, "add.mjs"), "utf8")).toBe("export const add = (a, b) => a + b\n")
    expect(outputs(calls[1])[0]).toContain("a - b")
    expect(outputs(calls[3])[0]).toContain("all good")
    expect(of(seen, "process.completed")[0]?.payload).toMatchObject({ exit_code: 0 })
    expect(of(seen, "sandbox.applied").at(-1)?.payload).toMatchObject({
      driver: "bubblewrap",
      in_force: true,
    })
  })

  it("[RT-SBX-2] a write outside of the workspace is a violation that fails the call and not the turn", async () => {
    const { parts } = await workplace("ask")
    const outside = { id: "o", tool: "shell", args: { command: "touch /usr/share/factum-was-here" } }
    const { model, calls } = linesModel([{ calls: [outside] }, { text: "I may not." }])
    const { runtime } = await openRuntime(model, parts)
    const { session_id } = await submit(runtime, "Try")
    const asked = await until(runtime, session_id, ends("action.required"))
    const action_id = of(asked, "action.required")[0]?.action_id
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "sandbox.violation")[0]?.payload).toMatchObject({ operation: "write" })
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "sandbox_violation" })
    expect(outputs(calls[1])[0]).toContain("sandbox_violation")
  })

  it("[RT-CMD-8] an interrupt ends the process of a running command, and its end is on record", async () => {
    const { parts } = await workplace("ask")
    const endless = { id: "s", tool: "shell", args: { command: "node -e 'setTimeout(() => {}, 6e5)'" } }
    const { model } = linesModel([{ calls: [endless] }])
    const { runtime } = await openRuntime(model, parts)
    const { session_id } = await submit(runtime, "Wait")
    const asked = await until(runtime, session_id, ends("action.required"))
    const action_id = of(asked, "action.required")[0]?.action_id
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    await until(runtime, session_id, ends("process.started"))
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    await until(runtime, session_id, ends("process.terminated"))
    expect(of(facts(runtime, session_id), "turn.failed")[0]?.payload).toMatchObject({ status: "cancelled" })
  })

  it("[RT-PROC-3] a process ends with its turn, also while a model is waited for", async () => {
    const { parts } = await workplace("full")
    const idle = { id: "p", tool: "process_start", args: { command: "sleep 600", wait_ms: 0 } }
    const { model } = linesModel([{ calls: [idle] }])
    const limit: ModelChunk = {
      kind: "error",
      category: "rate_limited",
      reason: "Too many requests.",
      retryable: true,
      retry_after_ms: 3_600_000,
    }
    let asked = 0
    const busy: Model = {
      ...model,
      stream: (call) => (asked++ === 0 ? model.stream(call) : fromOne(limit)),
    }
    const { runtime } = await openRuntime(busy, { ...parts, patience })
    const { session_id } = await submit(runtime, "Wait")
    await until(runtime, session_id, (seen) => ends("process.started")(seen) && ends("rate_limit.hit")(seen))
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    await until(runtime, session_id, ends("process.terminated"))
  })

  it("[RT-CMD-8] an interrupt ends a process that does not read what is written to it", async () => {
    const { parts } = await workplace("full")
    const idle = { id: "p", tool: "process_start", args: { command: "sleep 600", wait_ms: 0 } }
    const { model } = linesModel([
      { calls: [idle] },
      (call) => {
        const process_id = /prc_\w+/.exec(outputs(call)[0] ?? "")?.[0]
        return {
          calls: [{ id: "i", tool: "process_input", args: { process_id, input: "line\n".repeat(40_000) } }],
        }
      },
    ])
    const { runtime } = await openRuntime(model, parts)
    const { session_id } = await submit(runtime, "Wait")
    await until(runtime, session_id, (seen) =>
      of(seen, "tool.progress").some(({ payload }) => payload.attempt === 1 && ends("tool.result")(seen)),
    )
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    await until(runtime, session_id, ends("process.terminated"))
    await done(runtime, "submit_turn", { session_id, input: [{ kind: "text", text: "Go on" }] })
    await until(runtime, session_id, ends("turn.completed"))
  })

  it("[RT-CMD-41] terminate_process ends a long-lived process; again it answers with the known end", async () => {
    const { parts } = await workplace("ask")
    const server = {
      id: "p",
      tool: "process_start",
      args: { command: "node -e 'setTimeout(() => {}, 6e5)'", long_lived: true, wait_ms: 0 },
    }
    const { model } = linesModel([{ calls: [server] }, { text: "It runs." }])
    const { runtime } = await openRuntime(model, parts)
    const { session_id } = await submit(runtime, "Serve")
    const asked = await until(runtime, session_id, ends("action.required"))
    await done(runtime, "respond_action", {
      action_id: of(asked, "action.required")[0]?.action_id,
      decision: "allow",
    })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const process_id = of(seen, "process.started")[0]?.payload.process_id
    expect(of(seen, "process.terminated")).toEqual([])
    const first = await done(runtime, "terminate_process", { process_id, reason: "done" })
    expect(first).toMatchObject({ outcome: "terminated", status: "terminated" })
    await until(runtime, session_id, ends("process.terminated"))
    expect(await done(runtime, "terminate_process", { process_id, reason: "done" })).toMatchObject({
      outcome: "no_op",
      status: "terminated",
    })
  })
})
