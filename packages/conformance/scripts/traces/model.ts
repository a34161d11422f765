import type { OutputPart } from "@factum/facts"
import { blob, pieces } from "./recording.ts"
import { status, type Turn } from "./session.ts"

export type Said =
  | { reasoning: string; summary?: string }
  | { text: string; streamed?: string }
  | { call: string; arguments: Record<string, unknown> }

const price = { input: 3 / 1e6, output: 15 / 1e6 }
export const usual = { provider: "northwind", model: "sonnet-large" }

/** One request: routed, asked, streamed word by word, and settled with its cost. */
export function ask(
  turn: Turn,
  said: readonly Said[],
  more: { ms?: number; context?: number; model?: typeof usual } = {},
): string {
  const { rec } = turn.session
  const { request_id, step_id } = request(turn, more.model ?? usual)
  const on = { ...turn.on, step_id }
  rec.wait(more.ms ?? 620)
  status(turn, "streaming", "Answering", "")
  const first = rec.next(turn.session.on.session_id)
  const parts = said.flatMap((one, index) => stream(turn, on, request_id, one, `p${index + 1}`))
  const last = rec.next(turn.session.on.session_id) - 1
  const corrected = said.flatMap((one, index) => ("streamed" in one ? [`p${index + 1}`] : []))
  const usage = { input_tokens: more.context ?? 3200 + 900 * turn.requests, output_tokens: tokens(said) }
  rec.add("model.completed", on, {
    request_id,
    parts,
    corrected,
    usage,
    finish: said.some((one) => "call" in one) ? "tool_calls" : "stop",
    ...(last >= first && { supersedes: { from: first, to: last } }),
  })
  const amount = Number((usage.input_tokens * price.input + usage.output_tokens * price.output).toFixed(6))
  rec.add(
    "cost.recorded",
    { ...turn.on, step_id },
    {
      request_id,
      amount,
      currency: "EUR",
      usage,
      outcome: "completed",
      ...(more.model ?? usual),
      price_version: "2026-03",
    },
  )
  return request_id
}

/** Routing and the request itself, up to the wait for the first word. */
export function request(turn: Turn, choice: typeof usual): { request_id: string; step_id: string } {
  const { rec, name } = turn.session
  const number = ++turn.requests
  const id = `${turn.turn_id.slice(4)}_${number}`
  const request_id = `req_${id}`
  const routing_id = `rou_${turn.turn_id.slice(4)}`
  if (number === 1) {
    rec.add("task.profile.resolved", turn.on, {
      routing_id,
      profile: "coding",
      needs: ["tools", "streaming"],
    })
    rec.add("routing.candidates.resolved", turn.on, {
      routing_id,
      candidates: [
        { ...choice, eligible: true },
        { provider: "northwind", model: "haiku-small", eligible: true },
        { provider: "fabrikam", model: "atlas-2", eligible: false, reason: "no tool use" },
      ],
    })
    rec.add("routing.decided", turn.on, {
      routing_id,
      choice,
      reason: "best of those that use tools",
      request_id,
    })
  }
  status(turn, "running", "Waiting for the model", `${choice.provider} ${choice.model}`)
  rec.add("cost.estimated", turn.on, { request_id, amount: 0.02, currency: "EUR", basis: "last request" })
  const prompt_ref = blob(`prompt ${name} ${id}`, { media_type: "application/json" })
  rec.add(
    "model.requested",
    { ...turn.on, step_id: `stp_${id}` },
    { request_id, ...choice, attempt: 1, prompt_ref },
  )
  return { request_id, step_id: `stp_${id}` }
}

function stream(turn: Turn, on: Turn["on"], request_id: string, said: Said, part_id: string): OutputPart[] {
  const { rec } = turn.session
  if ("reasoning" in said) {
    for (const text of pieces(said.reasoning, 48)) {
      rec.wait(38)
      rec.add("reasoning.delta", on, { request_id, part_id, text })
    }
    if (said.summary === undefined) return [{ kind: "reasoning", part_id, text: said.reasoning }]
    rec.add("reasoning.summary", on, { request_id, part_id, text: said.summary, by: "provider" })
    return [{ kind: "reasoning", part_id, text: said.summary }]
  }
  if ("text" in said) {
    for (const text of pieces(said.streamed ?? said.text, 40)) {
      rec.wait(36)
      rec.add("model.delta", on, { request_id, part_id, kind: "text", text })
    }
    return [{ kind: "text", part_id, text: said.text }]
  }
  const call_id = `call_${request_id.slice(4)}_${part_id}`
  const written = JSON.stringify(said.arguments)
  rec.wait(60)
  rec.add("model.delta", on, {
    request_id,
    part_id,
    kind: "tool_call",
    text: written,
    tool: said.call,
    call_id,
  })
  return [{ kind: "tool_call", part_id, call_id, tool: said.call, arguments: written }]
}

const tokens = (said: readonly Said[]): number =>
  Math.ceil(said.reduce((sum, one) => sum + JSON.stringify(one).length, 0) / 4)
