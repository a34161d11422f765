import { existsSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { builtinTools } from "../../src/adapters/tools/index.ts"
import { type Runtime, speaker, type World } from "../../src/index.ts"
import {
  done,
  ends,
  facts,
  openRuntime,
  refused,
  submit,
  temporaryDirectory,
  types,
  until,
} from "../harness.ts"
import { linesModel, of } from "../loop/given.ts"
import { realSandbox } from "./given.ts"

/** A turn in which one tool is called, with the real ones and a folder of its own. */
async function turnWith(tool: string, args: Record<string, unknown>) {
  const root = realpathSync(temporaryDirectory())
  const sandbox = await realSandbox()
  const agent = (world: World) => ({
    ...speaker,
    tools: builtinTools(world),
    policy: { version: "1", mode: "full" as const, rules: [] },
    workspace: { cwd: root, roots: [root] },
    boundary: { profile: "workspace_write", network: "none" } as const,
  })
  const { model } = linesModel([{ calls: [{ id: "p", tool, args }] }, { text: "Done." }])
  const opened = await openRuntime(model, { sandbox, agent })
  const { session_id } = await submit(opened.runtime, "Go")
  const seen = await until(opened.runtime, session_id, ends("turn.completed"))
  return { ...opened, session_id, seen, root }
}

/** A process that goes on and keeps what is typed. */
async function typewriter(long_lived = true) {
  const turn = await turnWith("process_start", { command: "cat > typed", long_lived, wait_ms: 0 })
  const process_id = String(of(turn.seen, "process.started")[0]?.payload.process_id)
  const path = join(turn.root, "typed")
  const typed = () => (existsSync(path) ? readFileSync(path, "utf8") : "")
  const typedIs = (text: string) => vi.waitUntil(() => typed() === text, { timeout: 20_000 })
  return { ...turn, process_id, typed, typedIs }
}

const full = { ok: false, code: "write_failed", reason: "database or disk is full" } as const
const inputs = (runtime: Runtime, session_id: string) => of(facts(runtime, session_id), "process.input")

describe("write_process_stdin under one command_id", () => {
  it("[RT-CMD-4] sent many times at once and again after a restart, it is written once", async () => {
    const { runtime, directory, session_id, process_id, typed, typedIs } = await typewriter()
    const write = (input: string) => ({ command_id: "w1", input: { process_id, input } })
    const all = await Promise.all(
      Array.from({ length: 8 }, () => runtime.execute("write_process_stdin", write("once\n"))),
    )
    const first = { ok: true, result: { process_id, bytes: 5 } }
    expect(all).toEqual(Array.from({ length: 8 }, () => first))
    await typedIs("once\n")
    expect(inputs(runtime, session_id)).toHaveLength(1)
    const altered = await refused(runtime, "write_process_stdin", write("other\n"))
    expect(altered).toMatchObject({ code: "conflict", field: "command_id" })
    await runtime.close()

    const again = await openRuntime(linesModel([]).model, { directory })
    expect(await again.runtime.execute("write_process_stdin", write("once\n"))).toEqual(first)
    expect(inputs(again.runtime, session_id)).toHaveLength(1)
    expect(typed()).toBe("once\n")
  })

  it("[RT-CMD-4] another input under an id that is under way is a conflict", async () => {
    const { runtime, process_id, typedIs } = await typewriter()
    const write = (input: string) =>
      runtime.execute("write_process_stdin", { command_id: "w1", input: { process_id, input } })
    const [first, second] = await Promise.all([write("a\n"), write("b\n")])
    expect(first).toMatchObject({ ok: true })
    expect(second).toMatchObject({ ok: false, refusal: { code: "conflict" } })
    await typedIs("a\n")
  })

  it("[RT-CMD-4] on a full disk nothing is written, and with room again it is", async () => {
    const { runtime, store, process_id, typedIs } = await typewriter()
    const body = { command_id: "w1", input: { process_id, input: "x\n" } }
    vi.spyOn(store.log, "append").mockResolvedValueOnce(full)
    expect(await refused(runtime, "write_process_stdin", body)).toMatchObject({
      code: "write_failed",
      message: "Nothing was written: database or disk is full.",
    })
    expect(await runtime.execute("write_process_stdin", body)).toMatchObject({ ok: true })
    await typedIs("x\n")
  })

  it("[RT-CMD-4] when its answer could not be kept, a repeat says so and writes nothing", async () => {
    const { runtime, store, process_id, typedIs } = await typewriter()
    const body = { command_id: "w1", input: { process_id, input: "x\n" } }
    const { append } = store.log
    const answers = (batch: Parameters<typeof append>[0]) =>
      batch.claims?.some(({ key }) => key === "command:w1") === true
    const spy = vi
      .spyOn(store.log, "append")
      .mockImplementation((batch) =>
        answers(batch) ? Promise.resolve(full) : Reflect.apply(append, store.log, [batch]),
      )
    expect(await refused(runtime, "write_process_stdin", body)).toMatchObject({
      code: "write_failed",
      message: "The process was told, but that could not be recorded: database or disk is full.",
    })
    spy.mockRestore()
    expect(await refused(runtime, "write_process_stdin", body)).toMatchObject({
      code: "conflict",
      message: "This was begun before; whether the input reached the process is not known.",
    })
    await done(runtime, "write_process_stdin", { process_id, input: "y\n" })
    await typedIs("x\ny\n")
  })
})

describe("terminate_process under one command_id", () => {
  it("[RT-CMD-4] sent many times at once, all have the first answer", async () => {
    const { runtime, session_id, process_id } = await typewriter()
    const body = { command_id: "t1", input: { process_id, reason: "enough" } }
    const all = await Promise.all(Array.from({ length: 4 }, () => runtime.execute("terminate_process", body)))
    expect(all[0]).toMatchObject({ ok: true, result: { outcome: "terminated" } })
    for (const one of all) expect(one).toEqual(all[0])
    expect(await runtime.execute("terminate_process", body)).toEqual(all[0])
    const after = await until(runtime, session_id, ends("process.terminated"))
    expect(of(after, "process.terminated")).toHaveLength(1)
  })
})

it("[RT-STAT-13] a turn is completed after its process has ended, unless that may outlive it", async () => {
  const bound = types((await typewriter(false)).seen)
  expect(bound).toContain("process.terminated")
  expect(bound.indexOf("process.terminated")).toBeLessThan(bound.indexOf("turn.completed"))
  expect(types((await typewriter()).seen)).not.toContain("process.terminated")
})

it("[RT-STAT-12] a call that runs out of time ends as such, names its limit, and does not end the turn", async () => {
  const { seen } = await turnWith("shell", { command: "sleep 600", time_limit_ms: 300 })
  expect(of(seen, "tool.failed").map(({ payload }) => payload)).toMatchObject([
    { category: "time_limit", message: expect.stringMatching(/\b300 ms\b/) },
  ])
})
