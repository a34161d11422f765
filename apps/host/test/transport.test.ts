import { createClient } from "@factum/client"
import { type CommandInput, type CommandName, commands } from "@factum/facts"
import { type Clock, type Ids, systemIds } from "@factum/runtime"
import { expect, it } from "vitest"
import { command, saying } from "./asking.ts"
import { factOf, startTestHost, type TestHost, token } from "./hosting.ts"
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

async function played(way: (host: TestHost) => Execute) {
  const host = await startTestHost({ clock, ids: countedIds(), model: writer(), agent: asking })
  const results: unknown[] = []
  const answered = new Set<string>()
  const execute = async <R = Record<string, string>>(
    name: string,
    input: Record<string, unknown>,
  ): Promise<R> => {
    const outcome = await way(host)(name, input)
    results.push({ name, outcome })
    if (name in commands) answered.add(name)
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
    return { results, answered, facts, heads: host.runtime.log.streams({ limit: 100 }).length }
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
