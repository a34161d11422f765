import { z } from "zod"
import { OutputPart } from "../events/model.ts"
import type { Turn } from "../events/turn.ts"
import { InputPart } from "../input.ts"
import { Details, KnownTime, Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

/** One visible step of a turn: what was submitted, what the model gave, what a tool did. */
export const Step = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("input"),
    turn_id: z.string(),
    thread_id: z.string(),
    status: Text,
    input: z.array(InputPart),
    at: KnownTime,
    /** Given to the turn while it was under way. */
    steered: z.literal(true).optional(),
  }),
  z.object({
    kind: z.literal("output"),
    turn_id: z.string(),
    step_id: z.string(),
    request_id: z.string(),
    status: Text,
    partial: z.boolean(),
    parts: z.array(OutputPart),
  }),
  z.object({
    kind: z.literal("tool"),
    turn_id: z.string(),
    step_id: z.string(),
    tool_call_id: z.string(),
    tool: z.string(),
    status: Text,
  }),
])
export type Step = z.infer<typeof Step>

export const SessionSnapshot = defineSnapshot("session_snapshot", {
  version: 1,
  doc: "Shell, title, timestamps, threads, recent steps and the cursor to older history.",
  schema: z.object({
    ...reflected,
    shell: z.object({ session_id: z.string(), archived: z.boolean(), metadata: Details }),
    title: z.string(),
    timestamps: z.object({ created_at: KnownTime, updated_at: KnownTime }),
    threads: z.array(
      z.object({
        thread_id: z.string(),
        status: Text,
        started_at: KnownTime,
        active_turn_id: z.string().optional(),
      }),
    ),
    recent: z.array(Step),
    /** Null when nothing is older than what is here. */
    history_cursor: z.string().nullable(),
  }),
})
export type SessionSnapshot = z.infer<typeof SessionSnapshot.schema>

export function sessionSnapshot(
  state: SessionState,
  given: { history_cursor?: string | null; freshness?: Freshness; recent?: number } = {},
): SessionSnapshot {
  const { sessions, threads } = state.entities
  const session = Object.values(sessions)[0]
  return {
    ...reflects(state, given.freshness),
    shell: {
      session_id: session?.session_id ?? "unknown",
      archived: session?.archived ?? false,
      metadata: { ...session?.metadata },
    },
    title: session?.title ?? "",
    timestamps: {
      created_at: session?.created_at ?? "unknown",
      updated_at: session?.updated_at ?? "unknown",
    },
    threads: Object.values(threads).map(({ changes: _, ...thread }) => thread),
    recent: latest(steps(state), given.recent ?? 50),
    history_cursor: given.history_cursor ?? null,
  }
}

const latest = <T>(all: readonly T[], count: number): T[] => all.slice(Math.max(0, all.length - count))

/** Turns as they were submitted; inside one, steps by the sequence of their first fact. */
export function steps(state: SessionState): Step[] {
  return Object.values(state.entities.turns).flatMap((turn): Step[] => {
    const { turn_id, thread_id, status } = turn
    const input: Step = {
      kind: "input",
      turn_id,
      thread_id,
      status,
      input: [...turn.input],
      at: turn.submitted_at ?? "unknown",
    }
    return [input, ...stepsOf(state, turn)]
  })
}

function stepsOf(state: SessionState, { turn_id, thread_id, status, steered }: Turn): Step[] {
  const { modelRequests, toolCalls } = state.entities
  const outputs = Object.values(modelRequests)
    .filter((request) => request.turn_id === turn_id)
    .map(({ opened, step_id, request_id, status, partial, parts }) => {
      const step: Step = { kind: "output", turn_id, step_id, request_id, status, partial, parts: [...parts] }
      return { opened, step }
    })
  const tools = Object.values(toolCalls)
    .filter((call) => call.turn_id === turn_id)
    .map(({ opened, step_id, tool_call_id, tool, status }) => {
      const step: Step = { kind: "tool", turn_id, step_id, tool_call_id, tool, status }
      return { opened, step }
    })
  const steers = steered.map(({ sequence, input, at }) => {
    const step: Step = { kind: "input", turn_id, thread_id, status, input: [...input], at, steered: true }
    return { opened: sequence, step }
  })
  return [...outputs, ...tools, ...steers].sort((a, b) => a.opened - b.opened).map(({ step }) => step)
}
