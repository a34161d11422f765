import { createServer } from "node:http"
import {
  AbstractChat,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai"
import { afterEach, describe, expect, expectTypeOf, test } from "vitest"
import {
  type AiSdkChunk,
  AiSdkReader,
  AiSdkWriter,
  approvalsIn,
  type ChunkType,
  DATA_CARRIER,
  postedText,
} from "../../src/adapters/ai-sdk/index.ts"
import {
  type AgentUiEnvelope,
  type AgentUiState,
  emptyState,
  eventClasses,
  isEventClass,
  readText,
  reduce,
} from "../../src/index.ts"
import * as give from "./given.ts"

const write = (events: readonly AgentUiEnvelope[], writer = new AiSdkWriter()) =>
  events.flatMap((event) => writer.push(event).events)
const wired = <T>(value: T): T => JSON.parse(JSON.stringify(value))
const read = (chunks: readonly AiSdkChunk[], reader = new AiSdkReader()) =>
  chunks.flatMap((chunk) => reader.read(wired(chunk)).events)
const types = (chunks: readonly { type: string }[]) => chunks.map(({ type }) => type)
const native = (chunks: readonly AiSdkChunk[]) => chunks.filter(({ type }) => type !== DATA_CARRIER)

/** Every chunk is one of the published schema, and the published reader builds the message. */
async function built(chunks: readonly AiSdkChunk[]): Promise<UIMessage> {
  const schema = await uiMessageChunkSchema()
  for (const chunk of wired(chunks)) {
    const checked = await schema.validate?.(chunk)
    if (checked?.success !== true) throw new Error(`${JSON.stringify(chunk)} is no chunk.`)
  }
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of wired(chunks) as UIMessageChunk[]) controller.enqueue(chunk)
      controller.close()
    },
  })
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message
  if (!last) throw new Error("The stream built no message.")
  return last
}

const named = { toolCallId: "c", toolName: "shell" }
/** One chunk of every type as a peer would send it, and the classes that it becomes. */
const samples: Record<ChunkType | "data-weather", { chunk: Record<string, unknown>; classes: string[] }> = {
  start: { chunk: { messageId: "m" }, classes: ["run.started"] },
  "start-step": { chunk: {}, classes: ["run.status"] },
  "finish-step": { chunk: {}, classes: ["run.status"] },
  "reset-step": { chunk: {}, classes: ["messages.snapshot"] },
  finish: { chunk: { finishReason: "stop" }, classes: ["run.finished"] },
  abort: { chunk: { reason: "stop" }, classes: ["run.finished"] },
  error: { chunk: { errorText: "No." }, classes: ["run.failed"] },
  "message-metadata": { chunk: { messageMetadata: { a: 1 } }, classes: ["diagnostic.changed"] },
  custom: { chunk: { kind: "x.y" }, classes: ["diagnostic.changed"] },
  "text-start": { chunk: { id: "t" }, classes: ["text.delta"] },
  "text-delta": { chunk: { id: "t", delta: "a" }, classes: ["text.delta"] },
  "text-end": { chunk: { id: "t" }, classes: ["text.final"] },
  "reasoning-start": { chunk: { id: "t" }, classes: ["reasoning.delta"] },
  "reasoning-delta": { chunk: { id: "t", delta: "a" }, classes: ["reasoning.delta"] },
  "reasoning-end": { chunk: { id: "t" }, classes: ["reasoning.summary"] },
  "tool-input-start": { chunk: named, classes: ["tool.started"] },
  "tool-input-delta": { chunk: { toolCallId: "c", inputTextDelta: "{" }, classes: ["tool.args"] },
  "tool-input-available": { chunk: { ...named, input: {} }, classes: ["tool.started", "tool.args"] },
  "tool-input-error": {
    chunk: { ...named, input: "{", errorText: "No." },
    classes: ["tool.started", "tool.failed"],
  },
  "tool-approval-request": { chunk: { approvalId: "a", toolCallId: "c" }, classes: ["action.required"] },
  "tool-approval-response": { chunk: { approvalId: "a", approved: true }, classes: ["action.resolved"] },
  "tool-output-available": { chunk: { toolCallId: "c", output: 1 }, classes: ["tool.result"] },
  "tool-output-error": { chunk: { toolCallId: "c", errorText: "No." }, classes: ["tool.failed"] },
  "tool-output-denied": { chunk: { toolCallId: "c" }, classes: ["tool.failed"] },
  "source-url": { chunk: { sourceId: "s", url: "https://example.org" }, classes: ["evidence.changed"] },
  "source-document": {
    chunk: { sourceId: "s", mediaType: "text/plain", title: "A" },
    classes: ["evidence.changed"],
  },
  file: {
    chunk: { url: "https://example.org/a.png", mediaType: "image/png" },
    classes: ["artifact.created"],
  },
  "reasoning-file": {
    chunk: { url: "https://example.org/a", mediaType: "image/png" },
    classes: ["artifact.created"],
  },
  "steering-message": {
    chunk: { id: "s", parts: [{ type: "text", text: "Faster." }] },
    classes: ["queue.changed"],
  },
  "data-weather": { chunk: { id: "w", data: { sun: true } }, classes: ["diagnostic.changed"] },
}

describe("AI SDK in", () => {
  const project = (chunks: readonly object[], reader = new AiSdkReader({ sessionId: "s" })) =>
    reduce(
      emptyState(),
      chunks.flatMap((chunk) => reader.read(chunk).events),
    )
  const says = (id: string, delta: string) => [
    { type: "text-start", id },
    { type: "text-delta", id, delta },
    { type: "text-end", id },
  ]
  const spoken = (state: AgentUiState) =>
    [...state.messages.values()].map(({ parts }) =>
      parts.flatMap((part) => (part.kind === "text" ? readText(part.text) : [])),
    )

  test("turns without an id of their message are messages of their own", () => {
    const turn = (text: string) => [{ type: "start" }, ...says("0", text), { type: "finish" }]
    const state = project([...turn("One."), ...turn("Two.")])
    expect(spoken(state)).toEqual([["One."], ["Two."]])
    const readers = ["One.", "Two."].flatMap((text) => {
      const reader = new AiSdkReader({ sessionId: "s" })
      return turn(text).flatMap((chunk) => reader.read(chunk).events)
    })
    expect(spoken(reduce(emptyState(), readers))).toEqual([["One."], ["Two."]])
  })

  test.each([
    ["with its id", { messageId: "m" }, { type: "tool-output-available", output: "done" }, "approve"],
    ["without its id", {}, { type: "tool-output-available", output: "done" }, "approve"],
    ["after a denial", { messageId: "m" }, { type: "tool-output-denied" }, "reject"],
    ["to an error", {}, { type: "tool-output-error", errorText: "no" }, "approve"],
  ])(
    "a message that goes on after an approval, %s, is the same one and comes to its end",
    (_, id, what, decision) => {
      const state = project([
        { type: "start", messageId: "m" },
        ...says("0", "May I?"),
        { type: "tool-input-available", toolCallId: "c", toolName: "shell", input: {} },
        { type: "tool-approval-request", approvalId: "a", toolCallId: "c" },
        { type: "finish" },
        { type: "start", ...id },
        { ...what, toolCallId: "c" },
        ...says("0", "Done."),
        { type: "finish", finishReason: "stop" },
      ])
      expect(spoken(state)).toEqual([["May I?", "Done."]])
      expect(state.actions.get("a")).toMatchObject({ state: "resolved", resolution: { decision } })
      expect([...state.runs.values()].map(({ ended, outcome }) => [ended, outcome])).toEqual([
        [true, "success"],
      ])
      expect([...state.findings]).toEqual([])
    },
  )

  test.each(Object.entries(samples))(
    "[UI-INTEROP-1] AI SDK %s becomes Agent UI",
    async (type, { chunk, classes }) => {
      const schema = await uiMessageChunkSchema()
      expect(await schema.validate?.({ type, ...chunk })).toMatchObject({ success: true })
      const made = new AiSdkReader().read({ type, ...chunk })
      expect(types(made.events)).toEqual(classes)
      expect(made.events.every((event) => isEventClass(event.type))).toBe(true)
    },
  )

  test("[UI-INTEROP-1] the list of the chunk types is the published one", () => {
    type Published = Exclude<UIMessageChunk["type"], `data-${string}`>
    expectTypeOf<ChunkType>().toEqualTypeOf<Published>()
    expect(Object.keys(samples)).toHaveLength(29 + 1)
  })

  test("the chunks that are written are ones of the published types", () => {
    const accept = (_: UIMessageChunk["type"]) => undefined
    for (const chunk of write(give.turn())) accept(chunk.type)
  })

  test.each([
    ["a text"],
    [null],
    [[]],
    [{ no: 1 }],
    [{ type: 3 }],
    [{ type: "__proto__" }],
    [{ type: "new-in-8" }],
  ])("[UI-INTEROP-1] what the AI SDK does not have is kept as a diagnostic: %j", (value) => {
    expect(new AiSdkReader().read(value).events).toMatchObject([{ type: "diagnostic.changed" }])
  })

  test("[UI-INTEROP-2] names what was lost and what was guessed", () => {
    const file = {
      type: "file",
      url: "data:image/png;base64,AA",
      mediaType: "image/png",
      providerMetadata: {},
    }
    const { events, loss } = new AiSdkReader().read(file)
    expect(loss).toEqual({ lost: ["url", "providerMetadata"], guessed: ["artifactId"] })
    expect(JSON.stringify(events)).not.toContain("base64")
  })

  test("[UI-INTEROP-2] an exact chunk has an empty report", () => {
    expect(new AiSdkReader().read({ type: "tool-output-denied", toolCallId: "c" }).loss).toEqual({
      lost: [],
      guessed: [],
    })
  })

  test("[UI-INTEROP-6] reset-step takes back that step's parts and no others", () => {
    const made = read([
      { type: "start", messageId: "m" },
      { type: "start-step" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Kept." },
      { type: "text-end", id: "0" },
      { type: "tool-input-available", toolCallId: "c0", toolName: "shell", input: {} },
      { type: "tool-output-available", toolCallId: "c0", output: "ok" },
      { type: "finish-step" },
      { type: "start-step" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Gone." },
      { type: "tool-input-start", toolCallId: "c1", toolName: "shell" },
      { type: "reset-step" },
    ])
    expect(made.at(-1)).toMatchObject({
      type: "messages.snapshot",
      payload: {
        purpose: "repair",
        messages: [
          {
            messageId: "m",
            parts: [
              { partId: "0", kind: "text", text: "Kept.", state: "final" },
              { partId: "c0", kind: "tool", ref: "c0" },
              { kind: "text", retracted: true },
              { partId: "c1", kind: "tool", retracted: true },
            ],
          },
        ],
      },
    })
    const state = reduce(
      emptyState(),
      made.map((event) => ({ ...event, sessionId: "ses_1" })),
    )
    const [message] = [...state.messages.values()]
    expect(message?.parts.map((part) => (part.kind === "text" ? readText(part.text) : part.partId))).toEqual([
      "Kept.",
      "c0",
    ])
    const cancelled = made.filter(({ type }) => type === "tool.failed")
    expect(cancelled).toMatchObject([{ toolCallId: "c1", payload: { cancelled: true } }])
  })

  test("an id that is used again after its end is another part", () => {
    const made = read([
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "One" },
      { type: "text-end", id: "0" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Two" },
      { type: "text-end", id: "0" },
    ])
    const finals = made.filter(({ type }) => type === "text.final")
    expect(finals.map(({ payload }) => payload)).toEqual([{ text: "One" }, { text: "Two" }])
    expect(finals[0]?.partId).not.toBe(finals[1]?.partId)
  })

  test("[UI-INTEROP-6] a preliminary output is progress, and the call goes on", () => {
    const { events } = new AiSdkReader().read({
      type: "tool-output-available",
      toolCallId: "c",
      output: { rows: 1 },
      preliminary: true,
    })
    expect(events).toMatchObject([
      {
        type: "tool.progress",
        toolCallId: "c",
        payload: { preview: { text: '{"rows":1}' }, preliminary: true },
      },
    ])
  })

  test("[UI-INTEROP-6] a denied output is a failure marked denied", () => {
    const { events } = new AiSdkReader().read({ type: "tool-output-denied", toolCallId: "c" })
    expect(events).toMatchObject([{ type: "tool.failed", toolCallId: "c", payload: { denied: true } }])
  })

  test("a message that ends with an open approval waits; with none it is finished", () => {
    const asked: AiSdkChunk[] = [
      { type: "tool-approval-request", approvalId: "a", toolCallId: "c", reason: "Run ls?" },
      { type: "finish", finishReason: "tool-calls" },
    ]
    expect(read(asked)).toMatchObject([
      {
        type: "action.required",
        actionId: "a",
        payload: { actionType: "tool_approval", summary: "Run ls?" },
      },
      { type: "run.status", phase: "waiting" },
    ])
    const reader = new AiSdkReader()
    read([...asked, { type: "tool-approval-response", approvalId: "a", approved: false }], reader)
    expect(read([{ type: "finish", finishReason: "stop" }], reader)).toMatchObject([{ type: "run.finished" }])
  })
})

describe("AI SDK out", () => {
  test("the published reader builds the message of a turn, part by part", async () => {
    const message = await built(write(give.turn()))
    expect(message.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "Hello", state: "done" },
      {
        type: "dynamic-tool",
        toolName: "shell",
        toolCallId: "tcl_1",
        state: "output-available",
        input: { command: "ls" },
        output: "a.txt",
      },
      { type: "step-start" },
      { type: "text", text: "One file.", state: "done" },
    ])
  })

  test.each(["all", "unmapped", "none"] as const)(
    "the published reader takes one event of every class, carrying %s",
    async (carry) => {
      const message = await built(write(give.oneOfEach(), new AiSdkWriter({ carry })))
      expect(message.parts.some((part) => part.type === "data-factum-task")).toBe(true)
    },
  )

  test.each(eventClasses)("[UI-INTEROP-3] %s comes back through the AI SDK as it was", (type) => {
    const original = [give.eventOf("run.started", 1), give.eventOf(type, 2)]
    expect(read(write(original))).toEqual(original)
  })

  test("[UI-INTEROP-3] a whole turn and events of other agents come back in order", () => {
    const other = { type: "text.delta", sessionId: "ses_2", messageId: "m", payload: { delta: "Mine." } }
    const own = { type: "x.unlisted", anything: 1, payload: { odd: [1] } } as AgentUiEnvelope
    const original = [...give.turn().slice(0, 3), other, own, ...give.turn().slice(3)]
    expect(read(write(original))).toEqual(original)
  })

  test("what another agent says is no part of the message", async () => {
    const other = { type: "text.delta", sessionId: "ses_2", messageId: "m", payload: { delta: "Mine." } }
    const message = await built(write([...give.turn().slice(0, 4), other, give.finished()]))
    expect(JSON.stringify(message.parts)).not.toContain("Mine.")
  })

  test("[UI-INTEROP-2] carried events lose nothing; without a carrier the report names what is gone", () => {
    const writer = new AiSdkWriter()
    for (const event of give.oneOfEach()) expect(writer.push(event).loss.lost).toEqual([])
    const bare = new AiSdkWriter({ carry: "none" })
    bare.push(give.started())
    const { loss } = bare.push(give.eventOf("tool.result", 2))
    expect(loss.lost).toEqual(
      expect.arrayContaining(["sequence", "timestamp", "owner", "payload.durationMs"]),
    )
    expect(loss.lost).not.toContain("payload.preview")
    expect(loss.guessed).toContain("payload.toolName")
  })

  test.each([
    ["denied", { denied: true, message: "No." }, { state: "output-denied" }],
    ["failed", { message: "Too slow." }, { state: "output-error", errorText: "Too slow." }],
  ])("[UI-INTEROP-6] a call that was %s says so", async (_, payload, expected) => {
    const message = await built(
      write([
        give.started(),
        give.call("c"),
        give.args("c", "{}"),
        give.failed("c", payload),
        give.finished(),
      ]),
    )
    expect(message.parts.at(-1)).toMatchObject(expected)
  })

  test("[UI-INTEROP-6] progress with a preview is a preliminary output", async () => {
    const progress = {
      ...give.place,
      type: "tool.progress",
      toolCallId: "c",
      payload: { preview: { text: "half" } },
    }
    const chunks = write([give.started(), give.call("c"), give.args("c", "{}"), progress])
    expect(chunks.at(-1)).toMatchObject({ type: "tool-output-available", output: "half", preliminary: true })
  })

  test("a run that fails or is stopped closes its parts and says so", () => {
    const failed = native(write([give.started(), give.delta("p", "a"), give.runFailed()]))
    expect(types(failed).slice(-4)).toEqual(["text-end", "finish-step", "error", "finish"])
    const stopped = native(write([give.started(), give.delta("p", "a"), give.finished("cancelled")]))
    expect(types(stopped).slice(-3)).toEqual(["text-end", "finish-step", "abort"])
  })

  test("a source that ends in the middle aborts the message", () => {
    const writer = new AiSdkWriter()
    write([give.started(), give.delta("p", "a")], writer)
    expect(types(writer.close().events)).toEqual([DATA_CARRIER, "text-end", "finish-step", "abort"])
    expect(writer.over).toBe(true)
  })
})

test("reads text and answers from what a page sends back", () => {
  expect(
    postedText({
      parts: [
        { type: "text", text: "Hi" },
        { type: "file", url: "x" },
      ],
    }),
  ).toEqual({ text: "Hi", others: ["file"] })
  const part = {
    type: "dynamic-tool",
    toolCallId: "c",
    state: "approval-responded",
    approval: { id: "a", approved: false, reason: "no" },
  }
  expect(
    approvalsIn({ id: "m", role: "assistant", parts: [part, { ...part, state: "output-available" }] }),
  ).toEqual({
    messageId: "m",
    toolCallIds: ["c", "c"],
    answers: [{ actionId: "a", toolCallId: "c", approved: false, reason: "no" }],
  })
  expect(approvalsIn("nothing")).toEqual({ toolCallIds: [], answers: [] })
})

/** What `useChat` keeps, without React. */
class Kept implements ChatState<UIMessage> {
  status: ChatStatus = "ready"
  error: Error | undefined
  messages: UIMessage[] = []
  pushMessage = (message: UIMessage) => {
    this.messages = this.messages.concat(message)
  }
  popMessage = () => {
    this.messages = this.messages.slice(0, -1)
  }
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, structuredClone(message))
  }
  snapshot = <T>(value: T): T => structuredClone(value)
}
class Chat extends AbstractChat<UIMessage> {}

describe("AI SDK over HTTP", () => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  test("the transport of useChat shows a turn with an approval in it", async () => {
    const posted: Record<string, unknown>[] = []
    const first = [
      give.started(),
      give.call("c"),
      give.args("c", '{"command":"ls"}'),
      give.asks("a", "c"),
      give.waiting(),
    ]
    const second = [give.result("c", "a.txt"), give.final("p", "Done."), give.finished()]
    const server = createServer(async (incoming, outgoing) => {
      let body = ""
      for await (const piece of incoming) body += piece
      const input = JSON.parse(body)
      posted.push(input)
      const { messageId, toolCallIds, answers } = approvalsIn(input.messages.at(-1))
      const known = { toolCallIds, approvals: answers }
      const writer =
        posted.length === 1
          ? new AiSdkWriter({ messageId: "m", carry: "unmapped" })
          : new AiSdkWriter({ ...(messageId && { messageId }), known, carry: "unmapped" })
      outgoing.writeHead(200, { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" })
      for (const event of posted.length === 1 ? first : second) {
        for (const chunk of writer.push(event).events) outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`)
      }
      outgoing.end("data: [DONE]\n\n")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closing.push(() => server.close())
    const address = server.address()
    const port = typeof address === "object" && address ? address.port : 0

    const state = new Kept()
    const settled = Promise.withResolvers<void>()
    let finishes = 0
    const chat = new Chat({
      id: "chat",
      state,
      transport: new DefaultChatTransport({ api: `http://127.0.0.1:${port}/` }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onFinish: () => {
        finishes += 1
        if (finishes === 2) settled.resolve()
      },
      onError: settled.reject,
    })
    await chat.sendMessage({ text: "List." })
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({
      state: "approval-requested",
      approval: { id: "a" },
    })
    await chat.addToolApprovalResponse({ id: "a", approved: true })
    await settled.promise
    expect(posted).toHaveLength(2)
    expect(chat.messages).toHaveLength(2)
    expect(chat.messages.at(-1)).toMatchObject({
      id: "m",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "dynamic-tool", state: "output-available", output: "a.txt" },
        { type: "step-start" },
        { type: "text", text: "Done." },
      ],
    })
  })
})
