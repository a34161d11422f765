import { join } from "node:path"
import type { Model } from "@factum/runtime"
import { createRuntime, type Runtime } from "@factum/runtime"
import { openSqliteStore } from "@factum/runtime/sqlite"
import { inTemporaryFolder } from "./measure.ts"

const model: Model = {
  provider: "bench",
  name: "bench",
  async *stream() {
    yield { kind: "text", part_id: "p0", text: "An answer of a few words. ".repeat(20) }
    yield { kind: "finish", finish: "stop", usage: { input_tokens: 1, output_tokens: 1 } }
  },
}

await inTemporaryFolder(async (folder) => {
  const store = await openSqliteStore(join(folder, "data"))
  if (!store.ok) throw new Error(store.message)
  const runtime = await createRuntime({ store, model })
  // What the first sessions load and compile is not the cost of a session.
  for (let i = 0; i < 50; i++) await useSession(runtime)
  const before = memory()
  const stop = new AbortController()
  for (let i = 0; i < 200; i++) follow(runtime, await useSession(runtime), stop.signal)
  const after = memory()
  stop.abort()
  await runtime.close()
  console.log(JSON.stringify({ resident: after.rss - before.rss, heap: after.heap - before.heap }))
})

/** A session with a finished turn. */
async function useSession(runtime: Runtime): Promise<string> {
  const input = { create: "session", input: [{ kind: "text", text: "Hello there" }] }
  const outcome = await runtime.execute("submit_turn", { input })
  if (!outcome.ok) throw new Error(outcome.refusal.message)
  const { session_id } = outcome.result as { session_id: string }
  const stop = new AbortController()
  for await (const page of runtime.log.tail(session_id, 0, stop.signal)) {
    if (page.some((fact) => fact.text.includes('"turn.completed"'))) break
  }
  return session_id
}

/** Someone watches each of them. */
async function follow(runtime: Runtime, session_id: string, signal: AbortSignal): Promise<void> {
  for await (const _ of runtime.log.tail(session_id, runtime.log.head(session_id), signal));
}

function memory() {
  for (let round = 0; round < 5; round++) globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss: rss / 1e6, heap: (heapUsed + external) / 1e6 }
}
