import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { family } from "../state.ts"
import { terminalStates, WorkState } from "../status.ts"

export const RunStatus = defineEvent("run.status", {
  version: 1,
  doc: "What the execution loop is doing now, for a person to see before and between outputs.",
  scope: "turn",
  optional: ["step_id"],
  payload: z.object({
    phase: WorkState,
    title: z.string(),
    detail: z.string(),
    checkpoints: z.array(z.object({ name: z.string(), done: z.boolean() })),
    metadata: z.record(z.string(), z.unknown()),
  }),
})

export const runEvents = [RunStatus] as const
export type RunEvent = EventOf<(typeof runEvents)[number]>

export type RunState = {
  turn_id: string
  phase: z.infer<typeof WorkState> | "unknown"
  title: string
  detail: string
  since: string
  step_id?: string | undefined
  /** The sequence of the status. */
  opened?: number
}

export const run = fold<RunState, RunEvent>(
  { turn_id: "", phase: "unknown", title: "", detail: "", since: "unknown" },
  {
    "run.status": (_, e) => ({
      turn_id: e.turn_id,
      phase: e.payload.phase,
      title: e.payload.title,
      detail: e.payload.detail,
      since: e.timestamp,
      step_id: e.step_id,
      opened: e.sequence,
    }),
  },
)

export const runs = family(run, (e) => e.turn_id, { ended: (r) => terminalStates.has(r.phase), keep: 32 })
