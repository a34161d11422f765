import { describe, expect, it } from "vitest"
import { createHarness, type FakeExecutor, manualClock } from "../../src/harness/index.ts"
import {
  buildContext,
  type Declaration,
  declarationArtifact,
  type Executor,
  expansionRecord,
  type HistoryEntry,
  instruction,
  memoryArtifacts,
  projectRun,
  type RunRecord,
  renderTranscript,
  resultRecord,
} from "../../src/index.ts"
import { readOutput } from "../../src/parse.ts"
import { characters, user } from "./given.ts"
import { found, inspectionTranscript, toolbarSource, toolbarTurn, userRequest } from "./spec.ts"

const executors: Record<string, FakeExecutor> = {
  search: {
    type: "tool",
    description: "Searches.",
    capabilities: ["filesystem", "search"],
    work: () => found.inspect_code,
  },
  reviewer: {
    type: "agent",
    description: "Reviews.",
    capabilities: ["code_review", "frontend"],
    work: () => found.review_toolbar,
  },
  read: () => "extension.ts registers the custom editor provider and command handlers.",
}
const registry: Executor[] = [
  { name: "search", type: "tool", description: "Searches.", capabilities: ["filesystem", "search"] },
  { name: "reviewer", type: "agent", description: "Reviews.", capabilities: ["code_review", "frontend"] },
  { name: "read", type: "tool", description: "Reads.", capabilities: [] },
]
const setup = { authority: { agent: "main", enabled: true, depth: 0 }, executors: registry }

function declared(text: string, native?: object): Declaration {
  const calls =
    native === undefined
      ? []
      : [{ id: "call_77", name: "AgentProtocolOutput", arguments: JSON.stringify(native) }]
  const read = readOutput({ text, calls, complete: true }, setup)
  if (read.kind !== "declaration") throw new Error(JSON.stringify(read))
  return read.declaration
}

async function ranAs(
  run_id: string,
  declaration: Declaration,
): Promise<{ record: RunRecord; expand: typeof expand }> {
  const artifacts = memoryArtifacts()
  const harness = createHarness({ executors, clock: manualClock(), run_id: () => run_id, artifacts })
  const answer = await harness.run(declaration)
  if (!answer.ok || answer.kind !== "run") throw new Error(JSON.stringify(answer))
  artifacts.put(declarationArtifact(answer.record))
  const { record } = answer
  return { record, expand }

  async function expand(ref: string): Promise<RunRecord> {
    const asked = declared("", {
      type: "agent.protocol",
      version: "1",
      intent: "expand_ref",
      payload: { refs: [{ ref }] },
    })
    const expanded = await harness.run(asked)
    if (!expanded.ok || expanded.kind !== "expansion" || asked.intent !== "expand_ref")
      throw new Error("an expansion")
    return expansionRecord("run_expand", asked, expanded.expansions)
  }
}

describe("from what the model wrote to what it is told", () => {
  it("[MP-TRANS-5] the specification's declaration gives the specification's turn", async () => {
    // The example answers a request for fields with prose, which only a summary does.
    const { record } = await ranAs("run_123", declared(toolbarSource.replace('"structured"', '"summary"')))
    const text = renderTranscript([user(userRequest), { kind: "run", run: record }])
    expect(text.slice(text.indexOf('<turn index="2">'))).toBe(`${toolbarTurn}\n\n${instruction}`)
  })

  it("[MP-TRANS-4] the specification's call gives the specification's transcript", async () => {
    const call = {
      id: "read_extension",
      type: "tool",
      name: "read",
      args: { filePath: "src/extension/extension.ts" },
    }
    const { record } = await ranAs(
      "apr_abc123",
      declared("", { kind: "act", message: "Inspect extension wiring", calls: [call] }),
    )
    const text = renderTranscript([user(userRequest), { kind: "run", run: record }])
    expect(text.replace("artifact://apr_abc123/read_extension", "artifact://call_read_extension")).toBe(
      inspectionTranscript,
    )
  })

  it("[MP-RECORD-4] one id leads through declaration, record, projection and transcript", async () => {
    const { record, expand } = await ranAs("run_123", declared(toolbarSource))
    const history: HistoryEntry[] = [{ kind: "run", run: record }]
    expect(resultRecord(record).run_id).toBe("run_123")
    expect(projectRun(record)).toMatchObject({
      run_id: "run_123",
      details_ref: "runtime://run_123/declaration",
      status: "completed",
    })
    expect(renderTranscript(history)).toContain("run_id: `run_123`\n")
    const { text } = buildContext({ history, replay: { mode: "compressed" }, tokenizer: characters })
    const ref = /^Declaration: (.*)$/m.exec(text)?.[1] ?? ""
    expect((await expand(ref)).observations.expand_1).toMatchObject({
      status: "completed",
      content: toolbarSource,
    })
  })
})
