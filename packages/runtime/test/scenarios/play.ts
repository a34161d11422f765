import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Kept, normalised, type Played, type Step, shown } from "@factum/conformance"
import { type Envelope, idPrefixes } from "@factum/facts"
import { mcpTools } from "../../src/adapters/mcp/index.ts"
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts"
import {
  type Agent,
  type Clock,
  createRuntime,
  type Ids,
  type PipelineSpec,
  type Runtime,
  speaker,
  type World,
} from "../../src/index.ts"
import { restore } from "../../src/journal.ts"
import { offerOf, patience } from "../../src/routing/index.ts"
import { openSandbox } from "../../src/sandbox/sandbox.ts"
import { scriptModel } from "./model.ts"
import { hooksOf, mcpOf, toolsOf } from "./tools.ts"

const beginning = Date.parse("2026-01-01T00:00:00.000Z")
const session_id = "ses_scenario"
const stepLimitMs = 20_000

export type Run = Played & {
  /** As they were recorded, by session. */
  streams: Readonly<Record<string, readonly Envelope[]>>
  /** What the runtime itself showed of each session at the end. */
  live: Readonly<Record<string, unknown>>
  defects: readonly unknown[]
}

/** Plays a scenario on the real runtime: a real store, real tools, a clock and ids that are always the same. */
export async function play(kept: Kept): Promise<Run> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "factum-scenario-")))
  const workspace = join(directory, "workspace")
  try {
    for (const [name, text] of Object.entries({ ...kept.scenario.files, ".keep": "" })) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true })
      writeFileSync(join(workspace, name), text)
    }
    return await inPlace(kept, join(directory, "store"), workspace)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function inPlace(kept: Kept, directory: string, workspace: string): Promise<Run> {
  const time = { now: beginning }
  const clock: Clock = { now: () => time.now }
  const ids = countingIds()
  const defects: unknown[] = []
  const sandbox = await openSandbox()
  const mcp = mcpTools(mcpOf(kept), { retry_ms: [] })
  const agent = agentOf(kept, workspace, mcp)
  const whoIs = (system: string) => (system.startsWith("You sum up") ? "summary" : agentWhoIs(system))
  const agentWhoIs = (system: string) =>
    Object.entries(kept.scenario.delegates).find(([, words]) => system.includes(words))?.[0] ?? "main"
  const { most_requests, budgets, price } = kept.scenario
  const priced = price === undefined ? {} : { price: { currency: "USD", version: "scenario", ...price } }
  const models = ["first", ...kept.scenario.fallbacks].map((name) => ({
    ...offerOf(scriptModel(name, kept.lines, whoIs)),
    ...priced,
  }))
  const [first] = models
  if (first?.via === undefined) throw new Error("a scenario has a model")
  const { via } = first
  const most = { name: "requests", unit: "requests", max: most_requests ?? 0, per: "session" } as const
  const limits = [...(most_requests === undefined ? [] : [most]), ...budgets].map(({ name, ...limit }) => ({
    limit: name,
    kind: "budget" as const,
    ...limit,
  }))

  async function open(): Promise<Runtime> {
    const store = await openSqliteStore(directory)
    if (!store.ok) throw new Error(store.message)
    const parts = { store, model: via, models, limits: () => limits, agent, sandbox, clock, ids }
    const patient = { ...patience, tries: kept.scenario.tries }
    return createRuntime({ ...parts, patience: patient, onDefect: (error) => defects.push(error) })
  }
  let runtime = await open()
  let turns = 0
  for (const step of kept.scenario.person) {
    if ("say" in step) turns++
    if ("advance_ms" in step) time.now += step.advance_ms
    else if ("restart" in step) {
      await runtime.close()
      runtime = await open()
    } else await take(runtime, step, turns)
  }
  await rest(runtime, turns)
  const sessions = [session_id, ...childrenOf(factsOf(runtime, session_id))]
  const streams = Object.fromEntries(sessions.map((id) => [id, factsOf(runtime, id)]))
  const live = Object.fromEntries(sessions.map((id) => [id, shown(restore(runtime.log, id).state)]))
  await runtime.close()
  await mcp.close()
  const varying = { workspace, node: process.execPath }
  return {
    log: Object.values(streams).flatMap((facts) => facts.map((fact) => normalised(fact, varying))),
    snapshot: normalised(live, varying),
    streams,
    live,
    defects,
  }
}

function agentOf(kept: Kept, workspace: string, mcp: ReturnType<typeof mcpTools>) {
  const { mode, rules, protocol, pipelines, delegates, window } = kept.scenario
  const failures = new Map<string, number>()
  let tools: ReturnType<typeof toolsOf> | undefined
  return async (world: World): Promise<Agent> => {
    tools ??= toolsOf(kept.scenario, world, failures)
    await mcp.ready
    return {
      ...speaker,
      protocol,
      tools: [...tools, ...mcp.tools()],
      hooks: hooksOf(kept),
      pipelines: pipelines as unknown as PipelineSpec[],
      delegates: Object.entries(delegates).map(([name, instructions]) => ({
        name,
        instructions,
        description: `The agent ${name}.`,
        capabilities: [],
        protocol: false,
        rules: [],
      })),
      policy: {
        version: "1",
        mode,
        rules: rules.map(({ effect, tool, match }) => ({
          effect,
          tool,
          layer: "user",
          ...(match === undefined ? {} : { match }),
        })),
      },
      workspace: { cwd: workspace, roots: [workspace] },
      boundary: { profile: "workspace_write", network: "none" },
      ...(window === undefined ? {} : { window }),
    }
  }
}

function countingIds(): Ids {
  const counts = new Map<string, number>()
  return {
    next(kind) {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return `${idPrefixes[kind]}_${String(count).padStart(4, "0")}`
    },
  }
}

type Doing = Exclude<Step, { advance_ms: number } | { restart: true }>

async function take(runtime: Runtime, step: Doing, turns: number): Promise<void> {
  if ("say" in step) {
    const where = turns === 1 ? { create: "session", session_id } : { session_id }
    return command(runtime, "submit_turn", { ...where, input: text(step.say) })
  }
  if ("steer" in step)
    return command(runtime, "submit_turn", { session_id, when: "steer", input: text(step.steer) })
  if ("until" in step) {
    const { until, count, phase } = step
    const wanted = ({ type, payload }: Envelope) =>
      type === until && (phase === undefined || payload.phase === phase)
    return follow(runtime, (facts) => facts.filter(wanted).length >= count)
  }
  if ("interrupt" in step) return command(runtime, "interrupt_turn", { session_id, reason: step.interrupt })
  const facts = factsOf(runtime, session_id)
  if ("take_out" in step) {
    const waits = facts.findLast(({ payload }) => payload.queued_turn_id !== undefined)
    const { queued_turn_id } = waits?.payload ?? {}
    return command(runtime, "remove_queued_turn", {
      session_id,
      thread_id: waits?.thread_id,
      queued_turn_id,
    })
  }
  if ("roll_back_to" in step) {
    const turns = facts.filter(({ type }) => type === "turn.submitted")
    const turn_id = turns[step.roll_back_to - 1]?.turn_id ?? null
    const place = { session_id, thread_id: turns[0]?.thread_id, turn_id }
    return command(runtime, "x-factum.roll_back_thread", { ...place, reason: step.reason })
  }
  if ("stdin" in step) {
    const process_id = facts.findLast(({ type }) => type === "process.started")?.payload.process_id
    return command(runtime, "write_process_stdin", { process_id, input: step.stdin })
  }
  const settled = new Set(
    facts.filter(({ type }) => type === "action.resolved").map(({ action_id }) => action_id),
  )
  const action_id = facts.find(
    ({ type, action_id }) => type === "action.required" && !settled.has(action_id),
  )?.action_id
  const { answer: decision, payload, note } = step
  const more = { ...(payload === undefined ? {} : { payload }), ...(note === undefined ? {} : { note }) }
  await command(runtime, "respond_action", { session_id, action_id, decision, ...more })
}

const text = (words: string) => [{ kind: "text", text: words }]

async function command(runtime: Runtime, name: string, input: object): Promise<void> {
  const outcome = await runtime.execute(name, { input })
  if (!outcome.ok) throw new Error(`${name}: ${JSON.stringify(outcome.refusal)}`)
}

/** Until all turns have ended or stand still, and no process or child is open. */
function rest(runtime: Runtime, turns: number): Promise<void> {
  return follow(runtime, (facts) => {
    const count = (...types: string[]) => facts.filter(({ type }) => types.includes(type)).length
    const phase = facts.findLast(({ type }) => type === "run.status")?.payload.phase
    const ended = count("turn.completed", "turn.failed") >= turns || phase === "blocked"
    const processes =
      count("process.started") <= count("process.completed", "process.failed", "process.terminated")
    return ended && processes && count("subagent.spawned") <= count("subagent.closed")
  })
}

async function follow(runtime: Runtime, satisfied: (facts: readonly Envelope[]) => boolean): Promise<void> {
  const stop = AbortSignal.timeout(stepLimitMs)
  for await (const _ of runtime.log.tail(session_id, 0, stop))
    if (satisfied(factsOf(runtime, session_id))) return
  const types = factsOf(runtime, session_id).map(({ type }) => type)
  throw new Error(`nothing more happened after ${types.slice(-12).join(" ")}`)
}

function factsOf({ log }: Runtime, stream: string): Envelope[] {
  return log.read(stream, 0, 10_000).map(({ text }) => JSON.parse(text) as Envelope)
}

const childrenOf = (facts: readonly Envelope[]): string[] =>
  facts.flatMap(({ type, payload }) =>
    type === "subagent.spawned" ? [String(payload.child_session_id)] : [],
  )
