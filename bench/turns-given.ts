import {
  createRuntime,
  type FactLog,
  type Model,
  type ModelChunk,
  type Runtime,
  speaker,
  type Tool,
} from "@factum/runtime"
import { openSqliteStore } from "@factum/runtime/sqlite"

export type Watched = {
  runtime: Runtime
  log: FactLog
  commits: () => number
  /** Settles when so many facts of these types were committed since the store was opened. */
  reached: (count: number, ...types: string[]) => Promise<void>
}

/** A runtime whose commits are counted on their way to the store. */
export async function openWatched(
  directory: string,
  model: Model,
  tools: readonly Tool[] = [],
): Promise<Watched> {
  const store = await openSqliteStore(directory)
  if (!store.ok) throw new Error(store.message)
  const { log } = store
  const seen = new Map<string, number>()
  let commits = 0
  let check = () => {}
  const append: FactLog["append"] = async (batch) => {
    commits++
    const done = await log.append(batch)
    for (const { text } of batch.facts) {
      const type = text.slice(9, text.indexOf('"', 9))
      seen.set(type, (seen.get(type) ?? 0) + 1)
    }
    check()
    return done
  }
  const watched = new Proxy(log, {
    get(target, key) {
      if (key === "append") return append
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
  const policy = { version: "1", mode: "full" as const, rules: [] }
  const runtime = await createRuntime({
    store: { ...store, log: watched },
    model,
    agent: () => ({ ...speaker, tools, policy }),
  })
  return {
    runtime,
    log,
    commits: () => commits,
    reached: (count, ...types) =>
      new Promise((resolve) => {
        check = () => {
          if (types.reduce((sum, type) => sum + (seen.get(type) ?? 0), 0) >= count) resolve()
        }
        check()
      }),
  }
}

export async function submit(runtime: Runtime, text: string): Promise<void> {
  const input = { create: "session", input: [{ kind: "text", text }] }
  const outcome = await runtime.execute("submit_turn", { input })
  if (!outcome.ok) throw new Error(outcome.refusal.message)
}

export function toolNamed(name: string, effect: Tool["effect"], run: Tool["run"]): Tool {
  return {
    name,
    description: `The tool ${name}.`,
    owner: "builtin",
    input_schema: { type: "object" },
    effect,
    side_effects: effect === "none" ? ["read"] : ["write"],
    capabilities: [],
    check: () => [],
    touches: async () => [],
    run,
  }
}

export const finish = (finish: "stop" | "tool_calls"): ModelChunk => ({
  kind: "finish",
  finish,
  usage: { input_tokens: 1, output_tokens: 1 },
})
