import { setImmediate as turn, setTimeout as wait } from "node:timers/promises"
import {
  createHarness,
  type FakeExecutor,
  type Outcome,
  registered,
} from "../packages/protocol/src/harness/index.ts"
import {
  type AssistantMessage,
  carrierName,
  type HistoryEntry,
  instruction,
  readOutput,
  renderTranscript,
} from "../packages/protocol/src/index.ts"
import { o200k } from "../packages/protocol/src/tokens/o200k.ts"
import type { Step, Workload } from "./protocol-workloads.ts"

/**
 * The same model for everyone, in simulated milliseconds: it needs this long before its first token, then this long
 * for each token that it writes. What it must read costs no time here, which is in favour of those who return more.
 */
export type Latency = { name: string; first: number; token: number }
export const latencies: readonly Latency[] = [
  { name: "2.5 s a round", first: 2500, token: 0 },
  // A declaration has more words than the bare calls: here it pays for them.
  { name: "2 s + 10 ms a token", first: 2000, token: 10 },
]
const answerTokens = 150

/** Real time passes this much faster. What our own code takes does not, so it weighs that much more. */
export const speed = 30

/** The real timers are late by up to a millisecond and more; the rest is waited for exactly. */
async function pass(simulated: number): Promise<void> {
  const end = performance.now() + simulated / speed
  if (simulated / speed > 3) await wait(simulated / speed - 2)
  while (performance.now() < end) await turn()
}

const writing = (tokens: number, { first, token }: Latency): number => first + tokens * token

const failureText = "The registry answered 503."
const failureOutput = (step: Step): string => `${step.tool}: registry answered 503 Service Unavailable\n`

async function work(step: Step, attempt: number): Promise<Outcome> {
  await pass(step.ms)
  if (attempt <= step.failures) {
    const reason = { code: "executor_failed", message: failureText } as const
    return { status: "failed", reason, output: failureOutput(step) }
  }
  return { status: "completed", output: step.output, ...(step.data && { data: step.data }) }
}

export type Mode = {
  run(): Promise<void>
  /** Of the last run: how often the model was asked, and what returned to it. */
  told(): { asked: number; returned: string }
}

/**
 * Function calling: in each round the model asks for calls whose inputs are known, one or all of them, and is asked
 * again when all of them have ended. A failed call is asked for again as often as our runtime would try it.
 */
export function functionCalling(workload: Workload, most: 1 | "all", latency: Latency): Mode {
  const sizes = new Map(workload.steps.map((step) => [step.id, o200k.count(callText(step.tool, step.args))]))
  let asked = 0
  let returned: string[] = []
  return {
    async run() {
      asked = 1
      returned = []
      const attempts = new Map<string, number>()
      const completed = new Set<string>()
      const open = () =>
        workload.steps.filter(
          ({ id, needs }) =>
            !completed.has(id) &&
            (attempts.get(id) ?? 0) <= workload.retries &&
            needs.every((need) => completed.has(need)),
        )
      for (let ready = open(); ready.length > 0; ready = open()) {
        const calls = most === "all" ? ready : ready.slice(0, 1)
        asked++
        await pass(
          writing(
            calls.reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0),
            latency,
          ),
        )
        const outcomes = await Promise.all(
          calls.map(async (step) => {
            const attempt = (attempts.get(step.id) ?? 0) + 1
            attempts.set(step.id, attempt)
            const outcome = await work(step, attempt)
            if (outcome.status === "completed") completed.add(step.id)
            return outcome
          }),
        )
        returned.push(...outcomes.map(({ output }) => output ?? ""))
      }
      await pass(writing(answerTokens, latency))
    },
    told: () => ({ asked, returned: returned.join("\n") }),
  }
}

/** What a model writes for a native call. */
const callText = (name: string, args: unknown): string => JSON.stringify({ name, arguments: args })

/** Ours: one declaration of all that can be declared, the whole graph, then the answer. */
export function declared(workload: Workload, latency: Latency): Mode {
  const messages = (workload.decided ? workload.steps.map((step) => [step]) : [workload.steps]).map((steps) =>
    declaration(steps, workload),
  )
  const sizes = messages.map(({ calls }) =>
    o200k.count(callText(carrierName, JSON.parse(calls[0]?.arguments ?? ""))),
  )
  const steps = new Map(workload.steps.map((step) => [step.id, step]))
  const tool: FakeExecutor = {
    side_effects: ["read"],
    idempotent: true,
    work: ({ action, attempt }) => {
      const found = steps.get(action.id)
      if (found === undefined) throw new Error(`There is no ${action.id}.`)
      return work(found, attempt)
    },
  }
  const executors = Object.fromEntries(workload.steps.map((step) => [step.tool, tool]))
  const registry = Object.keys(executors).map((name) => registered(name, tool))
  const authority = { agent: "main", enabled: true, depth: 0 }
  let context = ""
  return {
    async run() {
      const harness = createHarness({ clock: realClock, executors, authority, tokenizer: o200k })
      const history: HistoryEntry[] = []
      for (const [index, message] of messages.entries()) {
        await pass(writing(sizes[index] ?? 0, latency))
        const read = readOutput(message, { authority, executors: registry })
        if (read.kind !== "declaration") throw new Error(`${workload.name}: ${JSON.stringify(read)}`)
        const answer = await harness.run(read.declaration)
        if (!answer.ok || answer.kind !== "run")
          throw new Error(`${workload.name}: ${JSON.stringify(answer)}`)
        history.push({ kind: "run", run: answer.record })
        context = renderTranscript(history)
      }
      await pass(writing(answerTokens, latency))
    },
    told: () => ({ asked: messages.length + 1, returned: context.slice(0, -instruction.length) }),
  }
}

const realClock = {
  now: () => performance.now(),
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** As small calls, unless something must be tried again: only the full form can say so. */
function declaration(steps: readonly Step[], { retries, decided }: Workload): AssistantMessage {
  const known = (needs: readonly string[]) => (decided ? [] : needs)
  const small = {
    kind: "act",
    calls: steps.map(({ id, tool, args, needs, result }) => ({
      id,
      type: "tool",
      name: tool,
      ...(Object.keys(args).length > 0 && { args }),
      ...(known(needs).length > 0 && { depends: needs.length === 1 ? needs[0] : needs }),
      ...(result && { result }),
    })),
  }
  const full = {
    type: "agent.protocol",
    version: "1",
    intent: "execute",
    payload: {
      type: "action_graph",
      actions: steps.map(({ id, tool, args, needs, result }) => ({
        type: "action",
        id,
        executor: { type: "tool", target: tool },
        input: args,
        ...(known(needs).length > 0 && { depends_on: needs }),
        ...(result && { result_policy: result }),
        ...(needs.length === 0 && { failure_policy: "retry" }),
      })),
    },
  }
  const text = JSON.stringify(retries > 0 ? full : small)
  return { text: "", calls: [{ id: "call", name: carrierName, arguments: text }], complete: true }
}
