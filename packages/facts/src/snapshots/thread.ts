import { z } from "zod"
import { ActionRequired, actionEnded } from "../events/action.ts"
import { requestSettled } from "../events/permission.ts"
import type { Thread } from "../events/thread.ts"
import { type Turn, turnEnded, turnsRemembered } from "../events/turn.ts"
import { KnownTime, Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

const QueuedEntry = z.object({
  queued_turn_id: z.string(),
  turn_id: z.string(),
  source: z.string(),
  state: z.string(),
})

export const PendingRequest = z.object({
  kind: z.enum(["action", "permission"]),
  id: z.string(),
  type: z.string(),
  title: z.string(),
  decided_by: z.enum(["human", "policy", "host", "unknown"]),
  turn_id: z.string().optional(),
  task_id: z.string().optional(),
  tool_call_id: z.string().optional(),
  action_id: z.string().optional(),
  deadline: z.string().optional(),
})
export type PendingRequest = z.infer<typeof PendingRequest>

/** With all that whoever answers must see: its fact may be far back in the log. */
export const OpenRequest = PendingRequest.extend({
  subagent_id: z.string().optional(),
  request: ActionRequired.payload.optional(),
})
export type OpenRequest = z.infer<typeof OpenRequest>

export const ThreadReadModel = defineSnapshot("thread_read_model", {
  version: 1,
  doc: "Current status, active turn, pending requests, last outcome, incidents, queued turns and diagnostics.",
  schema: z.object({
    ...reflected,
    thread_id: z.string(),
    status: Text,
    active_turn: z
      .object({
        turn_id: z.string(),
        status: Text,
        title: z.string(),
        detail: z.string(),
        since: KnownTime,
      })
      .nullable(),
    pending_requests: z.array(OpenRequest),
    last_outcome: z
      .object({
        turn_id: z.string(),
        status: Text,
        category: z.string().optional(),
        reason: z.string().optional(),
        ended_at: KnownTime,
      })
      .nullable(),
    incidents: z.array(
      z.object({ event_id: z.string(), level: Text, code: z.string(), message: z.string(), at: KnownTime }),
    ),
    queued_turns: z.array(QueuedEntry),
    /** Where a thread that has stopped may be taken up again, once. */
    resume_token: z.string().optional(),
    diagnostics: z.array(z.object({ code: Text, id: z.string(), count: z.int().min(1) })),
  }),
})
export type ThreadReadModel = z.infer<typeof ThreadReadModel.schema>

export function threadReadModel(
  state: SessionState,
  thread_id: string,
  freshness?: Freshness,
): ThreadReadModel {
  const { threads, turns, queues, incidents } = state.entities
  const mine = Object.values(turns).filter((turn) => turn.thread_id === thread_id)
  const queued = queues[thread_id]?.order ?? []
  const waiting = new Set(queued.map((entry) => entry.turn_id))
  const active = mine.find((turn) => !turnEnded(turn) && !waiting.has(turn.turn_id))
  return {
    ...reflects(state, freshness),
    thread_id,
    status: active ? phaseOf(state, active) : (threads[thread_id]?.status ?? "unknown"),
    active_turn: active ? described(state, active) : null,
    pending_requests: pendingRequests(state, thread_id).map((pending) => {
      const { request, subagent_id } = state.entities.actions[pending.action_id ?? ""] ?? {}
      return pending.kind === "action" ? { ...pending, subagent_id, request } : pending
    }),
    last_outcome: lastOutcome(mine),
    incidents: Object.values(incidents)
      .filter((incident) => incident.thread_id === thread_id)
      .map(({ event_id, level, code, message, at }) => ({
        event_id,
        level,
        code,
        message,
        at: at ?? "unknown",
      })),
    queued_turns: [...queued],
    ...(threads[thread_id] === undefined ? {} : { resume_token: resumeToken(threads[thread_id]) }),
    diagnostics: [...lateFacts(state, thread_id), ...uncorrelated(state, thread_id)],
  }
}

/** Names the last change of the thread: a resume changes it again, so that no token serves twice. */
export const resumeToken = ({ thread_id, changes }: Pick<Thread, "thread_id" | "changes">): string =>
  `${thread_id}~${changes}`

function phaseOf(state: SessionState, turn: Turn): string {
  const phase = state.entities.runs[turn.turn_id]?.phase ?? "unknown"
  return phase === "unknown" ? turn.status : phase
}

function described(state: SessionState, turn: Turn) {
  const run = state.entities.runs[turn.turn_id]
  return {
    turn_id: turn.turn_id,
    status: phaseOf(state, turn),
    title: run?.title ?? "",
    detail: run?.detail ?? "",
    since: run?.since ?? turn.started_at ?? turn.submitted_at ?? "unknown",
  }
}

function lastOutcome(turns: readonly Turn[]): ThreadReadModel["last_outcome"] {
  const last = turns
    .filter(turnEnded)
    .toSorted((a, b) => (a.ended_sequence ?? 0) - (b.ended_sequence ?? 0))
    .at(-1)
  if (last === undefined) return null
  const { turn_id, status, failure, ended_at } = last
  return {
    turn_id,
    status,
    category: failure?.category,
    reason: failure?.reason,
    ended_at: ended_at ?? "unknown",
  }
}

/** Open actions, and open permission requests that no action stands for. */
export function pendingRequests(state: SessionState, thread_id?: string): PendingRequest[] {
  const { actions, permissionRequests } = state.entities
  const inScope = (of: { thread_id?: string | undefined }) =>
    thread_id === undefined || of.thread_id === thread_id
  const open = Object.values(actions).filter((action) => !actionEnded(action) && inScope(action))
  const bound = new Set(open.map((action) => action.action_id))
  return [
    ...open.map(
      ({ action_id, turn_id, task_id, tool_call_id, request }): PendingRequest => ({
        kind: "action",
        id: action_id,
        type: request?.action_type ?? "unknown",
        title: request?.title ?? "unknown",
        decided_by: request?.decided_by ?? "unknown",
        turn_id,
        task_id,
        tool_call_id,
        action_id,
        deadline: request?.deadline,
      }),
    ),
    ...Object.values(permissionRequests)
      .filter(
        (request) => !requestSettled(request) && inScope(request) && !bound.has(request.action_id ?? ""),
      )
      .map(
        ({ request_id, turn_id, tool_call_id, action_id, asked }): PendingRequest => ({
          kind: "permission",
          id: request_id,
          type: asked?.operation.kind ?? "unknown",
          title: asked?.operation.name ?? "unknown",
          decided_by: asked?.waits_for ?? "unknown",
          turn_id,
          tool_call_id,
          action_id,
          deadline: asked?.deadline,
        }),
      ),
  ]
}

/** Work of a turn that nobody submitted stands by itself. A turn that may only be forgotten is no reason to say so. */
function uncorrelated(state: SessionState, thread_id: string): ThreadReadModel["diagnostics"] {
  const { turns, toolCalls, actions } = state.entities
  if (Object.values(turns).filter(turnEnded).length >= turnsRemembered) return []
  const works = [...Object.entries(toolCalls), ...Object.entries(actions)]
  return works
    .filter(
      ([, of]) => of.thread_id === thread_id && of.turn_id !== undefined && turns[of.turn_id] === undefined,
    )
    .map(([id]) => ({ code: "missing_correlation", id, count: 1 }))
}

function lateFacts(state: SessionState, thread_id: string): ThreadReadModel["diagnostics"] {
  const { turns, attempts, toolCalls, processes, actions } = state.entities
  const found: ThreadReadModel["diagnostics"] = []
  for (const [id, turn] of Object.entries(turns)) note(id, turn)
  for (const [id, attempt] of Object.entries(attempts)) note(id, attempt)
  for (const [id, call] of Object.entries(toolCalls)) note(id, call)
  for (const [id, process] of Object.entries(processes)) note(id, process)
  for (const [id, action] of Object.entries(actions)) note(id, action)
  return found

  function note(id: string, of: { thread_id?: string | undefined; late: number }) {
    if (of.thread_id === thread_id && of.late > 0) found.push({ code: "late_fact", id, count: of.late })
  }
}
