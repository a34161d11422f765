import type { z } from "zod"
import type { Envelope, ScopeId, WorkId } from "./envelope.ts"

/** The narrowest thing that every fact of a class belongs to. */
export type Scope = "runtime" | "session" | "thread" | "turn"
type Payload = z.ZodType<Record<string, unknown>>
export type Upcast = (payload: Record<string, unknown>) => Record<string, unknown>

type IdsOf<S extends Scope, I extends WorkId> = { [K in I]: string } & (S extends "turn"
  ? { [K in ScopeId]: string }
  : S extends "thread"
    ? { session_id: string; thread_id: string }
    : S extends "session"
      ? { session_id: string }
      : unknown)

export type EventDefinition<
  T extends string = string,
  P extends Payload = Payload,
  S extends Scope = Scope,
  I extends WorkId = WorkId,
> = {
  type: T
  version: number
  doc: string
  scope: S
  ids: readonly I[]
  optional: readonly WorkId[]
  payload: P
  upcast: Readonly<Record<number, Upcast>>
}

/** Declares a class of events once: schema, docs, validators and types all derive from it. */
export function defineEvent<
  const T extends string,
  P extends Payload,
  const S extends Scope,
  const I extends WorkId = never,
>(
  type: T,
  declared: {
    version: number
    doc: string
    scope: S
    payload: P
    /** Work ids that every fact of the class carries. */
    ids?: readonly I[]
    /** Work ids that a fact of the class may carry beside the ambient ones. */
    optional?: readonly WorkId[]
    /** `upcast[n]` turns a payload of version n into one of version n + 1. */
    upcast?: Readonly<Record<number, Upcast>>
  },
): EventDefinition<T, P, S, I> {
  return { type, ids: [], optional: [], upcast: {}, ...declared }
}

/** The fact that a definition describes. */
export type EventOf<D> =
  D extends EventDefinition<infer T, infer P, infer S, infer I>
    ? Omit<Envelope, "type" | "payload"> & { type: T; payload: z.infer<P> } & IdsOf<S, I>
    : never

/** A fact before the runtime has stamped it with id, time and sequence. */
export type DraftOf<E> = E extends { type: string }
  ? Omit<E, "event_id" | "timestamp" | "sequence" | "schema_version">
  : never

export type Fold<S, E> = { initial: S; types: readonly string[]; apply: (state: S, event: E) => S }

/** One handler per event type: leave one out and the compiler names it. */
export function fold<S, E extends { type: string }>(
  initial: S,
  handlers: { [K in E["type"]]: (state: S, event: Extract<E, { type: K }>) => S },
): Fold<S, E> {
  const table = handlers as unknown as Record<string, (state: S, event: E) => S>
  return {
    initial,
    types: Object.keys(handlers),
    apply: (state, event) => table[event.type]?.(state, event) ?? state,
  }
}
