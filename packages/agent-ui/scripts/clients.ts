import { AbstractAgent, type BaseEvent, EventType, type Message } from "@ag-ui/client"
import { Chat } from "@ai-sdk/react"
import type { UIMessage, UIMessageChunk } from "ai"
import { Observable, type Subscriber } from "rxjs"
import { createAgentUiStore, readText } from "../src/index.ts"

/** One thing that happens, in nobody's words; each client gets it in its own. */
export type Happening =
  | { kind: "text"; text: string }
  | { kind: "tool"; id: string; step: "start" | "input" | "ready" | "output"; text: string }
  | { kind: "agent"; id: string; status: string }

/** A client of one protocol, with a thread in it, that is fed in bursts and read after each. */
export type Client = {
  /** Puts the events in the client's words before the clock starts. */
  prepare(happenings: readonly Happening[]): void
  feed(from: number, to: number): Promise<void>
  /** Reads what a person would see of the newest message: the length of its text and tool input. */
  read(): number
  close(): Promise<void>
}
export type Make = (thread: number) => Promise<Client>

const old = (at: number) => `Message ${at}: ${"lorem ipsum ".repeat(20)}`
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Ours: validated, ordered frames into the store. */
export const factum: Make = async (thread) => {
  const store = createAgentUiStore({ schedule: () => () => {} })
  const base = { sessionId: "s", threadId: "h", runId: "r", turnId: "u", messageId: "m" }
  let sequence = 0
  const frame = (event: object) => ({ stream: "s", sequence: ++sequence, events: [event] })
  for (let at = 0; at < thread; at++) {
    const more = {
      sessionId: "s",
      messageId: `old${at}`,
      payload: { text: old(at), role: at % 2 ? "assistant" : "user" },
    }
    store.dispatch([frame({ type: "text.final", ...more })])
  }
  store.flush()
  let events: object[] = []
  return {
    prepare: (happenings) => {
      events = happenings.map((one) =>
        frame({ ...base, timestamp: "2026-01-01T00:00:00.000Z", ...ours(one) }),
      )
    },
    feed: async (from, to) => {
      store.dispatch(events.slice(from, to))
      store.flush()
      await turn()
    },
    read: () => {
      const state = store.getSnapshot()
      let length = 0
      for (const part of state.messages.get("m")?.parts ?? []) {
        if (part.kind === "text") length += readText(part.text).length
        const call = part.kind === "tool" ? state.tools.get(part.ref) : undefined
        // The whole input takes the place of the pieces that it came in.
        if (call) length += readText(call.partialInput).length + (call.input?.text.length ?? 0)
      }
      return length + state.agents.size
    },
    close: async () => {
      events = []
    },
  }
}

function ours(one: Happening): object {
  if (one.kind === "text") return { type: "text.delta", payload: { delta: one.text } }
  if (one.kind === "agent") return { type: "agent.changed", agentId: one.id, payload: { status: one.status } }
  const types = { start: "tool.args", input: "tool.args", ready: "tool.args", output: "tool.result" }
  const payloads = {
    start: { toolName: "work" },
    input: { delta: one.text },
    ready: { complete: true, input: { text: one.text } },
    output: { preview: { text: one.text } },
  }
  return { type: types[one.step], toolCallId: one.id, payload: payloads[one.step] }
}

class FedAgent extends AbstractAgent {
  sink: Subscriber<BaseEvent> | undefined
  run(): Observable<BaseEvent> {
    return new Observable<BaseEvent>((subscriber) => {
      this.sink = subscriber
    })
  }
}

/** AG-UI's own agent, with its verification, fed through its `run`. */
export const agUi: Make = async (thread) => {
  const initialMessages = Array.from(
    { length: thread },
    (_, at): Message => ({ id: `old${at}`, role: at % 2 ? "assistant" : "user", content: old(at) }),
  )
  const agent = new FedAgent({ threadId: "h", initialMessages })
  const ended = agent.runAgent({ runId: "r" })
  await turn()
  const send = (event: BaseEvent) => agent.sink?.next(event)
  send({ type: EventType.RUN_STARTED, threadId: "h", runId: "r" })
  let events: BaseEvent[] = []
  return {
    prepare: (happenings) => {
      const agents = [...new Set(happenings.flatMap((one) => (one.kind === "agent" ? [one.id] : [])))]
      const isTeam = agents.length > 0
      if (isTeam)
        send({
          type: EventType.STATE_SNAPSHOT,
          snapshot: { agents: Object.fromEntries(agents.map((id) => [id, { status: "new" }])) },
        })
      else send({ type: EventType.TEXT_MESSAGE_START, messageId: "m", role: "assistant" })
      events = happenings.map(asAgUi)
    },
    feed: async (from, to) => {
      for (let at = from; at < to; at++) if (events[at]) send(events[at] as BaseEvent)
      await turn()
    },
    read: () => {
      const last = agent.messages.find((message) => message.id === "m")
      const text = typeof last?.content === "string" ? last.content.length : 0
      const calls = last?.role === "assistant" ? (last.toolCalls ?? []) : []
      const team = Object.keys(agent.state?.agents ?? {}).length
      return text + calls.reduce((sum, call) => sum + call.function.arguments.length, 0) + team
    },
    close: async () => {
      agent.sink?.complete()
      await ended.catch(() => {})
      events = []
    },
  }
}

function asAgUi(one: Happening): BaseEvent {
  if (one.kind === "text") return { type: EventType.TEXT_MESSAGE_CONTENT, messageId: "m", delta: one.text }
  if (one.kind === "agent")
    return {
      type: EventType.STATE_DELTA,
      delta: [{ op: "replace", path: `/agents/${one.id}/status`, value: one.status }],
    }
  const { id: toolCallId, text } = one
  if (one.step === "start")
    return { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: "work", parentMessageId: "m" }
  if (one.step === "input") return { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: text }
  if (one.step === "ready") return { type: EventType.TOOL_CALL_END, toolCallId }
  return { type: EventType.TOOL_CALL_RESULT, messageId: `result-${toolCallId}`, toolCallId, content: text }
}

/** The AI SDK's React chat, fed through a transport. */
export const aiSdk: Make = async (thread) => {
  let controller: ReadableStreamDefaultController<UIMessageChunk> | undefined
  const messages = Array.from(
    { length: thread },
    (_, at): UIMessage => ({
      id: `old${at}`,
      role: at % 2 ? "assistant" : "user",
      parts: [{ type: "text", text: old(at) }],
    }),
  )
  const chat = new Chat<UIMessage>({
    messages,
    transport: {
      sendMessages: async () =>
        new ReadableStream<UIMessageChunk>({
          start: (one) => {
            controller = one
          },
        }),
      reconnectToStream: async () => null,
    },
  })
  const ended = chat.sendMessage({ text: "go" })
  while (!controller) await turn()
  const stream = controller
  stream.enqueue({ type: "start", messageId: "m" })
  stream.enqueue({ type: "text-start", id: "t" })
  let chunks: UIMessageChunk[] = []
  // The stream is read in microtasks of its own: a last, cheap chunk tells when it has been emptied.
  let mark = 0
  const isEmptied = () => {
    const last = chat.messages.at(-1)
    return (
      typeof last?.metadata === "object" &&
      last.metadata !== null &&
      "mark" in last.metadata &&
      last.metadata.mark === mark
    )
  }
  return {
    prepare: (happenings) => {
      chunks = happenings.map(asChunk)
    },
    feed: async (from, to) => {
      for (let at = from; at < to; at++) if (chunks[at]) stream.enqueue(chunks[at] as UIMessageChunk)
      stream.enqueue({ type: "message-metadata", messageMetadata: { mark: ++mark } })
      do await turn()
      while (!isEmptied())
    },
    read: () => {
      let length = 0
      for (const part of chat.messages.at(-1)?.parts ?? []) {
        if (part.type === "text") length += part.text.length
        else if (part.type === "tool-work" && "input" in part) length += inputLength(part.input)
        else if (part.type === "data-agent") length++
      }
      return length
    },
    close: async () => {
      stream.close()
      await ended.catch(() => {})
      chunks = []
    },
  }
}
const inputLength = (input: unknown) =>
  typeof input === "object" && input !== null && "text" in input && typeof input.text === "string"
    ? input.text.length
    : 0

function asChunk(one: Happening): UIMessageChunk {
  if (one.kind === "text") return { type: "text-delta", id: "t", delta: one.text }
  if (one.kind === "agent") return { type: "data-agent", id: one.id, data: { status: one.status } }
  const { id: toolCallId, text } = one
  if (one.step === "start") return { type: "tool-input-start", toolCallId, toolName: "work" }
  if (one.step === "input") return { type: "tool-input-delta", toolCallId, inputTextDelta: text }
  if (one.step === "ready")
    return { type: "tool-input-available", toolCallId, toolName: "work", input: { text } }
  return { type: "tool-output-available", toolCallId, output: text }
}
