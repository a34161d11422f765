import {
  applyFacts,
  type Envelope,
  emptySession,
  type SessionState,
  supersededBy,
  turnEnded,
  validateFact,
} from "@factum/facts"

/** What a client knows for certain of one session: what was answered to it and what it has seen. */
export type Knowledge = {
  /** Text of each submitted turn that was acknowledged. */
  acknowledged: Map<string, string>
  /** Turns whose removal or interruption was acknowledged. */
  ended: Set<string>
  /** Facts that came over the stream, by sequence, and the last one of them. */
  seen: Map<number, string>
  last: number
  /** What a client met that should not be: a refusal, a fact that came twice. */
  wrong: string[]
}

export const nothingKnown = (): Knowledge => ({
  acknowledged: new Map(),
  ended: new Set(),
  seen: new Map(),
  last: 0,
  wrong: [],
})

/** Everything in a session's log that contradicts what clients were told, or itself. */
export function violations(
  session_id: string,
  texts: readonly string[],
  known: Knowledge,
  answer: string,
): string[] {
  const found: string[] = []
  const complain = (what: string) => found.push(`${session_id}: ${what}`)
  const facts = texts.map((text) => JSON.parse(text) as Envelope)

  const pruned = supersededBy(facts)
  const isPruned = (at: number) => pruned.some(({ from, to }) => from <= at && at <= to)
  const bySequence = new Map(facts.map((fact, index) => [fact.sequence, texts[index]]))
  let last = 0
  for (const fact of facts) {
    if (fact.sequence <= last) complain(`sequence ${fact.sequence} stands after ${last}`)
    for (let at = last + 1; at < fact.sequence; at++) if (!isPruned(at)) complain(`fact ${at} is missing`)
    last = fact.sequence
    if (!validateFact(fact).ok) complain(`fact ${fact.sequence} is not valid`)
  }
  if (new Set(facts.map((fact) => fact.event_id)).size < facts.length) complain("an event id is there twice")
  for (const what of known.wrong) complain(what)
  for (const [sequence, text] of known.seen) {
    const now = bySequence.get(sequence)
    if (now === undefined ? !isDelta(text) || !isPruned(sequence) : now !== text) {
      complain(`fact ${sequence} was seen and is not what it was`)
    }
  }

  const of = (turn_id: string, ...types: string[]) =>
    facts.filter((fact) => fact.turn_id === turn_id && types.includes(fact.type))
  for (const [turn_id, text] of known.acknowledged) {
    const submitted = of(turn_id, "turn.submitted")
    if (submitted.length !== 1) complain(`${turn_id} is there ${submitted.length} times`)
    if (!JSON.stringify(submitted[0]?.payload ?? {}).includes(text)) complain(`${turn_id} lost its input`)
  }
  for (const turn_id of new Set(facts.flatMap((fact) => fact.turn_id ?? []))) {
    if (of(turn_id, "turn.started").length > 1) complain(`${turn_id} started twice`)
    if (of(turn_id, "turn.completed", "turn.failed").length > 1) complain(`${turn_id} ended twice`)
    if (of(turn_id, "model.requested").length > 1) complain(`${turn_id} called the model twice`)
  }
  for (const turn_id of known.ended) {
    if (of(turn_id, "turn.failed", "turn.completed").length !== 1) complain(`${turn_id} was ended and is not`)
  }
  for (const what of wrongText(facts, answer)) complain(what)
  return found
}

/** Streamed text is always a beginning of the answer; a completed one is all of it. */
function wrongText(facts: readonly Envelope[], answer: string): string[] {
  const streamed = new Map<string, string>()
  const present = new Set(facts.map((fact) => fact.sequence))
  const wrong: string[] = []
  for (const { type, payload } of facts) {
    const id = String(payload.request_id)
    if (type === "model.delta") streamed.set(id, (streamed.get(id) ?? "") + String(payload.text))
    if (type !== "model.completed" && type !== "model.failed") continue
    const parts = payload.parts as { kind: string; text: string }[]
    const final = parts.map((part) => (part.kind === "text" ? part.text : "")).join("")
    const [range] = supersededBy([{ payload }])
    // What was pruned can no longer be joined; the final text stands for it.
    const whole = range === undefined || (present.has(range.from) && present.has(range.to))
    const text = whole ? (streamed.get(id) ?? "") : final
    if (final !== text) wrong.push(`${id} ends with another text than it streamed`)
    if (type === "model.completed" ? text !== answer : !answer.startsWith(text))
      wrong.push(`${id} has a wrong text`)
  }
  return wrong
}

const isDelta = (text: string) => /^\{"type":"(model|reasoning)\.delta"/.test(text)

/** Turns that are not ended, for a session that has had time to come to rest. */
export function unfinished(texts: readonly string[]): string[] {
  const facts = texts.map((text) => JSON.parse(text) as Envelope)
  const state: SessionState = applyFacts(emptySession, facts, supersededBy(facts)).state
  const open = Object.values(state.entities.turns).filter((turn) => !turnEnded(turn))
  const queued = Object.values(state.entities.queues).flatMap((queue) => queue.order)
  return [...open.map((turn) => turn.turn_id), ...queued.map((entry) => entry.queued_turn_id)]
}
