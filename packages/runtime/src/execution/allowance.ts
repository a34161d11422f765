import type { SessionState, Spending } from "@factum/facts"
import { parentOf } from "../delegation/link.ts"
import {
  type Account,
  type Asked,
  type Gate,
  gate,
  type Ledger,
  type Limit,
  type ScopedLimit,
  type Standing,
  standing,
  standingOf,
} from "../routing/index.ts"

/** What a limit is measured with. */
export type AllowancePorts = {
  limits: () => readonly ScopedLimit[]
  /** For limits with a window; any other is measured by the sums of the state. */
  ledger: Ledger
  peek: (session_id: string) => SessionState
  now: () => number
}

/** The session and turn whose limits a use counts for: a child's work is its parent's expense. */
export function payerOf(
  state: SessionState,
  turn_id: string | undefined,
): { session_id: string; turn_id: string | undefined } {
  const [session_id = ""] = Object.keys(state.entities.sessions)
  return parentOf(state) ?? { session_id, turn_id }
}

/** The limits as they hold for one turn, with what people allowed beyond them; out of any turn, those of the session. */
export function limitsOf(
  { limits, peek }: Pick<AllowancePorts, "limits" | "peek">,
  state: SessionState,
  turn_id: string | undefined,
): Limit[] {
  const all = limits()
  if (all.length === 0) return []
  const payer = payerOf(state, turn_id)
  const child = parentOf(state) !== undefined
  const paying = child ? peek(payer.session_id) : state
  return all.flatMap(({ per, ...limit }): Limit[] => {
    if (per === "turn" && payer.turn_id === undefined) return []
    const holds = (raise: { turn_id?: string }) =>
      per === "session" || raise.turn_id === undefined || raise.turn_id === payer.turn_id
    const raised = [
      ...(paying.entities.limits[limit.limit]?.raised ?? []).filter(holds),
      // What was allowed to a child holds for all that it does.
      ...(child ? (state.entities.limits[limit.limit]?.raised ?? []) : []),
    ]
    const max = Math.max(limit.max, ...raised.map(({ value }) => value))
    const of =
      per === "turn" && payer.turn_id !== undefined ? { of: { ...limit.of, turn_id: payer.turn_id } } : {}
    return [{ ...limit, max, ...of }]
  })
}

/** How the limits of a turn stand now. `except` is a request under way that is left out. */
export function standingsOf(
  ports: AllowancePorts,
  state: SessionState,
  turn_id: string | undefined,
  except?: string,
): (limit: Limit) => Standing {
  const payer = payerOf(state, turn_id)
  const [own] = Object.keys(state.entities.sessions)
  const paying = payer.session_id === own ? state : ports.peek(payer.session_id)
  const peek = (session_id: string) => (session_id === own ? state : ports.peek(session_id))
  return (limit) => {
    if (limit.window !== undefined) {
      const uses = ports.ledger(payer.session_id).filter(({ request_id }) => request_id !== except)
      return standing(limit, uses, ports.now())
    }
    return standingOf(limit, accountOf(paying, limit.of?.turn_id, peek, ports.now()), except)
  }
}

function accountOf(
  paying: SessionState,
  turn_id: string | undefined,
  peek: (session_id: string) => SessionState,
  now: number,
): Account {
  const { subagents, sessionSpendings, turnSpendings, childSpendings, workTimes } = paying.entities
  // What a child at work has used stands in its own session, and partly here as well.
  const children = Object.values(subagents).filter(
    ({ status, spawned, parent }) =>
      status !== "closed" && spawned !== undefined && (turn_id === undefined || parent.turn_id === turn_id),
  )
  const own = turn_id === undefined ? sessionSpendings.session : turnSpendings[turn_id]
  const known = (some: readonly (Spending | undefined)[]) => some.filter((one) => one !== undefined)
  const times = workTimes.session ?? { ms: 0, turns: {} }
  const running = turn_id === undefined ? Object.values(times.turns) : [times.turns[turn_id]]
  const open = running.reduce(
    (sum, turn) => sum + (turn?.since === undefined ? 0 : Math.max(0, now - Date.parse(turn.since))),
    0,
  )
  return {
    added: known([
      own,
      ...children.map(
        ({ spawned }) => peek(spawned?.child_session_id ?? "").entities.sessionSpendings.session,
      ),
    ]),
    taken: known(children.map(({ subagent_id }) => childSpendings[subagent_id])),
    at_work_ms: open + (turn_id === undefined ? times.ms : (times.turns[turn_id]?.ms ?? 0)),
  }
}

/** Whether a request may be sent, as far as limits go. */
export function requestGate(
  ports: AllowancePorts,
  state: SessionState,
  turn_id: string | undefined,
): (asked: Asked) => Gate {
  const limits = limitsOf(ports, state, turn_id)
  const at = limits.length === 0 ? [] : standingsOf(ports, state, turn_id)
  const payer = payerOf(state, turn_id).turn_id
  const hits = Object.values(state.entities.rateLimits).map(({ provider, limit, next_try_at }) => ({
    provider,
    limit,
    next_try_at: next_try_at === "unknown" ? ("unknown" as const) : Date.parse(next_try_at),
  }))
  return (asked) =>
    gate(limits, at, hits, { ...asked, ...(payer === undefined ? {} : { turn_id: payer }) }, ports.now())
}

/** The limit that lets no further call be carried out, with how it stands. */
export function callStop(
  ports: AllowancePorts,
  state: SessionState,
  turn_id: string,
): { limit: Limit; at: Standing } | undefined {
  const at = standingsOf(ports, state, turn_id)
  return ofCalls(ports, state, turn_id)
    .map((limit) => ({ limit, at: at(limit) }))
    .find(({ limit, at }) => at.used >= limit.max)
}

/** How many more calls may be carried out. */
export function spareCalls(ports: AllowancePorts, state: SessionState, turn_id: string): number {
  const at = standingsOf(ports, state, turn_id)
  const spare = ofCalls(ports, state, turn_id).map((limit) => {
    const { remaining } = at(limit)
    return limit.unit === "calls" || remaining === 0 ? remaining : Number.POSITIVE_INFINITY
  })
  return Math.min(Number.POSITIVE_INFINITY, ...spare)
}

const ofCalls = (ports: AllowancePorts, state: SessionState, turn_id: string): Limit[] =>
  limitsOf(ports, state, turn_id).filter(({ unit, of }) => {
    const named = of?.provider !== undefined || of?.model !== undefined
    return (unit === "calls" || unit === "ms") && !named
  })
