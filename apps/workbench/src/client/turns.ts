import type { Fact } from "./facts.ts"
import type { Conversation, Part, RequestView, TurnView } from "./project.ts"

type Turns = Map<string, TurnView>
type OutputPart = Extract<Fact, { type: "model.completed" }>["payload"]["parts"][number]

/** One fact into the conversation; `turns` is the draft of this batch and is written in place. */
export function applyFact(c: Conversation, turns: Turns, fact: Fact): Conversation {
  switch (fact.type) {
    case "session.created":
      return { ...c, title: fact.payload.title }
    case "session.updated":
      return fact.payload.title === undefined ? c : { ...c, title: fact.payload.title }
    case "thread.started":
      return { ...c, thread_id: fact.thread_id }
    case "turn.submitted":
      change(turns, fact.turn_id, (turn) => ({
        ...turn,
        text: textOf(fact.payload.input),
        status: turn.status === "unknown" ? "accepted" : turn.status,
      }))
      return { ...c, thread_id: fact.thread_id }
    case "turn.started":
      change(turns, fact.turn_id, (turn) =>
        ended(turn) ? turn : { ...turn, status: "running", started_at: fact.timestamp },
      )
      return shown(c, fact.turn_id)
    case "turn.completed":
      change(turns, fact.turn_id, (turn) =>
        ended(turn) ? turn : { ...turn, status: "completed", ended_at: fact.timestamp },
      )
      return shown(c, fact.turn_id)
    case "turn.failed": {
      const { status, category, reason, next } = fact.payload
      const outcome = next === undefined ? { category, reason } : { category, reason, next }
      change(turns, fact.turn_id, (turn) =>
        ended(turn) ? turn : { ...turn, status, outcome, ended_at: fact.timestamp },
      )
      return shown(c, fact.turn_id)
    }
    case "queue.changed":
      return requeued(c, fact.payload)
    case "run.status": {
      const { phase, title, detail } = fact.payload
      change(turns, fact.turn_id, (turn) => ({ ...turn, run: { phase, title, detail } }))
      return c
    }
    default:
      return requestFact(c, turns, fact)
  }
}

function requestFact(c: Conversation, turns: Turns, fact: Fact): Conversation {
  switch (fact.type) {
    case "model.requested":
      changeRequest(turns, fact, (request) => request)
      return c
    case "model.delta": {
      const { kind, part_id, text, tool } = fact.payload
      const chunk: Part = { key: part_id, kind, text }
      changeRequest(turns, fact, (request) =>
        extended(request, tool === undefined ? chunk : { ...chunk, tool }),
      )
      return c
    }
    case "reasoning.delta": {
      const { part_id, text } = fact.payload
      changeRequest(turns, fact, (request) => extended(request, { key: part_id, kind: "reasoning", text }))
      return c
    }
    case "reasoning.summary": {
      const { part_id, text } = fact.payload
      changeRequest(turns, fact, (request) => replaced(request, { key: part_id, kind: "reasoning", text }))
      return c
    }
    case "model.completed":
      changeRequest(turns, fact, (request) => ({
        ...request,
        ended: true,
        parts: fact.payload.parts.map(partOf),
      }))
      return c
    case "model.failed": {
      const { category, reason, retryable, parts } = fact.payload
      const failure = { category, reason, retryable }
      changeRequest(turns, fact, (request) => ({
        ...request,
        ended: true,
        parts: parts.map(partOf),
        failure,
      }))
      return c
    }
    default:
      return c
  }
}

export const ended = (turn: TurnView): boolean =>
  turn.status === "completed" ||
  turn.status === "failed" ||
  turn.status === "cancelled" ||
  turn.status === "timed_out"

function requeued(
  c: Conversation,
  { change: kind, queued_turn_id, order }: Extract<Fact, { type: "queue.changed" }>["payload"],
): Conversation {
  const queue = order.map(({ queued_turn_id, turn_id, state }) => ({ queued_turn_id, turn_id, state }))
  const gone = c.queue.find((queued) => queued.queued_turn_id === queued_turn_id)
  if (kind !== "removed" || gone === undefined) return { ...c, queue }
  return { ...c, queue, removed: new Set([...c.removed, gone.turn_id]) }
}

/** A turn that was removed from the queue never ran, so it takes no place in the conversation. */
function shown(c: Conversation, turn_id: string): Conversation {
  if (c.removed.has(turn_id) || c.order.includes(turn_id)) return c
  return { ...c, order: [...c.order, turn_id] }
}

function change(turns: Turns, turn_id: string, next: (turn: TurnView) => TurnView): void {
  turns.set(turn_id, next(turns.get(turn_id) ?? { turn_id, status: "unknown", requests: [] }))
}

function changeRequest(
  turns: Turns,
  fact: { turn_id: string; payload: { request_id: string } },
  next: (request: RequestView) => RequestView,
): void {
  const { request_id } = fact.payload
  change(turns, fact.turn_id, (turn) => {
    const at = turn.requests.findIndex((request) => request.request_id === request_id)
    const before = turn.requests[at]
    if (before === undefined) {
      return { ...turn, requests: [...turn.requests, next({ request_id, ended: false, parts: [] })] }
    }
    // What comes after the final fact of a request is late and changes nothing.
    return before.ended ? turn : { ...turn, requests: turn.requests.with(at, next(before)) }
  })
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
  if (part.kind !== "tool_call") return { key: part.part_id, kind: part.kind, text: part.text }
  return { key: part.part_id, kind: "tool_call", text: part.arguments, tool: part.tool }
}

function textOf(input: Extract<Fact, { type: "turn.submitted" }>["payload"]["input"]): string {
  return input.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n")
}
