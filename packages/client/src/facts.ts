import type { RuntimeEvent } from "@factum/facts"

export type Fact = RuntimeEvent
export type FactOf<T extends Fact["type"]> = Extract<Fact, { type: T }>

/** The host validated each fact before it was appended; only the frame of the wire is checked here. */
export function isFact(value: unknown): value is Fact {
  if (typeof value !== "object" || value === null) return false
  const { type, sequence, payload } = value as Record<string, unknown>
  return (
    typeof type === "string" && Number.isInteger(sequence) && typeof payload === "object" && payload !== null
  )
}
