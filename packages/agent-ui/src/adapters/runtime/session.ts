import type { InputPart, QueueEvent, SessionEvent, ThreadEvent } from "@factum/facts"
import type { QueuedTurn } from "../../events/index.ts"
import { type Fields, given, isFields, textIn } from "./given.ts"
import { event, type Place, type Translations } from "./place.ts"
import { queueFacts } from "./queue-facts.ts"

const tab = {
  owner: "session",
  scope: "session",
  phase: "accepted",
  surface: "session_tabs",
  persistence: "snapshot",
} as const satisfies Place

export const sessionFrames: Translations<SessionEvent | ThreadEvent | QueueEvent> = {
  "session.created": (fact) => {
    const { title, metadata } = fact.payload
    return [
      event(
        "session.opened",
        fact,
        { ...tab, ...lineage(metadata) },
        { title, status: "open", ...marks(metadata) },
      ),
    ]
  },
  "session.updated": (fact) => {
    const { title, metadata, archived } = fact.payload
    const status = archived === undefined ? undefined : archived ? "archived" : "open"
    return [event("session.updated", fact, tab, { ...given({ title, status }), ...marks(metadata) })]
  },
  "thread.started": (fact) => [event("session.opened", fact, { ...tab, scope: "thread" }, {})],
  "thread.updated": (fact) => {
    const { status, reason } = fact.payload
    const blockedReason = status === "blocked" ? reason : undefined
    return [event("session.updated", fact, { ...tab, scope: "thread" }, given({ status, blockedReason }))]
  },
  "queue.changed": (fact) => {
    const { change, queued_turn_id, order, policy } = fact.payload
    const turns = order.map(
      (turn, position): QueuedTurn => ({
        queuedTurnId: turn.queued_turn_id,
        turnId: turn.turn_id,
        position,
        source: turn.source,
        status: statusIn(turn, change === "promoted" ? queued_turn_id : undefined),
      }),
    )
    const steer = steered(fact)
    return [
      event(
        "queue.changed",
        fact,
        { ...tab, owner: "runtime", scope: "thread", phase: "waiting", surface: "composer" },
        {
          threadId: fact.thread_id,
          turns,
          policy,
          reason: change,
          ...queueFacts(fact.payload),
          ...given({ steer }),
        },
      ),
    ]
  },
}

/** Whose child a session is, where it says so. */
function lineage(metadata: Fields | undefined) {
  const parent = isFields(metadata?.parent) ? metadata.parent : {}
  return given({
    parentSessionId: textIn(parent, "session_id") ?? textIn(metadata, "parent_session_id"),
    parentThreadId: textIn(parent, "thread_id") ?? textIn(metadata, "parent_thread_id"),
    agentId: textIn(parent, "subagent_id") ?? textIn(metadata, "subagent_id"),
  })
}

function marks(metadata: Fields | undefined) {
  const { pinned, unread } = metadata ?? {}
  return given({
    pinned: typeof pinned === "boolean" ? pinned : undefined,
    unread: typeof unread === "boolean" || typeof unread === "number" ? unread : undefined,
  })
}

function statusIn(turn: { queued_turn_id: string; state: string }, promoted: string | undefined): string {
  if (turn.queued_turn_id === promoted) return "promoted"
  return turn.state === "waiting" ? "queued" : turn.state
}

type Steered = { steer?: { input: readonly InputPart[]; metadata?: Fields | undefined } | undefined }

/** Input that was attached to the active turn instead of waiting for its own. */
function steered(fact: QueueEvent) {
  const { steer }: QueueEvent["payload"] & Steered = fact.payload
  if (steer === undefined) return undefined
  return {
    state: "steered",
    ...given({
      runId: fact.turn_id,
      text: textOf(steer.input),
      clientId: textIn(steer.metadata, "client_id"),
    }),
  }
}

/** The words of an input; everything else in it is a reference. */
export const textOf = (input: readonly InputPart[]): string =>
  input.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n")
