import type { Draft } from "../decision.ts"

/** A fact before it is placed: the caller adds the ids of session, thread, turn, step and task. */
export type FactOf<T extends Draft["type"]> = T extends Draft["type"]
  ? Pick<Extract<Draft, { type: T }>, "type" | "payload">
  : never
