import type { Ref } from "@factum/facts"
import type { Draft } from "./decision.ts"

/** Who sent a command, as the host knows them. */
export type Actor = { id: string; name?: string; channel_id?: string }

export function actorRef({ id, name }: Actor): Ref {
  return { uri: `factum:actor/${id}`, kind: "record", ...(name === undefined ? {} : { title: name }) }
}

/** Every fact that a command wrote refers to who sent it; where a person decided, the decider is named too. */
export function signed(facts: readonly Draft[], by: Actor | undefined): readonly Draft[] {
  if (by === undefined) return facts
  const ref = actorRef(by)
  return facts.map((fact) => ({ ...named(fact, by), refs: [...(fact.refs ?? []), ref] }))
}

function named(fact: Draft, { id, channel_id }: Actor): Draft {
  if (fact.type !== "action.resolved" && fact.type !== "permission.resolved") return fact
  if (!("decider" in fact.payload) || fact.payload.decider.kind !== "human") return fact
  const decider = { ...fact.payload.decider, id, ...(channel_id === undefined ? {} : { channel_id }) }
  // The payload is the same but for who decided.
  return { ...fact, payload: { ...fact.payload, decider } } as Draft
}
