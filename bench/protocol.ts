import { bundle } from "../packages/protocol/scripts/bundle.ts"
import { timeHostile } from "../packages/protocol/scripts/hostile.ts"
import { type AssistantMessage, type Executor, readOutput } from "../packages/protocol/src/index.ts"
import { o200k } from "../packages/protocol/src/tokens/o200k.ts"
import { type Figure, figure, median, timed } from "./measure.ts"
import { declared, functionCalling, type Latency, latencies, type Mode, speed } from "./protocol-modes.ts"
import { type Workload, workloads } from "./protocol-workloads.ts"

const rounds = 3

/** All latencies are simulated, with the same model and the same tools for everyone: see `protocol-modes.ts`. */
export async function protocol(): Promise<Figure[]> {
  const compared = latencies.flatMap((latency) =>
    workloads.map((workload) => ({
      workload,
      latency,
      step: runner(functionCalling(workload, 1, latency)),
      parallel: runner(functionCalling(workload, "all", latency)),
      ours: runner(declared(workload, latency)),
    })),
  )
  for (let round = 0; round < rounds; round++) {
    // The peers do nothing but wait, so they can do it at the same time. Ours also works, and is alone.
    await Promise.all(compared.flatMap(({ step, parallel }) => [step.run(), parallel.run()]))
    for (const { ours } of compared) await ours.run()
  }
  return [
    ...compared.flatMap(times),
    ...compared.slice(0, workloads.length).map(tokens),
    reading(),
    hostile(),
    await size(),
  ]
}

type Runner = ReturnType<typeof runner>

function runner(mode: Mode) {
  const times: number[] = []
  return {
    run: async () => times.push(await timed(mode.run)),
    rate: () => 60_000 / (median(times) * speed),
    told: mode.told,
  }
}

/**
 * What a graph allows is decided by its shape alone. Beside one call at a time its width wins time. Beside parallel
 * calls, which use the width as well, only its depth does, by the rounds of the model that it costs them.
 */
function allowed({ steps, decided }: Workload): { wide: boolean; deep: boolean } {
  const levels = new Map<string, number>()
  for (const { id, needs } of steps)
    levels.set(id, 1 + Math.max(0, ...needs.map((need) => levels.get(need) ?? 0)))
  const depth = Math.max(...levels.values())
  return { wide: steps.length / depth >= 4, deep: !decided && depth >= 4 }
}

/** Where there is nothing to win a declaration should cost nothing either, though it has more words than a call. */
const nothingLost = 0.95

type Compared = { workload: Workload; latency: Latency; step: Runner; parallel: Runner; ours: Runner }

function times({ workload, latency, step, parallel, ours }: Compared): Figure[] {
  const { wide, deep } = allowed(workload)
  const name = named(workload, latency)
  const beside = (peer: string, { told, rate }: Runner, at_least: number): Figure =>
    figure(name, "runs/min", ours.rate(), `${peer}, ${told().asked} rounds`, rate(), { at_least })
  return [
    beside("step by step", step, wide ? 3.7 : deep ? 1.35 : nothingLost),
    beside("parallel calls", parallel, deep ? 1.35 : nothingLost),
  ]
}

function tokens({ workload, parallel, ours }: Compared): Figure {
  const { returned } = ours.told()
  const missing = workload.needed.filter((words) => !returned.includes(words))
  if (missing.length > 0) throw new Error(`${workload.name}: the model never read ${missing.join(", ")}`)
  const { wide, deep } = allowed(workload)
  return figure(
    `${workload.name}: returned to the model, with calls and headings`,
    "tokens",
    o200k.count(returned),
    "the bare outputs, all of them",
    o200k.count(parallel.told().returned),
    // Who reads a few whole files gets them whole, and is told what they are.
    { at_most: wide ? 0.19 : deep ? 1 : 1.15 },
  )
}

function named({ name, steps }: Workload, latency: Latency): string {
  const times = steps.map(({ ms }) => ms / 1000)
  const [least, most] = [Math.min(...times), Math.max(...times)]
  const tools = `${steps.length} of ${least === most ? least : `${least}–${most}`} s`
  return `${name}: ${tools}, model ${latency.name}`
}

/** A declaration of twenty actions with every common field, as text among text. */
function reading(): Figure {
  const actions = Array.from({ length: 20 }, (_, index) => ({
    type: "action",
    id: `step_${index}`,
    title: `Step ${index}`,
    description: "Look for the places where a lease is renewed.",
    operation: "search",
    executor: { type: "tool", target: "grep" },
    input: { pattern: `renew${index}`, paths: ["packages/store/src", "packages/runtime/src"] },
    depends_on: index < 4 ? [] : [`step_${index - 4}`, `step_${index - 3}`],
    context_refs: index < 4 ? ["md:background"] : [`action:step_${index - 4}.summary`],
    result_policy: { return_to_model: "adaptive", priority: ["errors", "file_paths"], max_tokens: 400 },
    failure_policy: { on_failure: "retry", max_retries: 1 },
  }))
  const payload = { type: "action_graph", actions }
  const json = JSON.stringify({ type: "agent.protocol", version: "1", intent: "execute", payload }, null, 2)
  const text = `\`\`\`json agent-protocol\n${json}\n\`\`\`\n\n## background\n\nLeases are renewed in two places.\n`
  const message: AssistantMessage = { text, calls: [], complete: true }
  const grep: Executor = { name: "grep", type: "tool", description: "Searches.", capabilities: [] }
  const setup = { authority: { agent: "main", enabled: true, depth: 0 }, executors: [grep] }
  const times = Array.from({ length: 600 }, () => {
    const start = performance.now()
    const read = readOutput(message, setup)
    const took = performance.now() - start
    if (read.kind !== "declaration") throw new Error(JSON.stringify(read))
    return took
  })
  return figure("20 actions parsed and normalized, median", "ms", median(times.slice(100)), "limit", 1, {
    at_most: 1,
  })
}

function hostile(): Figure {
  const [worst] = timeHostile()
  const name = `hostile output of 1 MiB answered, the slowest of all (${worst?.name})`
  return figure(name, "ms", worst?.ms ?? Number.NaN, "limit", 1000, { at_most: 1 })
}

async function size(): Promise<Figure> {
  const { gzip } = await bundle()
  const name = "the package with all it imports but the tokenizer, minified, gzip"
  return figure(name, "kB", gzip / 1000, "limit", 80, { at_most: 1 })
}
