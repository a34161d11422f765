import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import {
  createRuntime,
  type FactLog,
  type Model,
  type ModelCall,
  type ModelChunk,
  type Runtime,
  speaker,
  type Tool,
} from "@factum/runtime"
import { openSqliteStore, type SqliteStore } from "@factum/runtime/sqlite"
import { afterwards, type Instrument, type Line, type Scenario, scenarios } from "./crash-matrix-scenarios.ts"

// One life: opens the store, does what is left of the scenario, and kills itself at the point that was asked for.
export type Life = { directory: string; scenario: string; life: number; kill?: number }
export type LifeReport = { points: number; defects: string[]; missing_blobs: string[] }

const { directory, scenario: name, life, kill } = JSON.parse(process.argv[2] ?? "") as Life
const scenario: Scenario = scenarios[name] ?? { turns: [], tools: {}, says: {} }
const session_id = "ses_matrix"
const defects: string[] = []
let points = 0

/** A place where a process may die. Nothing may follow, not even what other threads would still do for this one. */
function point(): void {
  if (++points !== kill) return
  process.kill(process.pid, "SIGKILL")
  for (;;);
}

/** What happened outside of the store, for good. */
function note(file: string, line: unknown): void {
  const fd = openSync(join(directory, file), "a")
  writeSync(fd, `${JSON.stringify(line)}\n`)
  fsyncSync(fd)
  closeSync(fd)
}

function watched(log: FactLog): FactLog {
  return new Proxy(log, {
    get(target, key) {
      if (key === "append")
        return (batch: Parameters<FactLog["append"]>[0]) => around(() => log.append(batch))
      if (key === "saveState")
        return (state: Parameters<FactLog["saveState"]>[0]) => around(() => log.saveState(state))
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
}

async function around<T>(write: () => Promise<T>): Promise<T> {
  point()
  const done = await write()
  point()
  return done
}

let effectSeen = (_: string) => {}

function toolOf(tool: string, instrument: Instrument): Tool {
  const { effect, reads, fails, endless, large, asks } = instrument
  const decisions = [{ id: "allow", label: "Yes", effect: "allow" as const }]
  return {
    name: tool,
    description: `The tool ${tool}.`,
    owner: "builtin",
    input_schema: { type: "object" },
    effect,
    side_effects: reads === true ? ["read"] : ["write"],
    capabilities: [],
    check: () => [],
    touches: async () => [],
    ...(asks === true
      ? { asks: () => ({ action_type: "structured_input" as const, title: "Which?", detail: "", decisions }) }
      : {}),
    async run(_, { key, attempt, signal }) {
      point()
      note("effects.jsonl", { tool, key, attempt, life })
      point()
      effectSeen(tool)
      if (endless === true && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
      if (fails === true) return { ok: false, category: "tool_error", message: "It cannot be done." }
      return { ok: true, output: large === undefined ? `${tool} done` : `${tool} ${"x".repeat(large)}` }
    },
  }
}

/** Speaks by what it is told alone, as a model does: a new process changes nothing. */
const model: Model = {
  provider: "matrix",
  name: "matrix",
  async *stream(call): AsyncIterable<ModelChunk> {
    if (call.system?.startsWith("You sum up") === true) return yield* summary()
    const { text, round, told } = heard(call)
    note("told.jsonl", { life, text, round, told })
    const said: Line = scenario.says[text]?.[round] ?? { text: "Done." }
    const run_id = [...told.matchAll(/run_id: `(req_\w+)`/g)].at(-1)?.[1] ?? ""
    if (said.text !== undefined) yield { kind: "text", part_id: "a", text: said.text.replace("$RUN", run_id) }
    for (const { id, tool, args = {} } of said.calls ?? [])
      yield { kind: "tool_call", part_id: id, call_id: id, tool, arguments: JSON.stringify(args) }
    const finish = said.calls === undefined ? "stop" : "tool_calls"
    yield { kind: "finish", finish, usage: { input_tokens: 1, output_tokens: 1 } }
  },
}

async function* summary(): AsyncIterable<ModelChunk> {
  if (scenario.summary === "fails") {
    yield { kind: "error", category: "provider_error", reason: "it cannot", retryable: false }
    return
  }
  yield { kind: "text", part_id: "s", text: "Some work was done." }
  yield { kind: "finish", finish: "stop", usage: { input_tokens: 1, output_tokens: 1 } }
}

/** What the person said last, how often the model has spoken since, and all that it is told. */
function heard({ messages }: ModelCall): { text: string; round: number; told: string } {
  const told = JSON.stringify(messages)
  if (scenario.protocol === true) {
    const turns = String(messages[0]?.parts).split(/<turn index="\d+">\n/)
    const asked = turns.findLastIndex((turn) => turn.startsWith("## User request"))
    const text = /^## User request\n\n(.*)$/m.exec(turns[asked] ?? "")?.[1] ?? ""
    return { text, round: turns.length - 1 - asked, told }
  }
  const asked = messages.findLastIndex(({ role }) => role === "user")
  const [part] = messages[asked]?.parts ?? []
  const text = typeof part === "object" && part.kind === "text" ? part.text : ""
  const spoken = messages.slice(asked).filter(({ role }) => role === "assistant").length
  return { text, round: spoken + summedUp(text, messages[0]?.parts), told }
}

/** How many answers to it are no longer told but by the receipts of their calls. */
function summedUp(text: string, first: unknown): number {
  if (typeof first !== "string") return 0
  const lines = scenario.says[text] ?? []
  return lines.filter(
    ({ calls = [] }) => calls.length > 0 && calls.every(({ tool }) => first.includes(`- ${tool} `)),
  ).length
}

const store = await openSqliteStore(join(directory, "store"))
if (!store.ok) throw new Error(store.message)
const runtime = await createRuntime({
  store: { ...store, log: watched(store.log) },
  model,
  agent: () => ({
    ...speaker,
    protocol: scenario.protocol ?? false,
    ...(scenario.window === undefined ? {} : { window: { tokens: scenario.window, keep_tokens: 100 } }),
    tools: Object.entries(scenario.tools).map(([tool, instrument]) => toolOf(tool, instrument)),
    pipelines: Object.entries(scenario.pipelines ?? {}).map(([name, steps]) => ({
      name,
      description: name,
      steps: steps.map((tool) => ({ id: tool, tool, input: {}, on_failure: "abort" as const })),
    })),
    delegates: (scenario.delegate === undefined ? [] : [scenario.delegate]).map((agent) => ({
      name: agent,
      description: `The agent ${agent}.`,
      instructions: "",
      capabilities: [],
      protocol: false,
      rules: [],
    })),
    policy: { version: "1", mode: scenario.decision === undefined ? "full" : "ask", rules: [] },
  }),
  onDefect: (error) => defects.push(error instanceof Error ? (error.stack ?? error.message) : String(error)),
})
await live(runtime)
const missing_blobs = missingBlobs(store)
await runtime.close()
const report: LifeReport = { points, defects, missing_blobs }
console.log(JSON.stringify(report))

/** A person who sends again what was not answered, answers what is asked, and waits until nothing moves. */
async function live(runtime: Runtime): Promise<void> {
  const ended = new Map<string, () => void>()
  const ends = (turn_id: string) => new Promise<void>((resolve) => ended.set(turn_id, resolve))
  const seen = new Set<string>()
  const waiting = new Set<string>()
  void follow()

  /** Whether it was carried out. */
  async function command(
    name: string,
    about: string,
    input: object,
    mayBe = "already_resolved",
  ): Promise<boolean> {
    const command_id = `cmd_${name}_${about}`
    const outcome = await runtime.execute(name, { command_id, input })
    if (!outcome.ok && outcome.refusal.code !== mayBe)
      defects.push(`${name} was refused: ${JSON.stringify(outcome.refusal)}`)
    if (outcome.ok) note("acknowledged.jsonl", { command_id, name, input, result: outcome.result })
    return outcome.ok
  }
  let sumsUp = () => {}
  const summed = new Promise<void>((resolve) => {
    sumsUp = resolve
  })
  async function follow() {
    for await (const page of runtime.log.tail(session_id, 0, new AbortController().signal)) {
      for (const { text } of page) {
        const fact = JSON.parse(text) as { type: string; turn_id?: string; action_id?: string }
        if (fact.type === "turn.completed" || fact.type === "turn.failed") {
          seen.add(fact.turn_id ?? "")
          ended.get(fact.turn_id ?? "")?.()
        }
        if (/context\.compaction\.(completed|failed)/.test(fact.type)) sumsUp()
        if (fact.type === "action.required") waiting.add(fact.action_id ?? "")
        if (fact.type === "action.resolved") waiting.delete(fact.action_id ?? "")
      }
      for (const action_id of waiting) void answer(action_id)
    }
  }
  async function answer(action_id: string) {
    waiting.delete(action_id)
    if (life >= (scenario.answers_from ?? 1)) {
      await command("respond_action", action_id, { action_id, decision: scenario.decision })
      return
    }
    note("unanswered.jsonl", { action_id })
    process.kill(process.pid, "SIGKILL")
  }
  async function ending(turn_id: string): Promise<void> {
    if (!seen.has(turn_id)) await ends(turn_id)
  }
  function say(turn_id: string, text: string): Promise<boolean> {
    const where = turn_id === "trn_0" ? { session_id, create: "session" } : { session_id }
    return command("submit_turn", turn_id, { ...where, turn_id, input: [{ kind: "text", text }] })
  }

  /** Too late for the turn, it is no input for it: that is said, and nothing is kept. */
  async function steer(text: string): Promise<void> {
    const input = { session_id, turn_id: "trn_0", when: "steer", input: [{ kind: "text", text }] }
    const command_id = "cmd_steer"
    const outcome = await runtime.execute("submit_turn", { command_id, input })
    if (outcome.ok) note("acknowledged.jsonl", { command_id, name: "steer", input, result: outcome.result })
    else if (outcome.refusal.code !== "wrong_state")
      defects.push(`steer was refused: ${JSON.stringify(outcome.refusal)}`)
  }
  async function toThread(what: "sum up" | "roll back"): Promise<void> {
    const [thread_id = ""] = threadIds()
    const place = { session_id, thread_id }
    if (what === "roll back") {
      await command("x-factum.roll_back_thread", "back", { ...place, turn_id: null, reason: "anew" })
      return
    }
    // A turn that was cut before the model spoke leaves nothing to sum up.
    if (await command("x-factum.compact_thread", "sum", place, "wrong_state")) await summed
  }
  const threadIds = () =>
    runtime.log
      .read(session_id, 0, 4)
      .flatMap(({ text }) => (JSON.parse(text) as { thread_id?: string }).thread_id ?? [])

  const turns = scenario.turns.map((text, at) => ({ text, turn_id: `trn_${at}` }))
  const touched = new Promise<void>((resolve) => {
    effectSeen = (tool) => {
      if (tool === scenario.interrupts || tool === scenario.steers?.at) resolve()
    }
  })
  for (const { turn_id, text } of turns) await say(turn_id, text)
  if (scenario.interrupts !== undefined) {
    await Promise.race([touched, ending("trn_0")])
    await command("interrupt_turn", "trn_0", { session_id, turn_id: "trn_0", reason: "enough" })
  }
  if (scenario.steers !== undefined) {
    await Promise.race([touched, ending("trn_0")])
    await steer(scenario.steers.text)
  }
  for (const { turn_id } of turns) await ending(turn_id)
  if (scenario.finally !== undefined) await toThread(scenario.finally)
  if (life === 1) return
  await say(`trn_life${life}`, afterwards)
  await ending(`trn_life${life}`)
}

/** What the facts refer to must be there. */
function missingBlobs({ log, blobs }: Pick<SqliteStore, "log" | "blobs">): string[] {
  const digests = log
    .read(session_id, 0, 10_000)
    .flatMap(({ text }) => [...text.matchAll(/"blob:(sha256:[0-9a-f]+)"/g)].map((match) => match[1] ?? ""))
  return [...new Set(digests)].filter((digest) => blobs.get(digest) === undefined)
}
