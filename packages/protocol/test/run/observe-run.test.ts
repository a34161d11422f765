import { describe, expect, it } from "vitest"
import { characterTokens } from "../../src/harness/index.ts"
import { type ActionGraph, govern, memoryArtifacts, observeRun, renderTranscript } from "../../src/index.ts"
import { act, broken, Drive, execute, graphOf } from "./build.ts"

const { executor: _, ...anyone } = act("a")
const asked = graphOf([
  anyone,
  act("b", { executor: { type: "tool", target: "auto", capabilities: ["x"] } }),
  act("c", { requires_approval: true }),
  act("d", { failure_policy: { on_failure: "ask_model", max_retries: 0 } }),
  act("e"),
  act("f", { depends_on: ["c"] }),
])
const work = {
  name: "work",
  type: "tool",
  description: "",
  capabilities: ["x"],
  side_effects: [],
  visibility: "model",
} as const
const governed: ActionGraph = { ...asked, actions: asked.actions.map((action) => govern(action, work)) }

function observed(declared: ActionGraph = asked) {
  const run = new Drive(governed).end("a").end("b", broken()).end("d", broken())
  const artifacts = memoryArtifacts()
  const of = { run_id: "run_1", declaration: execute(declared), graph: governed, state: run.state }
  return { artifacts, record: observeRun(of, { artifacts, tokenizer: characterTokens, budget: 100 }) }
}

describe("observing a run", () => {
  it("[MP-STREAM-5] what has ended or is held up is observed; what runs or waits for its turn is not", () => {
    const { record, artifacts } = observed()
    expect(Object.values(record.observations).map(({ action_id, status }) => [action_id, status])).toEqual([
      ["a", "completed"],
      ["b", "failed"],
      ["c", "waiting"],
      ["d", "blocked"],
    ])
    expect(artifacts.get("artifact://run_1/a")?.text).toBe("ok")
  })

  it("[MP-TRANS-5] it is told with the executors that were asked for and the limits of those that were chosen", () => {
    const { graph } = observed().record
    expect(graph.actions[0]).toEqual({ ...anyone, visibility: "model" })
    expect(graph.actions[1]?.executor).toEqual({ type: "tool", target: "auto", capabilities: ["x"] })
    const text = renderTranscript([{ kind: "run", run: observed().record }])
    expect(text).toContain("### Call a\n\nExecutor: `auto`\n")
    expect(text).toContain("### Call b\n\nExecutor: `tool:auto`\n")
  })

  it("[MP-INTENT-4] an action that came over from another declaration stays as it is", () => {
    const { record } = observed(graphOf(asked.actions.slice(1)))
    expect(record.graph.actions[0]).toEqual(governed.actions[0])
  })
})
