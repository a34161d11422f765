import { type Envelope, emptySession, type SessionState, validateDraft } from "@factum/facts"
import { type Command, parseCommand } from "../../src/commands.ts"
import { type Ending, endTurn, startTurn } from "../../src/control/loop.ts"
import { decide, isDecided, sessionOf, unavailable } from "../../src/control/table.ts"
import type { Decision, Draft, Given, Place } from "../../src/decision.ts"
import { folded } from "../../src/journal.ts"
import { misfit } from "../../src/schema.ts"

/** Sessions in memory: what deciders answer is folded, as the runtime would after an append. */
export class World {
  readonly states = new Map<string, SessionState>()
  readonly facts: Envelope[] = []
  readonly #places = new Map<string, Place>()
  /** Digests of the blobs that are kept. */
  readonly blobs = new Set<string>()
  time = 0
  #made = 0

  readonly given: Given = {
    id: (kind) => `${kind}${++this.#made}`,
    place: (id) => this.#places.get(id),
    mask: (text) => text.replaceAll("secret", "[masked]"),
    now: () => this.time,
    credential: () => undefined,
    kept: (digest) => this.blobs.has(digest),
    fits: misfit,
    factsAfter: (session_id, after, limit) =>
      this.facts.filter((fact) => fact.session_id === session_id && fact.sequence > after).slice(0, limit),
    acknowledged: () => undefined,
    workspace: undefined,
  }

  state(session_id: string): SessionState {
    return this.states.get(session_id) ?? emptySession
  }

  /** Decides and, when accepted, makes it true. */
  command(name: string, input: unknown): Decision {
    const parsed = parseCommand(name, { input })
    if (!parsed.ok) return parsed
    return this.#carryOut(parsed.command)
  }

  #carryOut(command: Command): Decision {
    if (!isDecided(command)) return unavailable(command.name)
    const session_id = sessionOf(command, this.given) ?? "nowhere"
    const decision = decide(command, session_id, this.state(session_id), this.given)
    if (!decision.ok) return decision
    for (const { key, value } of decision.claims)
      this.#places.set(key.replace("place:", ""), JSON.parse(value))
    this.happen(session_id, decision.facts)
    return decision
  }

  happen(session_id: string, drafts: readonly Draft[]): void {
    const state = this.state(session_id)
    const stamped = drafts.map((draft, index): Envelope => {
      const checked = validateDraft(draft)
      if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
      const sequence = state.sequence + index + 1
      const timestamp = new Date(Date.UTC(2026, 0, 1) + sequence * 1000).toISOString()
      return { ...draft, event_id: `e${++this.#made}`, timestamp, sequence, schema_version: 1 }
    })
    this.facts.push(...stamped)
    this.states.set(session_id, folded(state, stamped))
  }

  start(session_id: string, turn_id: string): void {
    this.happen(session_id, startTurn(this.state(session_id), turn_id))
  }

  end(
    session_id: string,
    turn_id: string,
    ending: Ending = { status: "completed", outcome: "answered" },
  ): void {
    this.happen(session_id, endTurn(this.state(session_id), turn_id, ending))
  }

  types(turn_id?: string): string[] {
    return this.facts
      .filter((fact) => turn_id === undefined || fact.turn_id === turn_id)
      .map((fact) => fact.type)
  }
}

export const words = (text: string) => [{ kind: "text" as const, text }]
