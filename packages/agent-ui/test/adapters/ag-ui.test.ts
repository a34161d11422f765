import { createServer } from "node:http"
import { type BaseEvent, buildResumeArray, EventType, HttpAgent, verifyEvents } from "@ag-ui/client"
import type { Event } from "@ag-ui/core"
import { EventSchemas } from "@ag-ui/core/schemas"
import { from, lastValueFrom, toArray } from "rxjs"
import { afterEach, describe, expect, expectTypeOf, test } from "vitest"
import {
  type AgUiEvent,
  AgUiReader,
  type AgUiType,
  AgUiWriter,
  answersOf,
  CARRIER,
} from "../../src/adapters/ag-ui/index.ts"
import {
  type AgentUiEnvelope,
  type AgentUiState,
  createViews,
  emptyState,
  eventClasses,
  isEventClass,
  readText,
  reduce,
} from "../../src/index.ts"
import * as give from "./given.ts"

const write = (events: readonly AgentUiEnvelope[], writer = new AgUiWriter()) =>
  events.flatMap((event) => writer.push(event).events)
const wired = <T>(value: T): T => JSON.parse(JSON.stringify(value))
const read = (events: readonly AgUiEvent[], reader = new AgUiReader()) =>
  events.flatMap((event) => reader.read(wired(event)).events)
const codesOf = (state: AgentUiState) => [...state.findings].map(({ code }) => code)
const types = (events: readonly AgUiEvent[]) => events.map(({ type }) => type)

/** The published verifier, which throws on what the protocol forbids. */
async function verified(events: readonly AgUiEvent[]): Promise<void> {
  for (const event of events) EventSchemas.parse(wired(event))
  const source = from(wired(events) as unknown as BaseEvent[])
  const passed = await lastValueFrom(verifyEvents()(source).pipe(toArray()))
  expect(passed).toHaveLength(events.length)
}

/** One event of every type as a peer would send it, and the classes that it becomes. */
const samples: Record<AgUiType, { event: Record<string, unknown>; classes: string[] }> = {
  RUN_STARTED: { event: { threadId: "t", runId: "r" }, classes: ["run.started"] },
  RUN_FINISHED: {
    event: { threadId: "t", runId: "r", outcome: { type: "success" } },
    classes: ["run.finished"],
  },
  RUN_ERROR: { event: { message: "No.", code: "x" }, classes: ["run.failed"] },
  STEP_STARTED: { event: { stepName: "s" }, classes: ["run.status"] },
  STEP_FINISHED: { event: { stepName: "s" }, classes: ["run.status"] },
  TEXT_MESSAGE_START: { event: { messageId: "m", role: "assistant" }, classes: ["text.delta"] },
  TEXT_MESSAGE_CONTENT: { event: { messageId: "m", delta: "a" }, classes: ["text.delta"] },
  TEXT_MESSAGE_END: { event: { messageId: "m" }, classes: ["text.final"] },
  TEXT_MESSAGE_CHUNK: { event: { messageId: "m", delta: "a" }, classes: ["text.delta"] },
  REASONING_START: { event: { messageId: "m" }, classes: ["reasoning.delta"] },
  REASONING_MESSAGE_START: { event: { messageId: "m", role: "reasoning" }, classes: ["reasoning.delta"] },
  REASONING_MESSAGE_CONTENT: { event: { messageId: "m", delta: "a" }, classes: ["reasoning.delta"] },
  REASONING_MESSAGE_END: { event: { messageId: "m" }, classes: ["reasoning.summary"] },
  REASONING_MESSAGE_CHUNK: { event: { messageId: "m", delta: "a" }, classes: ["reasoning.delta"] },
  REASONING_END: { event: { messageId: "m" }, classes: ["reasoning.summary"] },
  REASONING_ENCRYPTED_VALUE: {
    event: { subtype: "message", entityId: "m", encryptedValue: "zz" },
    classes: ["diagnostic.changed"],
  },
  TOOL_CALL_START: { event: { toolCallId: "c", toolCallName: "shell" }, classes: ["tool.started"] },
  TOOL_CALL_ARGS: { event: { toolCallId: "c", delta: "{" }, classes: ["tool.started", "tool.args"] },
  TOOL_CALL_END: { event: { toolCallId: "c" }, classes: ["tool.args"] },
  TOOL_CALL_CHUNK: {
    event: { toolCallId: "c", toolCallName: "shell", delta: "{" },
    classes: ["tool.started", "tool.args"],
  },
  TOOL_CALL_RESULT: { event: { messageId: "m", toolCallId: "c", content: "a" }, classes: ["tool.result"] },
  STATE_SNAPSHOT: { event: { snapshot: { a: 1 } }, classes: ["state.snapshot"] },
  STATE_DELTA: { event: { delta: [{ op: "remove", path: "/a" }] }, classes: ["state.delta"] },
  MESSAGES_SNAPSHOT: {
    event: { messages: [{ id: "m", role: "user", content: "Hi" }] },
    classes: ["messages.snapshot"],
  },
  ACTIVITY_SNAPSHOT: {
    event: { messageId: "m", activityType: "PLAN", content: {} },
    classes: ["diagnostic.changed"],
  },
  ACTIVITY_DELTA: {
    event: { messageId: "m", activityType: "PLAN", patch: [] },
    classes: ["diagnostic.changed"],
  },
  RAW: { event: { event: { any: 1 }, source: "x" }, classes: ["diagnostic.changed"] },
  CUSTOM: { event: { name: "x", value: 1 }, classes: ["diagnostic.changed"] },
  SUBAGENT_STARTED: { event: { subagentRunId: "a", name: "Ada" }, classes: ["agent.spawned"] },
  SUBAGENT_FINISHED: { event: { subagentRunId: "a" }, classes: ["agent.completed"] },
  SUBAGENT_ERROR: { event: { subagentRunId: "a", message: "No." }, classes: ["agent.completed"] },
}

describe("AG-UI in", () => {
  test.each(Object.entries(samples))(
    "[UI-INTEROP-1] AG-UI %s becomes Agent UI",
    (type, { event, classes }) => {
      const made = new AgUiReader().read({ type, ...event })
      expect(made.events.map((one) => one.type)).toEqual(classes)
      expect(made.events.every((one) => isEventClass(one.type))).toBe(true)
    },
  )

  test("[UI-INTEROP-1] the list of AG-UI's types is whole", () => {
    expect(Object.keys(samples).sort()).toEqual(Object.values(EventType).sort())
    expect(Object.keys(samples)).toHaveLength(31)
  })

  test("[UI-INTEROP-1] the events of the samples are ones of the published schema", () => {
    for (const [type, { event }] of Object.entries(samples)) EventSchemas.parse({ type, ...event })
  })

  test.each([
    ["a text"],
    [null],
    [[]],
    [{ no: "type" }],
    [{ type: 3 }],
    [{ type: "__proto__" }],
    [{ type: "NEW_IN_2" }],
  ])("[UI-INTEROP-1] what AG-UI does not have is kept as a diagnostic: %j", (value) => {
    expect(new AgUiReader().read(value).events).toMatchObject([{ type: "diagnostic.changed" }])
  })

  test("[UI-INTEROP-2] names what was lost and what was guessed", () => {
    const { loss } = new AgUiReader().read({
      type: "RUN_FINISHED",
      threadId: "t",
      runId: "r",
      result: 1,
      usage: [],
      rawEvent: {},
    })
    expect(loss).toEqual({ lost: ["result", "usage", "rawEvent"], guessed: ["payload.outcome"] })
  })

  test("[UI-INTEROP-2] an exact event has an empty report", () => {
    const said = { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant", timestamp: 1 }
    expect(new AgUiReader().read(said).loss).toEqual({ lost: [], guessed: [] })
  })

  test("joins pieces exactly and gives the whole at the end, which AG-UI does not", () => {
    const made = read([
      { type: "TEXT_MESSAGE_START", messageId: "m" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hel" },
      { type: "TEXT_MESSAGE_CHUNK", delta: "lo" },
      { type: "TEXT_MESSAGE_END", messageId: "m" },
    ])
    expect(made.at(-1)).toMatchObject({ type: "text.final", messageId: "m", payload: { text: "Hello" } })
  })

  test("a foreign run reduces to its texts, calls and questions", () => {
    const made = read([
      { type: "RUN_STARTED", threadId: "t", runId: "r" },
      { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hello" },
      { type: "TEXT_MESSAGE_END", messageId: "m" },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "shell" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      {
        type: "RUN_FINISHED",
        threadId: "t",
        runId: "r",
        outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "tool_call", toolCallId: "c" }] },
      },
    ])
    const state = reduce(
      emptyState(),
      made.map((event) => ({ ...event, sessionId: "ses_1" })),
    )
    const [part] = [...state.messages.values()].flatMap(({ parts }) => parts)
    expect(part?.kind === "text" && readText(part.text)).toBe("Hello")
    expect([...state.tools.values()]).toMatchObject([{ toolCallId: "c", status: "input-available" }])
    expect([...state.actions.values()]).toMatchObject([{ actionId: "i", state: "pending" }])
    expect([...state.runs.values()]).toMatchObject([{ runId: "r", phase: "waiting", ended: false }])
  })

  test("[UI-INTEROP-4] TOOL_CALL_END says that the input is there, not that the tool has run", () => {
    const made = read([
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "shell" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
      { type: "TOOL_CALL_END", toolCallId: "c" },
    ])
    expect(made.map(({ type }) => type)).toEqual(["tool.started", "tool.args", "tool.args"])
    expect(made.at(-1)?.payload).toEqual({ complete: true })
  })

  test("[UI-INTEROP-4] TOOL_CALL_RESULT has the success unknown", () => {
    const { events, loss } = new AgUiReader().read({
      type: "TOOL_CALL_RESULT",
      messageId: "m",
      toolCallId: "c",
      content: [
        { type: "text", text: "Error: " },
        { type: "text", text: "no" },
      ],
    })
    expect(events).toMatchObject([
      {
        type: "tool.result",
        toolCallId: "c",
        payload: { preview: { text: "Error: no" }, success: "unknown" },
      },
    ])
    expect(loss.guessed).toEqual(["payload.success"])
  })

  const interrupted = {
    type: "RUN_FINISHED",
    threadId: "t",
    runId: "r",
    outcome: {
      type: "interrupt",
      interrupts: [
        { id: "i1", reason: "tool_call", toolCallId: "c", message: "Run ls?" },
        { id: "i2", reason: "input_required", responseSchema: { type: "object" } },
      ],
    },
  } as const

  test("[UI-INTEROP-5] an interrupt is one action for each open one, and the run waits", () => {
    const { events } = new AgUiReader().read(interrupted)
    expect(events.map(({ type, actionId }) => [type, actionId])).toEqual([
      ["run.status", undefined],
      ["action.required", "i1"],
      ["action.required", "i2"],
    ])
    expect(events[0]?.phase).toBe("waiting")
    expect(events[1]).toMatchObject({
      toolCallId: "c",
      payload: { actionType: "tool_approval", summary: "Run ls?" },
    })
    expect(events[2]).toMatchObject({
      payload: { actionType: "structured_input", schema: { type: "object" } },
    })
  })

  test("[UI-INTEROP-5] answers are held until all are given, then resumed as one batch", () => {
    const reader = new AgUiReader()
    reader.read(interrupted)
    expect(reader.answer("i9", { decision: "approve" })).toBeUndefined()
    expect(reader.answer("i2", { decision: "answer", payload: { name: "Ada" } })).toBeUndefined()
    const resume = reader.answer("i1", { decision: "approve" })
    expect(resume).toEqual([
      { interruptId: "i1", status: "resolved", payload: { decision: "approve" } },
      { interruptId: "i2", status: "resolved", payload: { decision: "answer", name: "Ada" } },
    ])
    const { events } = reader.read({ type: "RUN_STARTED", threadId: "t", runId: "r2" })
    expect(events.map(({ type, actionId }) => [type, actionId])).toEqual([
      ["action.resolved", "i2"],
      ["action.resolved", "i1"],
      ["run.started", undefined],
    ])
    expect(reader.answer("i1", { decision: "approve" })).toBeUndefined()
  })

  const status = (state: AgentUiState) =>
    createViews().of("runtime_status", state, { sessionId: "t" }, new Set()).status
  const shown = (state: AgentUiState) =>
    [...state.messages.values()].map(({ messageId, role, parts }) => [
      messageId,
      role,
      ...parts.map((part) =>
        part.kind === "text" ? readText(part.text) : part.kind === "tool" ? part.ref : part.kind,
      ),
    ])

  test("[UI-INTEROP-5] after the batch nothing waits any more, and the work goes on in the next run", () => {
    const reader = new AgUiReader()
    const take = (...events: object[]) => events.flatMap((event) => reader.read(event).events)
    const before = reduce(emptyState(), [
      ...take(
        { type: "RUN_STARTED", threadId: "t", runId: "r1" },
        { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "shell" },
        { ...interrupted, threadId: "t", runId: "r1" },
      ),
    ])
    expect(status(before)).toBe("blocked")
    reader.answer("i1", { decision: "approve" })
    reader.answer("i2", { decision: "answer" })
    const resumed = reduce(before, take({ type: "RUN_STARTED", threadId: "t", runId: "r2" }))
    expect([...resumed.actions.values()].map(({ state }) => state)).toEqual(["resolved", "resolved"])
    expect([...resumed.runs.values()].map(({ runId, ended }) => [runId, ended])).toEqual([
      ["r1", true],
      ["r2", false],
    ])
    expect(status(resumed)).not.toBe("blocked")
    const ended = reduce(
      resumed,
      take(
        { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: "ok" },
        { type: "RUN_FINISHED", threadId: "t", runId: "r2" },
      ),
    )
    expect(ended.tools.get("c")?.status).toBe("output-available")
    expect(status(ended)).toBe("done")
  })

  const streamed = [
    { type: "RUN_STARTED", threadId: "t", runId: "r1" },
    { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "Let me see." },
    { type: "TEXT_MESSAGE_END", messageId: "m1" },
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "ls", parentMessageId: "m1" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: "{}" },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
    { type: "TOOL_CALL_RESULT", messageId: "m2", toolCallId: "c1", content: "a.txt" },
  ]
  const messages = [
    {
      id: "m1",
      role: "assistant",
      content: "Let me see.",
      toolCalls: [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }],
    },
    { id: "m2", role: "tool", toolCallId: "c1", content: "a.txt" },
  ]
  const snapshot = { type: "MESSAGES_SNAPSHOT", messages }
  const project = (events: readonly object[]) => {
    const reader = new AgUiReader()
    return reduce(
      emptyState(),
      events.flatMap((event) => reader.read(event).events),
    )
  }

  test("[UI-INTEROP-1] a snapshot of messages after they streamed changes nothing", () => {
    const live = project(streamed)
    expect(shown(live)).toEqual([["m1", "assistant", "Let me see.", "c1"]])
    const after = project([...streamed, snapshot])
    expect(shown(after)).toEqual(shown(live))
    expect(codesOf(after)).toEqual([])
  })
  test("[UI-INTEROP-1] a snapshot of messages alone tells their calls and results", () => {
    const state = project([{ type: "RUN_STARTED", threadId: "t", runId: "r1" }, snapshot])
    expect(shown(state).map((row) => [...row].sort())).toEqual(
      shown(project(streamed)).map((row) => [...row].sort()),
    )
    expect(state.tools.get("c1")).toMatchObject({ toolName: "ls", status: "output-available" })
    expect(codesOf(state)).toEqual([])
  })
  test("[UI-INTEROP-1] a message that begins again keeps what it said, also through a snapshot", () => {
    const again = [
      ...streamed,
      { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: " One file." },
      { type: "TEXT_MESSAGE_END", messageId: "m1" },
    ]
    const state = project(again)
    expect(shown(state)).toEqual([["m1", "assistant", "Let me see.", "c1", " One file."]])
    const joined = [{ ...messages[0], content: "Let me see. One file." }, messages[1]]
    const after = project([...again, { type: "MESSAGES_SNAPSHOT", messages: joined }])
    expect(shown(after)).toEqual([["m1", "assistant", "Let me see. One file.", "c1"]])
  })

  test.each([
    [{ status: "cancelled" }, { decision: "cancel" }],
    [{ status: "resolved", payload: "deny" }, { decision: "deny" }],
    [{ status: "resolved", payload: true }, { decision: "approve" }],
    [{ status: "resolved", payload: false }, { decision: "reject" }],
    [{ status: "resolved", payload: { approved: true } }, { decision: "approve" }],
    [
      { status: "resolved", payload: { approved: false, note: "no" } },
      { decision: "reject", note: "no" },
    ],
    [
      { status: "resolved", payload: { name: "Ada" } },
      { decision: "answer", payload: { name: "Ada" } },
    ],
    [{ status: "resolved" }, { decision: "answer" }],
  ] as const)("reads the answer %j", (entry, answer) => {
    expect(answersOf([{ interruptId: "i", ...entry }])).toEqual([{ actionId: "i", answer }])
  })
})

describe("AG-UI out", () => {
  test("a turn passes the published verifier and says everything once", async () => {
    const out = write(give.turn())
    await verified(out)
    expect(types(out)).toEqual([
      "RUN_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ])
  })

  test.each(["all", "unmapped", "none"] as const)(
    "one event of every class passes the verifier, carrying %s",
    async (carry) => {
      await verified(write(give.oneOfEach(), new AgUiWriter({ carry })))
    },
  )

  test("what is open when a run ends is closed first", async () => {
    for (const end of [give.finished(), give.finished("cancelled"), give.runFailed()]) {
      const spawned = {
        ...give.place,
        type: "agent.spawned",
        agentId: "agt_1",
        payload: { agentName: "Ada" },
      }
      const reasoning = {
        ...give.place,
        type: "reasoning.delta",
        messageId: "m",
        payload: { delta: "a", visible: true },
      }
      await verified(write([give.started(), spawned, give.delta("p", "a"), reasoning, give.call("c"), end]))
    }
  })

  test("a source that ends in the middle ends the run with an error", async () => {
    const writer = new AgUiWriter()
    const out = [...write([give.started(), give.delta("p", "a")], writer), ...writer.close().events]
    await verified(out)
    expect(out.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "source_ended" })
  })

  test("[UI-INTEROP-3] the carrier never uses what AG-UI reserves", () => {
    for (const event of write(give.oneOfEach()))
      expect(Object.keys(event.metadata ?? {})).not.toContain("ag-ui")
  })

  test.each(eventClasses)("[UI-INTEROP-3] %s comes back through AG-UI as it was", (type) => {
    const original = [give.eventOf("run.started", 1), give.eventOf(type, 2)]
    expect(read(write(original))).toEqual(original)
  })

  test("[UI-INTEROP-3] a whole run with what comes before and after it comes back in order", () => {
    const before = { ...give.place, type: "session.opened", payload: { title: "A" } }
    const own = { type: "x.unlisted", anything: 1, payload: { odd: [1] } } as AgentUiEnvelope
    const original = [before, ...give.turn().slice(0, 3), own, ...give.turn().slice(3)]
    expect(read(write(original))).toEqual(original)
  })

  test("[UI-INTEROP-3] a run that waited for a person comes back as one", async () => {
    const original = [
      give.started(),
      give.call("c"),
      give.args("c", "{}"),
      give.asks("a", "c"),
      give.waiting(),
      give.answered("a", "approve"),
      give.result("c", "ok"),
      give.finished(),
    ]
    const out = write(original)
    await verified(out)
    expect(types(out).filter((type) => type.startsWith("RUN_"))).toEqual([
      "RUN_STARTED",
      "RUN_FINISHED",
      "RUN_STARTED",
      "RUN_FINISHED",
    ])
    expect(read(out)).toEqual(original)
  })

  test("[UI-INTEROP-2] carried events lose nothing", () => {
    const writer = new AgUiWriter()
    for (const event of give.oneOfEach()) expect(writer.push(event).loss.lost).toEqual([])
  })

  test("[UI-INTEROP-2] without a carrier the report names every field that is gone", () => {
    const writer = new AgUiWriter({ carry: "none" })
    writer.push(give.started())
    expect(writer.push(give.eventOf("tool.failed", 2))).toMatchObject({
      events: [{ type: "TOOL_CALL_RESULT", content: "Too slow." }],
      loss: {
        lost: expect.arrayContaining(["sequence", "owner", "payload.category", "payload.retryable"]),
        guessed: [],
      },
    })
    expect(writer.push(give.eventOf("queue.changed", 3))).toMatchObject({
      events: [],
      loss: { lost: expect.arrayContaining(["sessionId"]) },
    })
  })

  test("[UI-INTEROP-2] a final that corrects the stream is reported, because AG-UI only appends", () => {
    const writer = new AgUiWriter({ carry: "none" })
    write([give.started(), give.delta("p", "Helo")], writer)
    const { events, loss } = writer.push(give.final("p", "Hello"))
    expect(types(events)).toEqual(["TEXT_MESSAGE_END"])
    expect(loss.lost).toContain("payload.text")
  })

  test("[UI-INTEROP-2] a final that goes on from the stream is completed, with nothing lost of the text", () => {
    const writer = new AgUiWriter({ carry: "none" })
    write([give.started(), give.delta("p", "Hel")], writer)
    const { events, loss } = writer.push(give.final("p", "Hello"))
    expect(events).toMatchObject([
      { type: "TEXT_MESSAGE_CONTENT", delta: "lo" },
      { type: "TEXT_MESSAGE_END" },
    ])
    expect(loss.lost).not.toContain("payload.text")
  })

  test("reasoning that may not be read does not become text", () => {
    const hidden = { ...give.place, type: "reasoning.delta", payload: { delta: "secret thought" } }
    expect(types(write([give.started(), hidden]))).toEqual(["RUN_STARTED", "CUSTOM"])
    expect(write([give.started(), hidden], new AgUiWriter({ carry: "none" }))).toHaveLength(1)
  })

  test("[UI-INTEROP-5] a run is interrupted only when every call that goes on waits for a person", () => {
    const writer = new AgUiWriter({ run: { threadId: "t", runId: "r" }, carry: "none" })
    const out = write(
      [give.started(), give.call("c1"), give.call("c2"), give.asks("a1", "c1"), give.waiting()],
      writer,
    )
    expect(types(out)).not.toContain("RUN_FINISHED")
    const end = write([give.asks("a2", "c2")], writer)
    expect(end.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      runId: "r",
      outcome: {
        type: "interrupt",
        interrupts: [
          { id: "a1", toolCallId: "c1" },
          { id: "a2", toolCallId: "c2" },
        ],
      },
    })
    expect(writer.over).toBe(true)
    expect(writer.push(give.result("c1", "x"))).toMatchObject({
      events: [],
      loss: {
        lost: [
          "type",
          expect.any(String),
          expect.any(String),
          expect.any(String),
          expect.any(String),
          "toolCallId",
          "payload.preview",
          "payload.success",
        ],
      },
    })
  })

  test("the types are those that the peer publishes", () => {
    type Published = { [K in Event as `${K["type"]}`]: Omit<K, "type"> & { type: `${K["type"]}` } }
    type Ours = { [K in AgUiType]: Extract<AgUiEvent, { type: K }> }
    expectTypeOf<keyof Ours>().toEqualTypeOf<keyof Published>()
    expectTypeOf<Ours["TEXT_MESSAGE_CONTENT"]>().toExtend<Published["TEXT_MESSAGE_CONTENT"]>()
    expectTypeOf<Ours["TOOL_CALL_RESULT"]["toolCallId"]>().toEqualTypeOf<
      Published["TOOL_CALL_RESULT"]["toolCallId"]
    >()
    expect(CARRIER).not.toBe("ag-ui")
  })
})

describe("AG-UI over HTTP", () => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  /** A server that answers each request with the stream of the next events. */
  async function serve(...runs: readonly AgentUiEnvelope[][]) {
    const inputs: Record<string, unknown>[] = []
    const server = createServer(async (incoming, outgoing) => {
      let body = ""
      for await (const piece of incoming) body += piece
      const input = JSON.parse(body)
      inputs.push(input)
      const writer = new AgUiWriter({
        run: { threadId: input.threadId, runId: input.runId },
        carry: "unmapped",
      })
      outgoing.writeHead(200, { "content-type": "text/event-stream" })
      for (const event of runs[inputs.length - 1] ?? []) {
        for (const made of writer.push(event).events) outgoing.write(`data: ${JSON.stringify(made)}\n\n`)
      }
      outgoing.end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closing.push(() => server.close())
    const address = server.address()
    const port = typeof address === "object" && address ? address.port : 0
    return { url: `http://127.0.0.1:${port}/`, inputs }
  }

  test("the published HttpAgent shows the messages of a turn in order", async () => {
    const { url } = await serve(give.turn())
    const agent = new HttpAgent({ url, threadId: "t" })
    agent.addMessage({ id: "u", role: "user", content: "List." })
    await agent.runAgent({ runId: "r" })
    expect(agent.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "assistant",
      "tool",
      "assistant",
    ])
    expect(agent.messages).toMatchObject([
      { content: "List." },
      { content: "Hello" },
      { toolCalls: [{ id: "tcl_1", function: { name: "shell", arguments: '{"command":"ls"}' } }] },
      { toolCallId: "tcl_1", content: "a.txt" },
      { content: "One file." },
    ])
  })

  test("[UI-INTEROP-5] the published HttpAgent is interrupted, answers all at once and goes on", async () => {
    const first = [give.started(), give.call("c"), give.args("c", "{}"), give.asks("a", "c"), give.waiting()]
    const second = [
      give.answered("a", "approve"),
      give.result("c", "ok"),
      give.final("p", "Done."),
      give.finished(),
    ]
    const { url, inputs } = await serve(first, second)
    const agent = new HttpAgent({ url, threadId: "t" })
    await agent.runAgent({ runId: "r1" })
    expect(agent.pendingInterrupts).toMatchObject([{ id: "a", reason: "tool_approval", toolCallId: "c" }])
    const resume = buildResumeArray(agent.pendingInterrupts, {
      a: { status: "resolved", payload: { decision: "approve" } },
    })
    await agent.runAgent({ runId: "r2", resume })
    expect(answersOf(inputs[1]?.resume as typeof resume)).toEqual([
      { actionId: "a", answer: { decision: "approve" } },
    ])
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Done." })
    expect(agent.messages.filter(({ role }) => role === "tool")).toMatchObject([{ content: "ok" }])
  })
})
