import { createAgentUiStore } from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import { expect, test } from "vitest"
import { fact } from "../../facts/test/given.ts"
import { bind, createClient } from "../src/index.ts"

test("[UI-ORDER-4] a gap of thousands of facts is filled from as many pages as it takes", async () => {
  const last = 3002
  const facts = Array.from({ length: last }, (_, at) =>
    fact("turn.submitted", { sequence: at + 1, event_id: `evt_${at + 1}`, turn_id: `trn_${at + 1}` }),
  )
  const asked: number[] = []
  const answer = (body: { input: { before: string; limit: number } }) => {
    const before = Number(body.input.before)
    asked.push(before)
    const history = facts.slice(Math.max(0, before - 1 - body.input.limit), before - 1)
    return { ok: true, result: { history } }
  }
  const fetcher: typeof fetch = async (_, init) =>
    Response.json(init?.body ? answer(JSON.parse(String(init.body))) : { ok: true, result: { commands: [] } })
  const client = createClient({ url: "http://host.test", token: "t", fetcher })
  const store = createAgentUiStore({ schedule: { everyMs: 1 } })
  const bound = bind({ client, store })
  store.dispatch([facts[0], facts[last - 1]].flatMap((one) => (one ? [fromRuntime(one)] : [])))
  await expect.poll(() => store.getSnapshot().messages.size, { timeout: 20_000 }).toBe(last)
  expect(store.getSnapshot().streams.get("ses_1")).toMatchObject({ applied: last, waiting: 0 })
  expect(asked).toEqual([last, last - 1000, last - 2000])
  bound.close()
})
