import { afterEach, expect, it } from "vitest"
import { ask, command, saying } from "./asking.ts"
import { appendFacts, startTestHost } from "./hosting.ts"
import { crowd, storm } from "./storm.ts"
import { openStream } from "./stream.ts"

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

it("[RT-CHAN-2] a storm of reconnects: nothing is lost, nothing is repeated", {
  timeout: 120_000,
}, async () => {
  const host = await startTestHost()
  ends.push(() => host.stop())
  const { wrong, connections } = await storm(host, { clients: 80, drops: 10, sessions: 8 })
  expect(wrong).toEqual([])
  expect(connections).toBe(880)
  // Some channels ended a moment ago, which is still being written.
  while (host.feeds.count > 0) await new Promise(setImmediate)
})

it("a thousand open streams leave commands and new readers their turn, and are all told", async () => {
  const host = await startTestHost()
  ends.push(() => host.stop())
  await appendFacts(host, "ses_crowd", 1)
  const disperse = await crowd(`${host.url}/v1/sessions/ses_crowd/facts?after=1`, 1000)
  expect(host.feeds.count).toBe(1)
  expect((await command(host.url, "submit_turn", { create: "session", input: saying("hi") })).status).toBe(
    200,
  )
  expect((await ask(`${host.url}/v1/sessions`)).status).toBe(200)
  const one = await openStream(`${host.url}/v1/sessions/ses_crowd/facts?after=1`)
  await appendFacts(host, "ses_crowd", 1)
  await one.until(() => one.ids().length === 1)
  one.cut()
  disperse()
  while (host.feeds.count > 0) await new Promise(setImmediate)
})
