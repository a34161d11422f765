import type { Fact, FactOf } from "@factum/client"
import { applyAction, withAction } from "./actions.ts"
import { applyCall } from "./calls.ts"
import { type Conversation, ended, newTurn, type TurnView } from "./conversation.ts"
import { applyOutput } from "./output.ts"

export type Turns = Map<string, TurnView>

/** One fact into the conversation; `turns` is the draft of this batch and is written in place. */
export function applyFact(c: Conversation, turns: Turns, fact: Fact): Conversation {
  switch (fact.type) {
    case "session.created":
      return { ...c, title: fact.payload.title }
    case "session.updated":
      return fact.payload.title === undefined ? c : { ...c, title: fact.payload.title }
    case "thread.started":
      return { ...c, thread_id: c.thread_id ?? fact.thread_id }
    case "turn.submitted":
      change(turns, fact.turn_id, (turn) => ({
        ...turn,
        text: textOf(fact.payload.input),
        submitted_at: fact.timestamp,
        status: turn.status === "unknown" ? "accepted" : turn.status,
      }))
      return { ...c, thread_id: c.thread_id ?? fact.thread_id }
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
      return requeued(c, fact)
    case "run.status": {
      const { phase, title, detail } = fact.payload
      change(turns, fact.turn_id, (turn) => ({ ...turn, run: { phase, title, detail } }))
      return c
    }
    case "model.requested":
    case "model.delta":
    case "model.completed":
    case "model.failed":
    case "reasoning.delta":
    case "reasoning.summary":
      change(turns, fact.turn_id, (turn) => applyOutput(turn, fact))
      return c
    case "tool.started":
    case "tool.args":
    case "tool.progress":
    case "tool.result":
    case "tool.failed":
      change(turns, fact.turn_id, (turn) => applyCall(turn, fact))
      return c
    case "permission.requested":
    case "permission.resolved":
      // Most of them stand for an action too, which tells more.
      if (fact.turn_id !== undefined) change(turns, fact.turn_id, (turn) => applyCall(turn, fact))
      return c
    case "action.required":
    case "action.resolved":
      if (fact.turn_id === undefined) return { ...c, actions: withAction(c.actions, fact) }
      change(turns, fact.turn_id, (turn) => applyAction(turn, fact))
      return c
    default:
      return c
  }
}

function requeued(c: Conversation, { thread_id, payload }: FactOf<"queue.changed">): Conversation {
  const others = c.queue.filter((queued) => queued.thread_id !== thread_id)
  const order = payload.order.map(({ queued_turn_id, turn_id }) => ({ queued_turn_id, turn_id, thread_id }))
  const queue = [...others, ...order]
  const gone = c.queue.find((queued) => queued.queued_turn_id === payload.queued_turn_id)
  if (payload.change !== "removed" || gone === undefined) return { ...c, queue }
  return { ...c, queue, removed: new Set([...c.removed, gone.turn_id]) }
}

/** A turn that was removed from the queue never ran, so it takes no place in the conversation. */
function shown(c: Conversation, turn_id: string): Conversation {
  if (c.removed.has(turn_id) || c.order.includes(turn_id)) return c
  return { ...c, order: [...c.order, turn_id] }
}

function change(turns: Turns, turn_id: string, next: (turn: TurnView) => TurnView): void {
  turns.set(turn_id, next(turns.get(turn_id) ?? newTurn(turn_id, "unknown")))
}

function textOf(input: FactOf<"turn.submitted">["payload"]["input"]): string {
  return input.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n")
}
