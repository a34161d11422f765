import { AgUiWriter } from "@factum/agent-ui/adapters/ag-ui"
import { AiSdkWriter } from "@factum/agent-ui/adapters/ai-sdk"
import { readRuntime } from "@factum/agent-ui/adapters/runtime"
import { describe, expect, test } from "vitest"
import { readTrace } from "../src/traces.ts"
import { readable, validateTrace } from "../src/validator/index.ts"

const judge = (...lines: readonly object[]) => validateTrace(lines.map((line) => JSON.stringify(line)))
const resultOf = (rule: string, lines: readonly object[]) =>
  judge(...lines).results.find((one) => one.rule === rule)
const long = "A passage that is long enough to be told from chance."

const agUi = [
  { type: "RUN_STARTED", threadId: "t", runId: "r" },
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "search" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: "c" },
  { type: "TOOL_CALL_RESULT", messageId: "m0", toolCallId: "c", content: long },
  { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "Nothing was found." },
  { type: "TEXT_MESSAGE_END", messageId: "m1" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r", result: 1 },
]
const aiSdk = [
  { type: "start", messageId: "m" },
  { type: "start-step" },
  { type: "tool-input-available", toolCallId: "c", toolName: "search", input: {} },
  { type: "tool-output-available", toolCallId: "c", output: long },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "Nothing was found." },
  { type: "text-end", id: "t" },
  { type: "data-weather", id: "w", data: { sun: true } },
  { type: "finish-step" },
  { type: "finish", finishReason: "stop" },
]
const dialects = [
  ["ag_ui", agUi],
  ["ai_sdk", aiSdk],
] as const

describe.each(dialects)("a trace in %s", (kind, lines) => {
  test("is read whole, and no rule is broken", () => {
    const report = judge(...lines)
    expect(report).toMatchObject({ kind, lines: lines.length, failures: 0, warnings: 0, ok: true })
    expect(report.events).toBeGreaterThanOrEqual(lines.length)
    expect(report.foreign).toMatchObject([{ dialect: kind, lines: lines.length }])
    const passed = report.results.filter(({ outcome }) => outcome === "pass").map(({ rule }) => rule)
    expect(passed).toEqual(expect.arrayContaining(["UI-CHECK-2", "UI-CHECK-3", "UI-CHECK-5", "UI-CHECK-6"]))
  })
  test("says of each rule that the protocol has no word for that it does not apply, and why", () => {
    const { results } = judge(...lines)
    const silent = results.filter(({ outcome, why }) => outcome === "not_applicable" && why !== undefined)
    const rules = silent.map(({ rule }) => rule)
    const runtimeList = Array.from({ length: 14 }, (_, at) => `RT-VAL-${at + 1}`)
    expect(rules).toEqual(expect.arrayContaining([...runtimeList, "RT-ENV-11", "UI-CHECK-8", "UI-CHECK-18"]))
    expect(results.find(({ rule }) => rule === "RT-VAL-1")?.why).toMatch(/neither ids nor sequences/)
    expect(results.filter(({ outcome, why }) => outcome !== "not_applicable" && why !== undefined)).toEqual(
      [],
    )
  })
  test("a line that is no JSON is a failure at its place all the same", () => {
    const report = validateTrace([...lines.map((line) => JSON.stringify(line)), "{"])
    expect(report.results.find(({ rule }) => rule === "RT-VAL-1")).toMatchObject({
      outcome: "fail",
      findings: [{ line: lines.length + 1 }],
    })
  })
})

test("[UI-INTEROP-2] the report names what was not read and what was filled in", () => {
  expect(judge(...agUi).foreign).toEqual([
    {
      dialect: "ag_ui",
      lines: 9,
      lost: ["messageId", "result"],
      guessed: ["payload.success", "payload.outcome"],
    },
  ])
  expect(readable(judge(...agUi))[1]).toBe(
    "9 lines of AG-UI. Not read: messageId, result. Filled in: payload.success, payload.outcome.",
  )
  expect(readable(judge(...aiSdk))).toContainEqual(
    expect.stringMatching(/^ n\/a UI-CHECK-12 +The topology is told: in the AI SDK there is no topology$/),
  )
})

describe("what is wrong in another protocol is found in its line", () => {
  const answer = (delta: string) => [{ ...agUi[6], delta }, agUi[7], agUi[8]] as object[]
  test("text of a tool in the answer", () => {
    expect(resultOf("UI-CHECK-6", [...agUi.slice(0, 6), ...answer(`It says: ${long}`)])).toMatchObject({
      outcome: "warning",
      findings: [{ line: 5, event: "tool.result" }],
    })
    const said = { type: "text-delta", id: "t", delta: `It says: ${long}` }
    expect(resultOf("UI-CHECK-6", [...aiSdk.slice(0, 5), said, ...aiSdk.slice(6)])).toMatchObject({
      outcome: "warning",
      findings: [{ line: 4, event: "tool.result" }],
    })
  })
  test("an answer to a question that nobody asked", () => {
    const chunks = [aiSdk[0] ?? {}, { type: "tool-approval-response", approvalId: "a", approved: true }]
    expect(resultOf("UI-CHECK-7", chunks)).toMatchObject({
      outcome: "warning",
      findings: [{ line: 2, event: "action.resolved" }],
    })
  })
  test("a teammate is looked at where the protocol has one", () => {
    const ended = { type: "SUBAGENT_FINISHED", subagentRunId: "a" }
    expect(resultOf("UI-CHECK-11", [...agUi.slice(0, 8), ended])?.outcome).toBe("pass")
    expect(resultOf("UI-CHECK-12", [...agUi.slice(0, 8), ended])?.outcome).toBe("not_applicable")
  })
  test("an event of AG-UI that is not listed is read as a diagnostic", () =>
    expect(judge({ type: "NEW_IN_2", any: 1 })).toMatchObject({ kind: "ag_ui", events: 1, failures: 0 }))
})

describe("our own events inside another protocol", () => {
  const facts = readTrace("coordinator-team")
  const events = facts.flatMap((fact) => readRuntime(fact).events)
  const outcomes = (lines: readonly object[]) =>
    judge(...lines)
      .results.filter(({ rule }) => rule.startsWith("UI-CHECK"))
      .map(({ rule, outcome }) => `${rule} ${outcome}`)
  test.each([
    ["ag_ui", new AgUiWriter()],
    ["ai_sdk", new AiSdkWriter()],
  ])("are judged as if they came alone: %s", (kind, writer) => {
    const sent: object[] = events.flatMap((event) => [...writer.push(event).events])
    sent.push(...writer.close().events)
    expect(judge(...sent)).toMatchObject({
      kind,
      events: events.length,
      foreign: [{ lost: [], guessed: [] }],
    })
    expect(outcomes(sent)).toEqual(outcomes(events))
  })
})

test("lines of several protocols are a mixed trace, in which every rule is looked at", () => {
  const solo = readTrace("solo-run")
  const report = judge(...solo, ...agUi)
  expect(report).toMatchObject({ kind: "mixed", failures: 0 })
  expect(report.results.find(({ rule }) => rule === "RT-VAL-1")?.outcome).toBe("pass")
  expect(judge(...agUi, ...aiSdk)).toMatchObject({ kind: "mixed", foreign: [{ lines: 9 }, { lines: 10 }] })
})
test("a fact is a fact whatever its type is called", () => {
  const [fact] = readTrace("solo-run")
  for (const type of ["error", "RUN_STARTED"])
    expect(judge({ ...fact, type })).toMatchObject({ kind: "runtime" })
})
