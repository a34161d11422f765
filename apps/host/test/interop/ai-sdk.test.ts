import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import {
  AbstractChat,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startInterop } from "./given.ts"

let host: Awaited<ReturnType<typeof startInterop>>
beforeEach(async () => {
  host = await startInterop()
})
afterEach(async () => {
  await host.close()
  host.work.remove()
})

/** What `useChat` keeps, without React. */
class Kept implements ChatState<UIMessage> {
  status: ChatStatus = "ready"
  error: Error | undefined
  messages: UIMessage[]
  constructor(messages: UIMessage[] = []) {
    this.messages = messages
  }
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

function chatting(id: string, messages: UIMessage[] = []) {
  let finished = 0
  const waiting: { count: number; done: () => void }[] = []
  const chat = new Chat({
    id,
    state: new Kept(messages),
    transport: new DefaultChatTransport({ api: `${host.url}/v1/ai-sdk/chat`, headers: host.headers }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: () => {
      finished += 1
      for (const { count, done } of waiting) if (finished >= count) done()
    },
  })
  const finishes = (count: number) =>
    new Promise<void>((done) => (finished >= count ? done() : waiting.push({ count, done })))
  return { chat, finishes }
}

const texts = (message: UIMessage | undefined) =>
  message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
const calls = (message: UIMessage | undefined) =>
  message?.parts.flatMap((part) => (part.type === "dynamic-tool" ? [part] : [])) ?? []

describe("the AI SDK at the host", () => {
  test("the transport of useChat completes a turn", async () => {
    const { chat } = chatting("chat-1")
    await chat.sendMessage({ text: "Hello" })
    expect(chat.error).toBeUndefined()
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"])
    expect(texts(chat.messages.at(-1))).toEqual(["Yes."])
  })

  test.each([
    [true, "output-available"],
    [false, "output-denied"],
  ])("a tool approval goes through the AI SDK's own: %s", async (approved, state) => {
    const { chat, finishes } = chatting("chat-2")
    await chat.sendMessage({ text: "Write a note" })
    const [call] = calls(chat.messages.at(-1))
    expect(call).toMatchObject({ toolName: "write_file", state: "approval-requested" })
    expect(existsSync(join(host.folder, "note.txt"))).toBe(false)
    await chat.addToolApprovalResponse({ id: call?.approval?.id ?? "", approved })
    await finishes(2)
    expect(chat.error).toBeUndefined()
    expect(chat.messages).toHaveLength(2)
    expect(calls(chat.messages.at(-1))).toMatchObject([{ state }])
    expect(texts(chat.messages.at(-1))).toEqual(["I write it.", "It is written."])
    expect(existsSync(join(host.folder, "note.txt"))).toBe(approved)
    if (approved) expect(readFileSync(join(host.folder, "note.txt"), "utf8")).toBe("Hello")
  })

  test("a page that was reloaded takes up the turn that goes on, whole and once", async () => {
    const { chat } = chatting("chat-3")
    const sending = chat.sendMessage({ text: "Slow please" })
    const user = () => chat.messages.filter(({ role }) => role === "user")
    await expect.poll(() => texts(chat.messages.at(-1))?.join("") ?? "", { timeout: 10_000 }).toMatch(/^O/)
    const reloaded = chatting("chat-3", structuredClone(user()))
    await reloaded.chat.resumeStream()
    await sending
    expect(texts(reloaded.chat.messages.at(-1))).toEqual(["One, two, three, four."])
    expect(texts(chat.messages.at(-1))).toEqual(["One, two, three, four."])
  })

  test("an open approval is there again after a reload", async () => {
    const { chat } = chatting("chat-4")
    await chat.sendMessage({ text: "Write a note" })
    const user = chat.messages.filter(({ role }) => role === "user")
    const { chat: reloaded, finishes } = chatting("chat-4", structuredClone(user))
    await reloaded.resumeStream()
    const [call] = calls(reloaded.messages.at(-1))
    expect(call).toMatchObject({ state: "approval-requested" })
    await reloaded.addToolApprovalResponse({ id: call?.approval?.id ?? "", approved: true })
    await finishes(2)
    expect(texts(reloaded.messages.at(-1))).toEqual(["I write it.", "It is written."])
  })

  test("a chat in which nothing goes on has nothing to resume", async () => {
    const { chat } = chatting("chat-5")
    await chat.sendMessage({ text: "Hello" })
    const answer = await fetch(`${host.url}/v1/ai-sdk/chat/chat-5/stream`, { headers: host.headers })
    expect(answer.status).toBe(204)
    const unknown = await fetch(`${host.url}/v1/ai-sdk/chat/no-such/stream`, { headers: host.headers })
    expect(unknown.status).toBe(204)
  })

  test("a turn that fails is an error of the chat", async () => {
    const { chat } = chatting("chat-6")
    await chat.sendMessage({ text: "Fail" })
    expect(chat.status).toBe("error")
    expect(chat.error?.message).toMatch(/\S/)
  })

  test("a message that is asked for again is a new turn", async () => {
    const { chat } = chatting("chat-7")
    await chat.sendMessage({ text: "Hello" })
    const before = chat.messages.at(-1)?.id
    await chat.regenerate()
    expect(texts(chat.messages.at(-1))).toEqual(["Yes."])
    expect(chat.messages.at(-1)?.id).not.toBe(before)
  })

  test.each([
    ["no messages", { id: "c", messages: [] }, "messages"],
    [
      "a message of the assistant without answers",
      { id: "c", messages: [{ id: "m", role: "assistant", parts: [] }] },
      "messages",
    ],
    ["no chat", { messages: [{ id: "m", role: "user", parts: [] }] }, "id"],
  ])("refuses %s", async (_, body, field) => {
    const headers = { ...host.headers, "content-type": "application/json" }
    const answer = await fetch(`${host.url}/v1/ai-sdk/chat`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ refusal: { field } })
  })
})
