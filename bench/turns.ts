import { spawnSync } from "node:child_process"
import { join } from "node:path"
import type { Model, ToolOutcome } from "@factum/runtime"
import { type Figure, figure, inTemporaryFolder, median, timed } from "./measure.ts"
import { finish, openWatched, submit, toolNamed, type Watched } from "./turns-given.ts"

const rounds = 60
const more = 10
const many = 1000

export function turns(): Promise<Figure[]> {
  return inTemporaryFolder(async (folder) => {
    const { figures, turn } = await overhead(join(folder, "data"))
    return [...figures, ...running(join(folder, "running"), turn), recovery(folder)]
  })
}

/** What a turn is to do: so many answers with so many calls each, then a last word. */
const plans = {
  plain: "0 0",
  one: "1 1",
  wide: `1 ${1 + more}`,
  long: `${1 + more} 1`,
} as const
type Plan = keyof typeof plans
type Sample = Record<Plan, number> & { commit: number }

const done: ToolOutcome = { ok: true, output: "Written." }

/** By turns in one run: a bare loop, the runtime, and one durable commit of the same store. */
async function overhead(directory: string): Promise<{ figures: Figure[]; turn: number }> {
  const write = toolNamed("write", "once", async () => done)
  const watched = await openWatched(directory, model, [write])
  const samples: Sample[] = []
  const commits = { plain: 0, one: 0, wide: 0, long: 0 }
  const commit = commitsOf(watched)
  let ended = 0
  for (let round = 0; round < rounds + 5; round++) {
    const sample: Sample = { commit: await commit(), plain: 0, one: 0, wide: 0, long: 0 }
    for (const plan of Object.keys(plans) as Plan[]) {
      const bare = await timed(() => bareLoop(plans[plan]))
      const before = watched.commits()
      const ours = await timed(async () => {
        await submit(watched.runtime, plans[plan])
        await watched.reached(++ended, "turn.completed")
      })
      commits[plan] = watched.commits() - before
      sample[plan] = ours - bare
    }
    // The first rounds warm up.
    if (round >= 5) samples.push(sample)
  }
  await watched.runtime.close()
  const one = median(samples.map((sample) => sample.commit))
  // Of pairs of one round, so that a busy moment of the machine meets both.
  const times = (of: (sample: Sample) => number) =>
    one * median(samples.map((sample) => of(sample) / sample.commit))
  const turn = times((sample) => sample.plain)
  const call = times((sample) => (sample.wide - sample.one) / more)
  const step = times((sample) => (sample.long - sample.one) / more)
  const each = { call: (commits.wide - commits.one) / more, step: (commits.long - commits.one) / more }
  const peer = "one durable commit of 1 kB"
  return {
    turn,
    figures: [
      figure(`overhead of a turn (${commits.plain} commits)`, "ms", turn, peer, one, { at_most: 12 }),
      figure(`overhead of a tool call (${each.call} commits)`, "ms", call, peer, one, { at_most: 3 }),
      figure(`the same with a model request (${each.step} commits)`, "ms", step, peer, one, { at_most: 9 }),
    ],
  }
}

const model: Model = {
  provider: "bench",
  name: "bench",
  async *stream({ messages }) {
    const [part] = messages[0]?.parts ?? []
    const text = typeof part === "object" && part.kind === "text" ? part.text : ""
    const [answers = 0, calls = 0] = text.split(" ").map(Number)
    const spoken = messages.filter(({ role }) => role === "assistant").length
    if (spoken < answers) {
      for (let i = 0; i < calls; i++)
        yield { kind: "tool_call", part_id: `c${i}`, call_id: `c${i}`, tool: "write", arguments: '{"a":1}' }
      yield finish("tool_calls")
      return
    }
    yield { kind: "text", part_id: "p0", text: "An answer of a few words." }
    yield finish("stop")
  },
}

/** The same model and tool in a loop that keeps everything in memory. */
async function bareLoop(text: string): Promise<void> {
  type Messages = Parameters<Model["stream"]>[0]["messages"][number][]
  const messages: Messages = [{ role: "user", parts: [{ kind: "text", text }] }]
  const { signal } = new AbortController()
  for (let calls = 1; calls > 0; ) {
    calls = 0
    let said = ""
    for await (const chunk of model.stream({ model: "bench", messages, signal })) {
      if (chunk.kind === "text") said += chunk.text
      if (chunk.kind === "tool_call") calls++
    }
    messages.push({ role: "assistant", parts: said })
    for (let i = 0; i < calls; i++) await Promise.resolve(done)
  }
}

/** The mean of a few, as the time of a call is the mean of a few calls. */
function commitsOf({ log }: Watched): () => Promise<number> {
  const text = "x".repeat(1000)
  let made = 0
  async function commit() {
    const facts = [{ event_id: `evt_b${made}`, text }]
    const outcome = await log.append({ stream: "bench", expected: made++, facts })
    if (!outcome.ok) throw new Error(outcome.code)
  }
  return async () => {
    const took = await timed(async () => {
      for (let i = 0; i < more; i++) await commit()
    })
    return took / more
  }
}

/**
 * A session at rest may take 0.1 MB (the limit of the idle sessions); one in the middle of an answer twice that. Together
 * they must not take longer than one after another.
 */
function running(directory: string, turn: number): Figure[] {
  const { resident, heap, seconds } = child("running", directory)
  const name = `${many} turns running at once`
  return [
    figure(`${name}, resident memory`, "MB", resident ?? 0, "limit", 200, { at_most: 1 }),
    figure(`${name}, heap and buffers`, "MB", heap ?? 0, "limit", 200, { at_most: 1 }),
    figure(`${name}, from submit to end`, "s", seconds ?? 0, "one after another", (turn * many) / 1000, {
      at_most: 1,
    }),
  ]
}

function recovery(folder: string): Figure {
  const times = [0, 1, 2].map((round) => {
    const directory = join(folder, `open${round}`)
    child("open", directory)
    return child("recover", directory).seconds ?? 0
  })
  const name = `recovery of ${many} open turns after a kill, from opening the store`
  return figure(name, "s", median(times), "limit", 2, { at_most: 1 })
}

function child(mode: "running" | "open" | "recover", directory: string): Record<string, number> {
  const script = new URL("./turns-child.ts", import.meta.url).pathname
  const args = ["--expose-gc", script, mode, directory, String(many)]
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: 1_800_000,
  })
  if (mode === "open" && signal === "SIGKILL") return {}
  if (status !== 0) throw new Error(`${mode}: ${stderr}`)
  return JSON.parse(stdout) as Record<string, number>
}
