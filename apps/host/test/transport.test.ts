import { createClient } from "@factum/client"
import { type CommandInput, type CommandName, commands } from "@factum/facts"
import { type Clock, type Ids, speaker, systemIds } from "@factum/runtime"
import { openSandbox } from "@factum/runtime/sandbox"
import { builtinTools } from "@factum/runtime/tools"
import { expect, it, onTestFinished } from "vitest"
import { command, saying } from "./asking.ts"
import { factOf, type Hosting, startTestHost, type TestHost, temporaryDirectory, token } from "./hosting.ts"
import { asking, writer } from "./writer.ts"

const clock: Clock = { now: () => 1_700_000_000_000 }

/** Ids that are the same in every run. */
function countedIds(): Ids {
  let count = 0
  const prefixes = systemIds(clock)
  return { next: (kind) => `${prefixes.next(kind).slice(0, 3)}_${++count}` }
}

type Execute = (name: string, input: Record<string, unknown>) => Promise<unknown>

const inProcess =
  (host: TestHost): Execute =>
  async (name, input) => {
    const outcome = await host.runtime.execute(name, { input }, { id: "owner", name: "owner" })
    return outcome.ok ? { ok: true, result: outcome.result } : outcome
  }
const overHttp =
  (host: TestHost): Execute =>
  async (name, input) =>
    (await command(host.url, name, input)).json

/** What a test sends on purpose does not fit the types that the client has for it. */
const byClient =
  (host: TestHost): Execute =>
  (name, input) =>
    createClient({ url: host.url, token }).command(name as CommandName, input as CommandInput<CommandName>)

it("[RT-CMD-2] the same commands give the same results and the same facts in process and over HTTP", async () => {
  const here = await played(inProcess)
  expect(here.facts.length).toBeGreaterThan(30)
  expect(here.answered).toEqual(new Set(Object.keys(commands)))
  expect(await played(overHttp)).toEqual(here)
})

it("[RT-CMD-2] the same commands give the same results and the same facts through the client", async () => {
  expect(await played(byClient)).toEqual(await played(inProcess))
})

it("[RT-CMD-2] each command that is carried out is accepted in process, over HTTP and through the client, with equal logs", {
  timeout: 120_000,
}, async () => {
  const project = temporaryDirectory()
  onTestFinished(project.remove)
  const whole = async (way: Way) => {
    const first = await played(way)
    const { carriedOut } = first
    const plays = [first, await asProcess(way, project.path), await asHost(way)]
    const accepted = new Set(plays.flatMap((play) => [...play.accepted]))
    return {
      accepted: [...accepted].sort(),
      carriedOut,
      logs: plays.map(({ results, facts }) => ({ results, facts })),
    }
  }
  const here = await whole(inProcess)
  expect(here.accepted).toEqual(here.carriedOut)
  expect(here.accepted.length).toBeGreaterThan(10)
  expect(await whole(overHttp)).toEqual(here)
  expect(await whole(byClient)).toEqual(here)
})

type Way = (host: TestHost) => Execute

/** A host, and what was said to it and became of it, without what differs between two runs. */
async function observed(way: Way, hosting: Hosting) {
  const host = await startTestHost({ clock, ids: countedIds(), ...hosting })
  const results: unknown[] = []
  const accepted = new Set<string>()
  const execute = async (
    name: CommandName,
    input: Record<string, unknown>,
  ): Promise<Record<string, string>> => {
    const outcome = await way(host)(name, input)
    results.push({ name, outcome })
    if (isAccepted(outcome)) accepted.add(name)
    return (outcome as { result?: Record<string, string> }).result ?? {}
  }
  const end = async (session_id: string) => {
    const told: { type: string }[] = host.runtime.log
      .read(session_id, 0, 1000)
      .map(({ text }) => ({ ...JSON.parse(text), sequence: "any" }))
    await host.stop()
    // A process tells of itself when it likes, beside what is told of commands.
    const [own = [], others = []] = [true, false].map((is) =>
      told.filter(({ type }) => type.startsWith("process.") === is),
    )
    return { ...comparable({ results, facts: [...others, ...own] }), accepted }
  }
  return { host, execute, end }
}

const isAccepted = (outcome: unknown): boolean =>
  typeof outcome === "object" && outcome !== null && "ok" in outcome && outcome.ok === true

/** Which id came when, and not which it is; the number that the system gave a process is its own. */
function comparable<T>(seen: T): T {
  const names = new Map<string, string>()
  const text = JSON.stringify(seen, (key, value) =>
    key === "os" || key === "duration_ms" ? undefined : value,
  )
  return JSON.parse(
    text.replaceAll(/\b[a-z]{3}_\d+\b/g, (id) => {
      const name = names.get(id) ?? `${id.slice(0, 3)}_${names.size}`
      names.set(id, name)
      return name
    }),
  )
}

/** A program that goes on after its turn is spoken to, and ended. */
async function asProcess(way: Way, cwd: string) {
  const sandbox = await openSandbox({ hidden: [] })
  const started = { command: "cat", long_lived: true, wait_ms: 0 }
  const { host, execute, end } = await observed(way, {
    sandbox,
    model: writer("process_start", started),
    agent: (world) => ({
      ...speaker,
      tools: builtinTools(world),
      policy: {
        version: "1",
        mode: "ask",
        rules: [{ layer: "host", effect: "allow", tool: "process_start" }],
      },
      workspace: { cwd, roots: [cwd] },
    }),
  })
  const { session_id = "", thread_id = "" } = await execute("submit_turn", {
    create: "session",
    input: saying("Start it"),
  })
  await factOf(host, session_id, "turn.completed")
  const { payload } = await factOf<{ payload: { process_id: string } }>(host, session_id, "process.started")
  const { process_id } = payload
  await execute("write_process_stdin", { process_id, input: "hello\n" })
  await factOf(host, session_id, "process.output")
  await execute("terminate_process", { process_id, reason: "enough" })
  await factOf(host, session_id, "process.terminated")
  await execute("get_execution_environment", { session_id, thread_id })
  const summary = { text: "ls -l", whole: true }
  const operation = { kind: "process", name: "shell", digest: `sha256:${"0".repeat(64)}`, summary }
  await execute("evaluate_permission", { session_id, operation })
  return end(session_id)
}

/** What waits for the host is decided by it. */
async function asHost(way: Way) {
  const agent = () => ({ ...asking(), decided_by: "host" as const })
  const { host, execute, end } = await observed(way, { model: writer(), agent })
  const { session_id = "" } = await execute("submit_turn", { create: "session", input: saying("Write") })
  type Requested = { payload: { request_id: string } }
  const { payload } = await factOf<Requested>(host, session_id, "permission.requested")
  await factOf(host, session_id, "action.required")
  const { request_id } = payload
  await execute("resolve_permission", {
    request_id,
    decision: "allow",
    authority: { kind: "host", id: "ci" },
  })
  await factOf(host, session_id, "turn.completed")
  return end(session_id)
}

async function played(way: Way) {
  const host = await startTestHost({ clock, ids: countedIds(), model: writer(), agent: asking })
  const results: unknown[] = []
  const answered = new Set<string>()
  const accepted = new Set<string>()
  const execute = async <R = Record<string, string>>(
    name: string,
    input: Record<string, unknown>,
  ): Promise<R> => {
    const outcome = await way(host)(name, input)
    results.push({ name, outcome })
    if (name in commands) answered.add(name)
    if (name in commands && isAccepted(outcome)) accepted.add(name)
    return (outcome as { result?: R }).result as R
  }
  try {
    const first = await execute("submit_turn", { create: "session", input: saying("hello") })
    const { session_id = "", thread_id = "" } = first
    const { action_id = "" } = await factOf<{ action_id: string }>(host, session_id, "action.required")
    const later = await execute("submit_turn", { session_id, thread_id, input: saying("one") })
    await execute("submit_turn", { session_id, thread_id, input: saying("two") })
    const { queued_turn_id } = later
    await execute("promote_queued_turn", { session_id, thread_id, queued_turn_id })
    await execute("remove_queued_turn", { session_id, thread_id, queued_turn_id })
    const opened = await host.runtime.channels.open({
      session_id,
      kind: "test",
      native_peer_id: "p",
      resume_token: "t",
    })
    const channel_id = opened.ok ? opened.result.channel_id : ""
    await execute("ack_events", { channel_id, cursor: 9 })
    await execute("reconnect_channel", { channel_id, cursor: 9, resume_token: "t" })
    await execute("reconnect_channel", { channel_id, cursor: 9, resume_token: "false" })
    await execute("get_session", { session_id })
    await execute("get_thread_read", { session_id, thread_id })
    await execute("get_tool_inventory", { session_id, caller: "main", policy: "1", mode: "ask" })
    await execute("respond_action", { action_id, decision: "perhaps" })
    await execute("respond_action", { action_id, decision: "allow" })
    await factOf(host, session_id, "turn.completed", 2)
    await execute("respond_action", { action_id, decision: "deny" })
    await execute("interrupt_turn", { session_id, reason: "enough" })
    // Every command of the table, with too little and with ids that are not known.
    for (const name of Object.keys(commands) as CommandName[]) {
      await execute(name, {})
      await execute(name, { ...strangers, session_id, thread_id })
    }
    await execute("fly", {})
    await execute("x-factum.compact_thread", { session_id, thread_id, by: "extract" })
    await factOf(host, session_id, "context.compaction.completed")
    await execute("submit_turn", { session_id, input: saying("More"), when: "steer" })
    await execute("x-factum.roll_back_thread", { session_id, thread_id, turn_id: null, reason: "anew" })
    await execute("resume_thread", { session_id, thread_id, resume_token: "none" })
    await execute("resume_thread", { session_id, thread_id })
    const facts = host.runtime.log.read(session_id, 0, 1000).map(({ text }) => JSON.parse(text))
    const carriedOut = [...host.runtime.commands].sort()
    return {
      results,
      answered,
      accepted,
      carriedOut,
      facts,
      heads: host.runtime.log.streams({ limit: 100 }).length,
    }
  } finally {
    await host.stop()
  }
}

const strangers = {
  action_id: "act_none",
  task_id: "tsk_none",
  process_id: "prc_none",
  job_id: "job_none",
  channel_id: "chn_none",
  subagent_id: "sub_none",
  queued_turn_id: "qtn_none",
  turn_id: "trn_none",
}
