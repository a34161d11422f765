import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Names, Text } from "../known.ts"
import { family } from "../state.ts"

const on = { version: 1, scope: "session", optional: ["step_id", "tool_call_id"] } as const
export const NetworkRule = z.enum(["none", "limited", "full", "unknown"])

export const SandboxApplied = defineEvent("sandbox.applied", {
  ...on,
  doc: "The boundary really in force before the first effect, or that the one asked for could not be had.",
  payload: z.object({
    process_id: Id.optional(),
    requested: Text,
    profile: Text,
    driver: Text,
    in_force: z.boolean(),
    /** Why the boundary asked for is not in force. */
    reason: z.string().optional(),
    readable: Names,
    writable: Names,
    network: NetworkRule,
  }),
})

export const SandboxViolation = defineEvent("sandbox.violation", {
  ...on,
  doc: "An attempt to cross the boundary was detected.",
  payload: z.object({
    process_id: Id.optional(),
    operation: z.enum(["read", "write", "execute", "connect", "listen", "signal", "other"]),
    target: Text,
    profile: Text,
    detected_by: Text,
    prevented: z.union([z.boolean(), z.literal("unknown")]),
  }),
})

export const sandboxEvents = [SandboxApplied, SandboxViolation] as const
export type SandboxEvent = EventOf<(typeof sandboxEvents)[number]>
type Of<T extends SandboxEvent["type"]> = Extract<SandboxEvent, { type: T }>

export type Boundary = {
  boundary?: Of<"sandbox.applied">["payload"]
  /** Event ids of the violations of this boundary. */
  violations: readonly { event_id: string; operation: string; target: string; profile: string }[]
  thread_id?: string | undefined
  tool_call_id?: string | undefined
  applied_at?: string
}

export const boundary = fold<Boundary, SandboxEvent>(
  { violations: [] },
  {
    "sandbox.applied": (s, e) => ({
      ...s,
      boundary: e.payload,
      thread_id: e.thread_id,
      tool_call_id: e.tool_call_id,
      applied_at: e.timestamp,
    }),
    "sandbox.violation": (s, e) => {
      const { operation, target, profile } = e.payload
      const violations = [...s.violations, { event_id: e.event_id, operation, target, profile }]
      return { ...s, thread_id: e.thread_id, tool_call_id: e.tool_call_id, violations }
    },
  },
)

/** One boundary per execution: that of a process, of a call, or of the session itself. */
export const boundaries = family(boundary, (e) => e.payload.process_id ?? e.tool_call_id ?? e.session_id, {
  ended: (s) => s.violations.length === 0,
  keep: 128,
})
