import type { UIMessage } from "ai"
import { z } from "zod"
import type { Fact } from "../session.ts"

const Submitted = z.object({ input: z.array(z.object({ text: z.string() })) })
const Completed = z.object({
  request_id: z.string(),
  parts: z.array(
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("text"), text: z.string() }),
      z.object({
        kind: z.literal("tool_call"),
        call_id: z.string(),
        tool: z.string(),
        arguments: z.string(),
      }),
    ]),
  ),
})
const Started = z.object({ cause: z.object({ request_id: z.string(), call_id: z.string() }) })
const Result = z.object({ preview: z.object({ text: z.string() }) })

/** The recorded session as the AI SDK keeps one: the same questions, answers, calls and results in its own form. */
export function messagesOf(facts: readonly Fact[]): UIMessage[] {
  const messages: UIMessage[] = []
  const results = resultsOf(facts)
  for (const { type, payload, event_id } of facts) {
    if (type === "turn.submitted") {
      const [{ text } = { text: "" }] = Submitted.parse(payload).input
      messages.push({ id: event_id, role: "user", parts: [{ type: "text", text }] })
      messages.push({ id: `${event_id}.answer`, role: "assistant", parts: [] })
    }
    if (type !== "model.completed") continue
    const { request_id, parts } = Completed.parse(payload)
    const into = messages.at(-1)?.parts ?? []
    into.push({ type: "step-start" })
    for (const part of parts) {
      if (part.kind === "text") into.push({ type: "text", text: part.text, state: "done" })
      else {
        const toolCallId = `${request_id}.${part.call_id}`
        const output = results.get(toolCallId)
        const input: unknown = JSON.parse(part.arguments)
        into.push({ type: `tool-${part.tool}`, toolCallId, state: "output-available", input, output })
      }
    }
  }
  return messages
}

/** What came of each call, by the request and the call that it was asked with. */
function resultsOf(facts: readonly Fact[]): Map<string, string> {
  const asked = new Map<string, string>()
  const results = new Map<string, string>()
  for (const { type, payload, ...ids } of facts) {
    const call = "tool_call_id" in ids ? String(ids.tool_call_id) : ""
    if (type === "tool.started") {
      const { cause } = Started.parse(payload)
      asked.set(call, `${cause.request_id}.${cause.call_id}`)
    }
    if (type === "tool.result") results.set(asked.get(call) ?? "", Result.parse(payload).preview.text)
  }
  return results
}
