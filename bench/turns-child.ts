import type { Model, Tool } from "@factum/runtime"
import { finish, openWatched, submit, toolNamed } from "./turns-given.ts"

// `running`: so many turns at once, held in the middle of their answers, with the memory that they take.
// `open`: so many turns cut off in different states. `recover`: from opening the store to all of them settled.
const [mode = "", directory = "", size = "0"] = process.argv.slice(2)
const count = Number(size)
const never = new Promise<never>(() => {})

if (mode === "running") await running()
if (mode === "open") await open()
if (mode === "recover") await recover()

async function running(): Promise<void> {
  let release = () => {}
  let held = Promise.resolve()
  const model: Model = {
    provider: "bench",
    name: "bench",
    async *stream() {
      yield { kind: "text", part_id: "p0", text: "An answer of a few words. ".repeat(20) }
      await held
      yield finish("stop")
    },
  }
  const { runtime, reached } = await openWatched(directory, model)
  const warm = 50
  for (let i = 1; i <= warm; i++) {
    await submit(runtime, "Hello there")
    await reached(i, "turn.completed")
  }
  held = new Promise((resolve) => {
    release = resolve
  })
  const before = memory()
  const started = performance.now()
  await Promise.all(Array.from({ length: count }, () => submit(runtime, "Hello there")))
  await reached(warm + count, "model.delta")
  const streaming = performance.now()
  const during = memory()
  const released = performance.now()
  release()
  await reached(warm + count, "turn.completed")
  const seconds = (performance.now() - released + streaming - started) / 1000
  console.log(JSON.stringify({ resident: during.rss - before.rss, heap: during.heap - before.heap, seconds }))
  await runtime.close()
}

/** A third of the turns is cut in an answer, a third in an effect that must not be repeated, a third in a safe one. */
async function open(): Promise<void> {
  const { runtime, reached } = await openWatched(directory, thirds(never), tools(never))
  const kinds = ["talk", "send", "look"]
  await Promise.all(Array.from({ length: count }, (_, i) => submit(runtime, kinds[i % 3] ?? "")))
  await reached(Math.floor((count * 2) / 3), "tool.progress")
  await reached(count, "model.requested")
  process.kill(process.pid, "SIGKILL")
}

async function recover(): Promise<void> {
  const started = performance.now()
  const { runtime, reached } = await openWatched(directory, thirds(undefined), tools(undefined))
  await reached(count, "turn.completed", "turn.failed")
  console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000 }))
  await runtime.close()
}

function thirds(hold: Promise<never> | undefined): Model {
  return {
    provider: "bench",
    name: "bench",
    async *stream({ messages }) {
      const [part] = messages[0]?.parts ?? []
      const tool = typeof part === "object" && part.kind === "text" ? part.text : ""
      if (messages.length === 1 && tool !== "talk") {
        yield { kind: "tool_call", part_id: "c", call_id: "c", tool, arguments: "{}" }
        yield finish("tool_calls")
        return
      }
      yield { kind: "text", part_id: "p0", text: "An answer of a few words. ".repeat(20) }
      await hold
      yield finish("stop")
    },
  }
}

function tools(hold: Promise<never> | undefined): Tool[] {
  const run: Tool["run"] = async () => (await hold) ?? { ok: true, output: "seen" }
  return [toolNamed("send", "once", run), toolNamed("look", "none", run)]
}

function memory() {
  for (let round = 0; round < 5; round++) globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss: rss / 1e6, heap: (heapUsed + external) / 1e6 }
}
