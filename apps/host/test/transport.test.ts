import { type Clock, type Ids, systemIds } from "@factum/runtime"
import { expect, it } from "vitest"
import { command, saying } from "./asking.ts"
import { factOf, startTestHost, type TestHost } from "./hosting.ts"

const clock: Clock = { now: () => 1_700_000_000_000 }

/** Ids that are the same in every run. */
function countedIds(): Ids {
  let count = 0
  const prefixes = systemIds(clock)
  return { next: (kind) => `${prefixes.next(kind).slice(0, 3)}_${++count}` }
}

type Execute = (name: string, input: Record<string, unknown>) => Promise<unknown>

it("[RT-CMD-2] the same commands give the same results and the same facts in process and over HTTP", async () => {
  const inProcess = await played((host) => async (name, input) => {
    const outcome = await host.runtime.execute(name, { input }, { id: "owner", name: "owner" })
    return outcome.ok ? { ok: true, result: outcome.result } : outcome
  })
  const overHttp = await played((host) => async (name, input) => (await command(host.url, name, input)).json)
  expect(inProcess.facts.length).toBeGreaterThan(10)
  expect(overHttp).toEqual(inProcess)
})

async function played(way: (host: TestHost) => Execute) {
  const script = '{"on":"wait"}\n{"delay_ms":3600000}\n{"on":""}\n{"text":"Yes."}'
  const host = await startTestHost({ clock, ids: countedIds(), script })
  const results: unknown[] = []
  const execute: Execute = async (name, input) => {
    const result = await way(host)(name, input)
    results.push(result)
    return result
  }
  try {
    const first = await execute("submit_turn", { create: "session", input: saying("hello") })
    const { session_id, thread_id } = (first as { result: { session_id: string; thread_id: string } }).result
    await factOf(host, session_id, "turn.completed")
    await execute("get_session", { session_id })
    await execute("get_thread_read", { session_id, thread_id })
    await execute("get_thread_read", { session_id, thread_id: "thr_none" })
    await execute("remove_queued_turn", { session_id, thread_id })
    await execute("fly", {})
    return { results, facts: host.runtime.log.read(session_id, 0, 1000).map(({ text }) => JSON.parse(text)) }
  } finally {
    await host.stop()
  }
}
