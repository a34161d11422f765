import * as protocol from "@factum/protocol"
import { o200k } from "@factum/protocol/tokens"

const files = new Map([
  ["notes.md", "Ship on Friday."],
  ["plan.md", "Friday is a holiday."],
])
const authority = { agent: "main", enabled: true, depth: 0 }
const executors: protocol.Executor[] = [
  { name: "read", type: "tool", description: "Reads a file.", capabilities: ["filesystem"] },
]

// What the model said: one call of AgentProtocolOutput, as the provider gave it.
const calls = [
  { id: "notes", type: "tool", name: "read", args: { path: "notes.md" } },
  { id: "plan", type: "tool", name: "read", args: { path: "plan.md" }, result: "full" },
  { id: "gone", type: "tool", name: "read", args: { path: "gone.md" }, depends: ["notes", "plan"] },
]
const call = { id: "1", name: protocol.carrierName, arguments: JSON.stringify({ kind: "act", calls }) }
const read = protocol.readOutput({ text: "", calls: [call], complete: true }, { authority, executors })
if (read.kind !== "declaration" || !("graph" in read.declaration)) throw new Error("no work was declared")
const { declaration } = read

const issues = protocol.admissionIssues(read.declaration.graph, { executors, authority })
if (issues.length > 0) throw new Error(protocol.retryText(issues))
const graph = protocol.governGraph(read.declaration.graph, { executors, authority })
let state = protocol.foldRun(graph, [{ type: "run.accepted", run_id: "run_1", at: Date.now() }])

/** Takes every step that may be taken now, and asks again after each end. */
async function advance(): Promise<void> {
  const { steps } = protocol.nextSteps(graph, state, { now: Date.now() })
  const taken = steps.filter((step) => step.type !== "signal")
  if (taken.length === 0) return
  const events = taken.map((step) => protocol.eventOf(step, Date.now()))
  state = protocol.foldRun(graph, events, state)
  await Promise.all([advance(), ...taken.map((step) => (step.type === "start" ? perform(step) : undefined))])
}

async function perform({ id, attempt }: { id: string; attempt: number }): Promise<void> {
  const path = graph.actions.find((action) => action.id === id)?.input.path
  const text = files.get(String(path))
  const outcome: protocol.ActionOutcome =
    text === undefined
      ? { status: "failed", reason: { code: "executor_failed", message: `There is no ${path}.` } }
      : { status: "completed", output: text }
  const ended = { type: "action.ended", id, attempt, at: Date.now(), outcome } as const
  state = protocol.applyEvent(graph, state, ended)
  await advance()
}

await advance()
const means = { artifacts: protocol.memoryArtifacts(), tokenizer: o200k, budget: 4000 }
const run = protocol.observeRun({ run_id: "run_1", declaration, graph, state }, means)
const history: protocol.HistoryEntry[] = [
  { kind: "user", text: "When do we ship?" },
  { kind: "run", run },
]
console.log(protocol.buildContext({ history, tokenizer: o200k }).text)
