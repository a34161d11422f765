import { z } from "zod"
import { OutputPart } from "../events/model.ts"
import type { Turn } from "../events/turn.ts"
import { InputPart } from "../input.ts"
import { KnownTime, Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"

const on = { turn_id: z.string(), step_id: z.string() }

/** One step of a turn: what was said to it, what the model gave, what a tool did, what was asked, what was made, where it is. */
export const Step = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("input"),
    turn_id: z.string(),
    step_id: z.string().optional(),
    thread_id: z.string(),
    status: Text,
    input: z.array(InputPart),
    at: KnownTime,
    /** Given to the turn while it was under way. */
    steered: z.literal(true).optional(),
  }),
  z.object({
    kind: z.literal("output"),
    ...on,
    request_id: z.string(),
    status: Text,
    partial: z.boolean(),
    parts: z.array(OutputPart),
  }),
  z.object({ kind: z.literal("tool"), ...on, tool_call_id: z.string(), tool: z.string(), status: Text }),
  z.object({ kind: z.literal("action"), ...on, action_id: z.string(), title: z.string(), status: Text }),
  z.object({
    kind: z.literal("artifact"),
    ...on,
    artifact_id: z.string(),
    version: Text,
    status: Text,
  }),
  /** Where the turn is now; the statuses before it are in the log. */
  z.object({ kind: z.literal("status"), ...on, status: Text, title: z.string(), detail: z.string() }),
])
export type Step = z.infer<typeof Step>
type Placed = { opened: number; step: Step }

/** Turns as they were submitted; inside one, steps by the sequence of their first fact. */
export function steps(state: SessionState): Step[] {
  return Object.values(state.entities.turns).flatMap((turn): Step[] => {
    const { turn_id, thread_id, status, step_id } = turn
    const input: Step = {
      kind: "input",
      turn_id,
      ...(step_id === undefined ? {} : { step_id }),
      thread_id,
      status,
      input: [...turn.input],
      at: turn.submitted_at ?? "unknown",
    }
    return [input, ...stepsOf(state, turn)]
  })
}

function stepsOf(state: SessionState, turn: Turn): Step[] {
  const placed = [...outputs(state, turn), ...tools(state, turn), ...others(state, turn), ...steers(turn)]
  return placed.sort((a, b) => a.opened - b.opened).map(({ step }) => step)
}

function outputs({ entities }: SessionState, { turn_id }: Turn): Placed[] {
  return Object.values(entities.modelRequests)
    .filter((request) => request.turn_id === turn_id)
    .map(({ opened, step_id, request_id, status, partial, parts }) => ({
      opened,
      step: { kind: "output", turn_id, step_id, request_id, status, partial, parts: [...parts] },
    }))
}

function tools({ entities }: SessionState, { turn_id }: Turn): Placed[] {
  return Object.values(entities.toolCalls)
    .filter((call) => call.turn_id === turn_id)
    .map(({ opened, step_id, tool_call_id, tool, status }) => ({
      opened,
      step: { kind: "tool", turn_id, step_id, tool_call_id, tool, status },
    }))
}

/** What a fact of an older form did not number is left out here; it has a read model of its own. */
function others({ entities }: SessionState, { turn_id }: Turn): Placed[] {
  const found: Placed[] = []
  for (const { action_id, step_id, opened, status, request, ...of } of Object.values(entities.actions)) {
    if (of.turn_id !== turn_id || step_id === undefined || opened === undefined) continue
    const title = request?.title ?? ""
    found.push({ opened, step: { kind: "action", turn_id, step_id, action_id, title, status } })
  }
  for (const { artifact_id, step_id, opened, version, status, ...of } of Object.values(entities.artifacts)) {
    if (of.turn_id !== turn_id || step_id === undefined || opened === undefined) continue
    found.push({ opened, step: { kind: "artifact", turn_id, step_id, artifact_id, version, status } })
  }
  const run = entities.runs[turn_id]
  if (run?.step_id === undefined || run.opened === undefined) return found
  const { step_id, opened, phase: status, title, detail } = run
  return [...found, { opened, step: { kind: "status", turn_id, step_id, status, title, detail } }]
}

function steers({ turn_id, thread_id, status, steered }: Turn): Placed[] {
  return steered.map(({ sequence, step_id, input, at }) => {
    const named = step_id === undefined ? {} : { step_id }
    const told = { turn_id, ...named, thread_id, status, input: [...input], at }
    return { opened: sequence, step: { kind: "input", ...told, steered: true } }
  })
}
