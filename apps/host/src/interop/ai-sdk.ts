import {
  type AiSdkChunk,
  AiSdkWriter,
  type AiSdkWriterOptions,
  approvalsIn,
  postedText,
} from "@factum/agent-ui/adapters/ai-sdk"
import type { Runtime } from "@factum/runtime"
import { z } from "zod"
import type { Checked } from "../refusal.ts"
import { mostAnswers, respond } from "./answers.ts"
import { isSaidByReader, serverEvents, type TurnWriter, turnEvents } from "./stream.ts"
import { beginOf, newest, type Sender, sessionOf, submit } from "./thread.ts"

export const aiSdkHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
}
const END = "data: [DONE]\n\n"

const Text = z.string().min(1).max(512)
export const AiSdkInput = z.looseObject({
  id: Text,
  trigger: z.enum(["submit-message", "regenerate-message"]).optional(),
  messages: z.array(z.looseObject({ id: Text, role: z.string(), parts: z.array(z.unknown()) })).min(1),
})

/** One request of `useChat`: a new turn, or one that goes on with the approvals that the page gave. */
export async function chatAiSdk(
  runtime: Runtime,
  sender: Sender,
  body: unknown,
  closing: AbortSignal,
): Promise<Checked<ReadableStream<Uint8Array>>> {
  const parsed = AiSdkInput.safeParse(body)
  if (!parsed.success) return invalid(parsed.error.issues[0])
  const { id, messages, trigger } = parsed.data
  const session = sessionOf(runtime, "aisdk", id)
  const last = messages.at(-1)
  const { toolCallIds, answers } = approvalsIn(last)
  if (last?.role === "assistant" && answers.length > 0) {
    if (answers.length > mostAnswers) return tooMany()
    const decided = answers.map(({ actionId, approved, reason }) => ({
      actionId,
      decision: approved ? "approve" : "reject",
      ...(reason && { note: reason }),
    }))
    const begun = await respond(runtime, sender, session, decided)
    const known = { toolCallIds, approvals: [] }
    return begun.ok ? streamed(runtime, begun, closing, { messageId: last.id, known }) : begun
  }
  if (last?.role !== "user") return nothingSaid()
  const { text } = postedText(last)
  // A message that is asked for again is a new turn, not the old one sent twice.
  const messageId = trigger === "regenerate-message" ? undefined : last.id
  const begun = await submit(runtime, sender, { session, text, source: "ai-sdk", messageId })
  return begun.ok ? streamed(runtime, begun, closing, { messageId: begun.turn }) : begun
}

/** The turn that goes on in a chat, from its beginning; nothing when none does. */
export async function resumeAiSdk(
  runtime: Runtime,
  id: string,
  closing: AbortSignal,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const session = sessionOf(runtime, "aisdk", id)
  const turn = await openTurn(runtime, session)
  if (turn === undefined) return undefined
  const place = { session, turn, after: (await beginOf(runtime, session, turn)) - 1 }
  return streamed(runtime, place, closing, { messageId: turn }).value
}

/** A thread runs one turn at a time, so only the last one to start may be open. */
async function openTurn(runtime: Runtime, session: string): Promise<string | undefined> {
  const ended = new Set<string>()
  const started = await newest(runtime, session, ({ type, turn_id }) => {
    if (turn_id !== undefined && (type === "turn.completed" || type === "turn.failed")) ended.add(turn_id)
    return type === "turn.started"
  })
  return started?.turn_id === undefined || ended.has(started.turn_id) ? undefined : started.turn_id
}

function streamed(
  runtime: Runtime,
  place: { session: string; turn: string; after: number },
  closing: AbortSignal,
  options: AiSdkWriterOptions,
): { ok: true; value: ReadableStream<Uint8Array> } {
  const writer = silently(new AiSdkWriter({ ...options, carry: "unmapped", replays: true }))
  return {
    ok: true,
    value: serverEvents((signal) => turnEvents(runtime, place, signal), writer, closing, END),
  }
}

/** Leaves out what the page has said itself, also as data. */
function silently(writer: AiSdkWriter): TurnWriter {
  return {
    get over() {
      return writer.over
    },
    push: (event): { events: readonly AiSdkChunk[] } =>
      isSaidByReader(event) ? { events: [] } : writer.push(event),
    rest: () => writer.rest(),
  }
}

function invalid(issue: { path: readonly PropertyKey[]; message: string } | undefined): Checked<never> {
  const field = issue?.path.map(String).join(".") || "body"
  const message = `${field}: ${issue?.message ?? "not well formed"}.`
  return {
    ok: false,
    refusal: { code: "invalid_input", message, field, fix: "Send what useChat sends: id and messages." },
  }
}

function tooMany(): Checked<never> {
  const message = `One message answers at most ${mostAnswers} approvals.`
  return { ok: false, refusal: { code: "invalid_input", message, field: "messages" } }
}

function nothingSaid(): Checked<never> {
  const message = "The last message is not the user's, and it holds no answer to an approval."
  const fix = "Send a user message, or the assistant's message with an approval that was answered."
  return { ok: false, refusal: { code: "invalid_input", message, field: "messages", fix } }
}
