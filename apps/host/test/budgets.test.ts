import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Envelope } from "@factum/facts"
import { createRuntime, type Runtime } from "@factum/runtime"
import { openSqliteStore } from "@factum/runtime/sqlite"
import { expect, onTestFinished, test } from "vitest"
import { openWork } from "../src/work.ts"
import { temporaryDirectory } from "./hosting.ts"

/** Lists files three times, then answers. */
async function provider(): Promise<string> {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume()
    const send = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({
          id: "c",
          object: "chat.completion.chunk",
          created: 1,
          model: "m",
          choices: [{ index: 0, delta, finish_reason: finish }],
          ...(finish === null
            ? {}
            : { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
        })}\n\n`,
      )
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const at = asked++
      if (at < 3) {
        const call = { name: "list_files", arguments: '{"path":"."}' }
        send({
          role: "assistant",
          tool_calls: [{ index: 0, id: `c${at}`, type: "function", function: call }],
        })
        send({}, "tool_calls")
      } else {
        send({ role: "assistant", content: "Listed." })
        send({}, "stop")
      }
      response.end("data: [DONE]\n\n")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function hosted(budgets: object) {
  const { path, remove } = temporaryDirectory()
  onTestFinished(remove)
  const [root, user] = [join(path, "project"), join(path, "factum")]
  for (const folder of [root, user]) mkdirSync(folder, { recursive: true })
  const providers = { local: { kind: "openai_compatible", base_url: await provider() } }
  const write = (now: object) => {
    const config = { model: "local/m", providers, mode: "full", budgets: now }
    writeFileSync(join(user, "factum.config.json"), JSON.stringify(config))
  }
  write(budgets)
  const work = await openWork(root, { env: { HOME: path, XDG_CONFIG_HOME: path } })
  const store = await openSqliteStore(join(path, "store"))
  if (!store.ok) throw new Error(store.message)
  const { model, models, limits, sandbox, agent } = work
  if (model === undefined) throw new Error("the configuration names a model")
  const runtime = await createRuntime({ store, model, models, limits, sandbox, agent })
  onTestFinished(async () => {
    await runtime.close()
    await work.close()
  })
  return { runtime, write, notes: work.notes }
}

async function done(runtime: Runtime, name: string, input: object): Promise<void> {
  const outcome = await runtime.execute(name, { input })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal))
}

async function until(runtime: Runtime, seen: (fact: Envelope) => boolean): Promise<Envelope[]> {
  const all = () => runtime.log.read("ses_x", 0, 5_000).map(({ text }) => JSON.parse(text) as Envelope)
  for await (const _ of runtime.log.tail("ses_x", 0, AbortSignal.timeout(20_000)))
    if (all().some(seen)) return all()
  throw new Error(
    `it did not come after ${all()
      .map(({ type }) => type)
      .join(" ")}`,
  )
}

const isBlocked = ({ type, payload }: Envelope) => type === "run.status" && payload.phase === "blocked"
const isDone = ({ type }: Envelope) => type === "turn.completed" || type === "turn.failed"

test.each([
  ["steps of the turn", { turn: { steps: 2 } }, { turn: { steps: 9 } }],
  ["tool calls of the turn", { turn: { tool_calls: 2 } }, { turn: { tool_calls: 9 } }],
  ["time of the turn", { turn: { time_ms: 1 } }, { turn: { time_ms: 600_000 } }],
  ["tokens of the turn", { turn: { tokens: 20 } }, { turn: { tokens: 9_000 } }],
  ["steps of the session", { session: { steps: 2 } }, { session: { steps: 9 } }],
  ["tool calls of the session", { session: { tool_calls: 1 } }, { session: { tool_calls: 9 } }],
  ["time of the session", { session: { time_ms: 1 } }, { session: { time_ms: 600_000 } }],
  ["tokens of the session", { session: { tokens: 20 } }, { session: { tokens: 9_000 } }],
])(
  "[RT-STAT-8] %s, written in the configuration, blocks, and goes on once it is raised there",
  async (name, before, after) => {
    const { runtime, write } = await hosted(before)
    const input = [{ kind: "text", text: "List" }]
    await done(runtime, "submit_turn", { create: "session", session_id: "ses_x", input })
    const held = await until(runtime, isBlocked)
    expect(held.find(isBlocked)?.payload.metadata).toMatchObject({ missing: "quota", budget: name })
    write(after)
    await done(runtime, "resume_thread", { session_id: "ses_x", thread_id: held.find(isBlocked)?.thread_id })
    const ended = await until(runtime, isDone)
    expect(ended.filter(isDone).map(({ type }) => type)).toEqual(["turn.completed"])
  },
)

test("[RT-COST-2] a budget of money for a model without a price is noted, warned of, and blocks where that is chosen", async () => {
  const going = await hosted({ session: { cost_usd: 0.000_001 } })
  expect(going.notes).toContainEqual(expect.stringContaining("What local/m costs is not known"))
  const input = [{ kind: "text", text: "List" }]
  await done(going.runtime, "submit_turn", { create: "session", session_id: "ses_x", input })
  const seen = await until(going.runtime, isDone)
  expect(seen.filter(({ payload }) => payload.code === "cost_unknown")).toHaveLength(1)
  const stopping = await hosted({ session: { cost_usd: 1, unpriced: "block" } })
  await done(stopping.runtime, "submit_turn", { create: "session", session_id: "ses_x", input })
  const held = await until(stopping.runtime, isBlocked)
  expect(held.filter(({ type }) => type === "model.requested")).toEqual([])
})
