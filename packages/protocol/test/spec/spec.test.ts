import { describe, expect, it } from "vitest"
import { resultRecord } from "../../src/index.ts"
import { readOutput } from "../../src/parse.ts"
import { fence, native, setup } from "../parse/given.ts"
import { bench, found, inGraph, part, partJson, sources, statuses, whole } from "./given.ts"

const prompt = "\n## review_toolbar.prompt\n\nReview each button.\n"

describe("the specification's full declarations, verbatim", () => {
  it("[MP-SPEC-1] the toolbar example runs, and gives its results in order", async () => {
    const { ran, calls } = bench()
    const record = await ran(whole("toolbar.md"))
    expect(record.state.status).toBe("completed")
    expect(statuses(record)).toEqual(["inspect_code completed", "review_toolbar completed"])
    expect(calls.map(({ action, request }) => [action.id, request.task.text])).toEqual([
      [
        "inspect_code",
        "Locate toolbar-related components, composables, styles, editor integration, and tests.",
      ],
      [
        "review_toolbar",
        "Review each toolbar button. Check click handlers, selection behavior, focus behavior, undo/redo state, dropdown z-index, and test coverage. Return findings with severity and evidence.",
      ],
    ])
    expect(calls[1]?.request.context.map(({ text }) => text)).toEqual([sources])
    expect(record.observations.review_toolbar).toMatchObject({
      policy: "structured",
      withheld: "no structure",
    })
    // The record shortens what the declaration says of the second action.
    const told = JSON.stringify(resultRecord(record), null, 2)
    expect(`${told.replace("undo/redo, and selection edge cases", "undo/redo, and edge cases")}\n`).toBe(
      part("result-record.json"),
    )
  })

  it.each(["action-fields.json", "action-registry.json"])(
    "[MP-SPEC-1] %s in a graph runs, and gives its result",
    async (name) => {
      const { ran, calls } = bench()
      const record = await ran(inGraph(JSON.parse(whole(name)), prompt))
      expect(statuses(record)).toEqual(["inspect_code completed", "review_toolbar completed"])
      expect(record.observations.review_toolbar?.content).toContain(
        name === "action-fields.json" ? "Status: completed." : found,
      )
      const review = calls.find(({ action }) => action.id === "review_toolbar")
      expect(review?.request.task.text).toBe("Review each button.")
    },
  )

  it("[MP-SPEC-2] the visible note is shown, and its empty graph completes", async () => {
    const record = await bench().ran(whole("visible-note.md"))
    expect(record.state).toMatchObject({ status: "completed", actions: {} })
    expect(record.graph).toMatchObject({ title: "Toolbar Button Review", persist: true, actions: [] })
    expect(record.declaration.note).toBe(
      "I will inspect the toolbar implementation, review each button's behavior, and then return a concise issue report with evidence.",
    )
  })

  it("[MP-SPEC-2] the durable graph completes", async () => {
    const record = await bench().ran(whole("durable.json"))
    expect(record.state).toMatchObject({ status: "completed", actions: {} })
    expect(record.graph).toMatchObject({ persist: true, mode: "durable", strategy: "dag" })
  })

  it("[MP-SPEC-2] the expansion gives the passage around the matches", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`)
    lines[49] = "The undo/redo buttons are not wired."
    const reviewer = {
      type: "agent",
      capabilities: ["code_review", "frontend"],
      work: () => lines.join("\n"),
    } as const
    const { ran, harness, declared } = bench({ reviewer })
    await ran(whole("toolbar.md"))
    const answer = await harness.run(declared(whole("expansion.json")))
    expect(answer).toMatchObject({
      ok: true,
      kind: "expansion",
      expansions: [
        {
          ok: true,
          ref: "runtime://run_123/actions/review_toolbar/output",
          reason: "Need exact evidence for the undo/redo finding.",
          text: `lines 30-70:\n${lines.slice(29, 70).join("\n")}`,
        },
      ],
    })
  })
})

describe("the specification's small declarations, verbatim", () => {
  it("[MP-SPEC-3] the single call is done", async () => {
    const { ran, calls } = bench()
    const record = await ran(whole("act.json"))
    expect(statuses(record)).toEqual(["read_package completed"])
    expect(calls.map(({ input }) => input)).toEqual([{ filePath: "package.json" }])
    expect(record.observations.read_package).toMatchObject({ policy: "summary", content: "read done" })
    expect(record.declaration.note).toBe("I will inspect the package files first.")
  })

  it.each([
    ["answer", "This project is a VS Code extension for visual HTML editing."],
    ["done", "The requested check is complete."],
  ])("[MP-SPEC-3] %s is told to the user, and starts nothing", async (name, text) => {
    const { harness, declared, calls } = bench()
    expect(await harness.run(declared(whole(`${name}.json`)))).toEqual({ ok: true, kind: "message", text })
    expect([calls, harness.record("run_123")]).toEqual([[], undefined])
  })

  it("[MP-SPEC-3] the dependent calls are done one after the other", async () => {
    const { ran, calls } = bench()
    const record = await ran(whole("dependent-calls.json"))
    expect(statuses(record)).toEqual(["find_manifests completed", "read_package completed"])
    expect(calls.map(({ action, input }) => [action.id, input])).toEqual([
      ["find_manifests", { pattern: "*.json" }],
      ["read_package", { filePath: "package.json" }],
    ])
    expect(record.graph.actions[1]?.depends_on).toEqual(["find_manifests"])
  })

  it("[MP-SPEC-3] the delegation goes to an agent with an assignment of its own", async () => {
    const { ran, calls } = bench()
    const record = await ran(whole("delegation.json"))
    expect(statuses(record)).toEqual(["review_changes completed"])
    expect(record.state.actions.review_changes?.executor).toMatchObject({
      requested: "agent:auto",
      chosen: "reviewer",
    })
    expect(calls[0]?.input).toEqual({ description: "Review the protocol schema and prompt behavior." })
    expect(calls[0]?.assignment).toMatchObject({ action_id: "review_changes" })
  })
})

describe("the specification's parts of declarations, verbatim", () => {
  it("[MP-SPEC-1] the action that shows why there is a graph runs, and its result is the one shown", async () => {
    const { ran } = bench()
    const example = partJson("graph-action")
    const read = readOutput(native(JSON.stringify(withActions(example))), setup)
    // The example leaves out the type, which the field list requires.
    expect(read.kind === "refused" && read.issues.map(({ code, path }) => [code, path])).toEqual([
      ["missing_field", "payload.actions[0].type"],
    ])
    const record = await ran(fence(withActions({ type: "action", ...example })))
    expect(resultRecord(record).actions).toEqual([partJson("graph-result")])
  })

  it("[MP-SPEC-1] the action that tells type from operation runs", async () => {
    const record = await bench().ran(fence(withActions(partJson("typed-action"))))
    expect(statuses(record)).toEqual(["review_toolbar completed"])
    expect(record.graph.actions[0]).toMatchObject({
      operation: "review_code",
      executor: { type: "agent", target: "auto", capabilities: ["code_review", "frontend"] },
    })
  })

  it("[MP-SPEC-1] the bare envelope asks for a payload with a type, and runs with one", async () => {
    const envelope = partJson("envelope")
    const read = readOutput(native(part("envelope.json")), setup)
    expect(read.kind === "refused" && read.issues.map(({ code, path }) => [code, path])).toEqual([
      ["missing_field", "payload.type"],
    ])
    const record = await bench().ran(fence({ ...envelope, payload: { type: "action_graph", actions: [] } }))
    expect(record.state.status).toBe("completed")
    expect(record.graph).toMatchObject({ title: "Toolbar Button Review", persist: false })
  })

  it("[MP-SPEC-1] the references to sections are expanded from the Markdown beside them", async () => {
    const { ran, calls } = bench()
    const example = { type: "action", id: "review_toolbar", ...partJson("references") }
    const record = await ran(inGraph(example, `\n${part("references.md")}`))
    expect(record.state.status).toBe("completed")
    const review = calls.find(({ action }) => action.id === "review_toolbar")
    expect(review?.request.context.map(({ text }) => text)).toEqual(["Project context and constraints."])
    expect(review?.request.task.text).toBe("Detailed task instructions.")
  })

  it("[MP-SPEC-1] prompt and context reach the executor as the node request shown", async () => {
    const files = {
      capabilities: ["filesystem", "search"],
      work: () => "Expanded inspect_code summary.",
    }
    const { ran, calls } = bench({ files })
    const sections =
      "\n## shared.context\n\nExpanded shared context.\n\n## review_toolbar.prompt\n\nExpanded review_toolbar prompt.\n"
    const example = { type: "action", executor: { type: "agent" }, ...partJson("context") }
    await ran(inGraph(example, sections))
    expect(`${calls[0]?.request.text}\n`).toBe(part("node-request.txt"))
  })

  it("[MP-SPEC-1] the adaptive result policy is obeyed", async () => {
    const reviewer = {
      type: "agent",
      work: () => "src/a.ts is read\nError: no undo\nall the rest",
    } as const
    const { ran } = bench({ reviewer })
    const example = { type: "action", id: "a", executor: { type: "agent", target: "reviewer" } }
    const record = await ran(fence(withActions({ ...example, ...partJson("result-policy") })))
    expect(record.observations.a).toMatchObject({
      policy: "adaptive",
      content: "errors:\n2: Error: no undo\n\nfile_paths:\nsrc/a.ts",
      refs: ["artifact://run_123/a"],
    })
  })

  it("[MP-SPEC-1] every executor of the registry example can be named and does its work", async () => {
    const { executors } = partJson("registry")
    if (!Array.isArray(executors)) expect.fail()
    const registered = Object.fromEntries(
      executors.map((one) => [
        one.name,
        { ...one, ...(one.type === "human" ? {} : { work: () => one.name }) },
      ]),
    )
    const { ran } = bench(registered)
    const actions = executors.map(({ name, type }) => ({
      type: "action",
      id: name,
      executor: { type, target: name },
    }))
    expect(statuses(await ran(fence(withActions(...actions))))).toEqual([
      "read_file completed",
      "code-reviewer completed",
      "ask_user waiting",
    ])
  })
})

const withActions = (...actions: readonly object[]) => ({
  type: "agent.protocol",
  version: "1",
  intent: "execute",
  payload: { type: "action_graph", actions },
})
