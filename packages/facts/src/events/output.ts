import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Count, Text } from "../known.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"

const on = { version: 1, scope: "session", optional: ["step_id", "tool_call_id"] } as const
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)

export const OutputSpilled = defineEvent("output.spilled", {
  ...on,
  doc: "Bytes moved to storage, complete under their ref.",
  payload: z.object({ ref: Ref, bytes: z.int().min(0), digest, preview: Preview, cause: Text }),
})

export const OutputTruncated = defineEvent("output.truncated", {
  ...on,
  doc: "Bytes were dropped for good.",
  payload: z.object({
    ref: Ref.optional(),
    kept_bytes: z.int().min(0),
    dropped_bytes: Count,
    cause: Text,
  }),
})

export const OutputRedacted = defineEvent("output.redacted", {
  ...on,
  doc: "Content was masked before it was recorded; the value itself is nowhere.",
  payload: z.object({
    ref: Ref.optional(),
    rule: Text,
    count: z.int().min(1),
    bytes: Count,
    where: z.enum(["arguments", "output", "environment", "input", "model", "other"]),
    cause: Text,
  }),
})

export const OutputExpired = defineEvent("output.expired", {
  ...on,
  doc: "A ref stopped resolving and reads unavailable from now on.",
  payload: z.object({
    ref: Ref,
    bytes: Count,
    last_digest: z.union([digest, z.literal("unknown")]),
    cause: z.enum(["retention", "damaged", "missing", "unreadable", "deleted"]),
  }),
})

export const outputEvents = [OutputSpilled, OutputTruncated, OutputRedacted, OutputExpired] as const
export type OutputEvent = EventOf<(typeof outputEvents)[number]>

export type Output = {
  ref?: Ref | undefined
  status: "unknown" | "available" | "unavailable"
  bytes: Count
  digest: string
  preview?: Preview
  dropped_bytes: Count
  redactions: number
  cause?: string
  tool_call_id?: string | undefined
}

export const output = fold<Output, OutputEvent>(
  { status: "unknown", bytes: "unknown", digest: "unknown", dropped_bytes: 0, redactions: 0 },
  {
    "output.spilled": (s, e) => {
      const { ref, bytes, digest, preview, cause } = e.payload
      return { ...s, ref, status: "available", bytes, digest, preview, cause, tool_call_id: e.tool_call_id }
    },
    "output.truncated": (s, e) => {
      const { ref = s.ref, kept_bytes, dropped_bytes, cause } = e.payload
      return { ...s, ref, bytes: kept_bytes, dropped_bytes, cause, tool_call_id: e.tool_call_id }
    },
    "output.redacted": (s, e) => ({
      ...s,
      ref: e.payload.ref ?? s.ref,
      redactions: s.redactions + e.payload.count,
      tool_call_id: e.tool_call_id,
    }),
    "output.expired": (s, e) => {
      const { ref, bytes, last_digest, cause } = e.payload
      return { ...s, ref, status: "unavailable", bytes, digest: last_digest, cause }
    },
  },
)

export const outputs = family(output, (e) => e.payload.ref?.uri ?? e.tool_call_id ?? e.event_id, {
  ended: () => true,
  keep: 256,
})
