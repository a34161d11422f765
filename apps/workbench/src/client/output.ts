import type { FactOf } from "@factum/client"
import type { OutputPart } from "@factum/facts"
import type { Part, RequestView, TurnView } from "./conversation.ts"

type OutputFact = FactOf<
  | "model.requested"
  | "model.delta"
  | "model.completed"
  | "model.failed"
  | "reasoning.delta"
  | "reasoning.summary"
>

/** What the model gave, request by request; a final fact replaces what was streamed. */
export function applyOutput(turn: TurnView, fact: OutputFact): TurnView {
  const { request_id } = fact.payload
  const at = turn.requests.findIndex((request) => request.request_id === request_id)
  const before = turn.requests[at]
  if (before === undefined) {
    const opened = next({ request_id, ended: false, parts: [] }, fact)
    const steps = [...turn.steps, { kind: "request" as const, id: request_id }]
    return { ...turn, requests: [...turn.requests, opened], steps }
  }
  // What comes after the final fact of a request is late and changes nothing.
  return before.ended ? turn : { ...turn, requests: turn.requests.with(at, next(before, fact)) }
}

function next(request: RequestView, fact: OutputFact): RequestView {
  switch (fact.type) {
    case "model.requested":
      return request
    case "model.delta": {
      const { kind, part_id, text, tool, call_id } = fact.payload
      const named = { ...(tool !== undefined && { tool }), ...(call_id !== undefined && { call_id }) }
      return extended(request, { key: keyOf(kind, part_id), kind, text, ...named })
    }
    case "reasoning.delta":
      return extended(request, reasoning(fact))
    case "reasoning.summary":
      return replaced(request, reasoning(fact))
    case "model.completed": {
      const { parts, corrected, finish, usage } = fact.payload
      const marked = parts.map((part): Part => {
        return corrected.includes(part.part_id) ? { ...partOf(part), corrected: true } : partOf(part)
      })
      const { input_tokens: input, output_tokens: output } = usage
      const counted = typeof input === "number" && typeof output === "number"
      return { ...request, ended: true, parts: marked, finish, ...(counted && { tokens: { input, output } }) }
    }
    case "model.failed": {
      const { category, reason, parts } = fact.payload
      return { ...request, ended: true, parts: parts.map(partOf), failure: { category, reason } }
    }
  }
}

/** A provider may give reasoning and text the same part id. */
const keyOf = (kind: Part["kind"], part_id: string): string => `${kind}:${part_id}`

function reasoning({ payload }: FactOf<"reasoning.delta" | "reasoning.summary">): Part {
  return { key: keyOf("reasoning", payload.part_id), kind: "reasoning", text: payload.text }
}

function extended(request: RequestView, chunk: Part): RequestView {
  const at = request.parts.findIndex((part) => part.key === chunk.key)
  const before = request.parts[at]
  if (before === undefined) return { ...request, parts: [...request.parts, chunk] }
  return { ...request, parts: request.parts.with(at, { ...before, text: before.text + chunk.text }) }
}

function replaced(request: RequestView, part: Part): RequestView {
  const at = request.parts.findIndex((known) => known.key === part.key)
  return { ...request, parts: at < 0 ? [...request.parts, part] : request.parts.with(at, part) }
}

function partOf(part: OutputPart): Part {
  const key = keyOf(part.kind, part.part_id)
  if (part.kind !== "tool_call") return { key, kind: part.kind, text: part.text }
  const { arguments: text, tool, call_id } = part
  return { key, kind: "tool_call", text, tool, call_id }
}
