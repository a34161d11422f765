import { type AgUiEvent, AgUiWriter, answersOf, plainText } from "@factum/agent-ui/adapters/ag-ui"
import type { Runtime } from "@factum/runtime"
import { z } from "zod"
import type { Checked } from "../refusal.ts"
import { mostAnswers, respond } from "./answers.ts"
import { isSaidByReader, serverEvents, type TurnWriter, turnEvents } from "./stream.ts"
import { type Sender, sessionOf, submit } from "./thread.ts"

const Text = z.string().min(1).max(512)
export const AgUiInput = z.looseObject({
  threadId: Text,
  runId: Text,
  messages: z.array(z.looseObject({ id: Text, role: z.string(), content: z.unknown().optional() })),
  resume: z
    .array(
      z.looseObject({
        interruptId: Text,
        status: z.enum(["resolved", "cancelled"]),
        payload: z.unknown().optional(),
      }),
    )
    .max(mostAnswers)
    .optional(),
})

/** One run of AG-UI: a new turn, or an interrupted one that goes on with its answers. */
export async function runAgUi(
  runtime: Runtime,
  sender: Sender,
  body: unknown,
  closing: AbortSignal,
): Promise<Checked<ReadableStream<Uint8Array>>> {
  const parsed = AgUiInput.safeParse(body)
  if (!parsed.success) return invalid(parsed.error.issues[0])
  const { threadId, runId, messages, resume = [] } = parsed.data
  const session = sessionOf(runtime, "agui", threadId)
  const last = messages.at(-1)
  if (resume.length === 0 && last?.role !== "user") return nothingSaid()
  const begun =
    resume.length > 0
      ? await respond(
          runtime,
          sender,
          session,
          answersOf(resume).map(({ actionId, answer }) => ({ actionId, ...answer })),
        )
      : await submit(runtime, sender, {
          session,
          text: plainText(last?.content),
          source: "ag-ui",
          messageId: last?.id,
        })
  if (!begun.ok) return begun
  const writer = silently(new AgUiWriter({ run: { threadId, runId }, carry: "unmapped", replays: true }))
  return { ok: true, value: serverEvents((signal) => turnEvents(runtime, begun, signal), writer, closing) }
}

/** Leaves out what the page has said itself, which it would show twice. */
function silently(writer: AgUiWriter): TurnWriter {
  return {
    get over() {
      return writer.over
    },
    push: (event): { events: readonly AgUiEvent[] } =>
      isSaidByReader(event) ? { events: [] } : writer.push(event),
    rest: () => writer.rest(),
  }
}

function invalid(issue: { path: readonly PropertyKey[]; message: string } | undefined): Checked<never> {
  const field = issue?.path.map(String).join(".") || "body"
  const message = `${field}: ${issue?.message ?? "not well formed"}.`
  const fix = "Send a RunAgentInput of AG-UI 1.0."
  return { ok: false, refusal: { code: "invalid_input", message, field, fix } }
}

function nothingSaid(): Checked<never> {
  const message = "The last message is not the user's, and no interrupt is answered."
  const fix = "Add a user message, or answer the open interrupts by resume."
  return { ok: false, refusal: { code: "invalid_input", message, field: "messages", fix } }
}
