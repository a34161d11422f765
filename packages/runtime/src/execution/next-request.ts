import type { ModelChoice, ModelRequest, SessionState } from "@factum/facts"
import type { Agent } from "../agent.ts"
import { moveTo, scopeOf } from "../control/loop.ts"
import type { Draft } from "../decision.ts"
import type { Model } from "../ports/model.ts"
import {
  type Candidate,
  costEstimated,
  estimate,
  fallback,
  type Gate,
  isMeasured,
  isSame,
  limitChanges,
  type Offer,
  route,
  type TaskProfile,
} from "../routing/index.ts"
import { limitsOf, requestGate, standingsOf } from "./allowance.ts"
import { budgetHeld } from "./budget.ts"
import { profileOf } from "./profile.ts"
import type { Request } from "./request.ts"
import { held, placed, type RoutingPorts, threadTo } from "./routing-ports.ts"
import type { Transcript } from "./transcript.ts"
import { askedOf, failureOf, routingOf, stepTries } from "./tries.ts"

/** `rest`: nobody is asked now; `until` is when it is worth asking again by itself. */
export type NextStep =
  | { kind: "ask"; request: Request; offer: Offer & { via: Model }; facts: Draft[] }
  | { kind: "rest"; until?: number; facts: Draft[] }

/** Who answers next, if anybody may: the same again, another one, or the one that a new routing gives. */
export function nextStep(
  ports: RoutingPorts,
  state: SessionState,
  turn_id: string,
  told: Transcript,
  agent: Agent,
): NextStep {
  const profile = profileOf(state, turn_id, told, agent)
  const changed = changedLimits(ports, state)
  const step = again(ports, state, turn_id, profile) ?? fresh(ports, state, turn_id, profile)
  return { ...step, facts: [...changed, ...step.facts] }
}

/** What a failed request of the same step leads to. A turn that was blocked begins anew, as somebody acted. */
function again(
  ports: RoutingPorts,
  state: SessionState,
  turn_id: string,
  profile: TaskProfile,
): NextStep | undefined {
  const last = askedOf(state, turn_id).at(-1)
  const run = state.entities.runs[turn_id]
  if (last?.status !== "failed" || run === undefined || isBlocked(state, turn_id)) return undefined
  const since = Date.parse(run.since)
  const failure = failureOf(state, last, since)
  const tries = stepTries(state, last)
  if (failure === undefined || tries === undefined) return undefined
  const request = { request_id: ports.ids.next("request"), step_id: last.step_id, turn_id }
  const next = fallback(tries, failure, request.request_id, since, ports.patience)
  if (next.kind === "stop") return undefined
  const offer = ports.offers.find((one) => isSame(one, next.choice))
  if (offer?.via === undefined) return undefined
  if (next.kind === "retry" && ports.now() < next.at) return { kind: "rest", until: next.at, facts: [] }
  const limit = gateOf(ports, state, request, profile)(offer)
  if (!limit.go) {
    const facts = limit.facts.map((fact) => placed(state, turn_id, last.step_id, fact))
    return stopped(ports, state, turn_id, limit, facts)
  }
  const facts = next.kind === "fallback" ? [placed(state, turn_id, last.step_id, next.fact)] : []
  return ask(
    ports,
    state,
    request,
    offer,
    profile,
    tries.tried.reduce((sum, { times }) => sum + times, 1),
    facts,
  )
}

const isBlocked = (state: SessionState, turn_id: string): boolean =>
  state.entities.runs[turn_id]?.phase === "blocked"

function fresh(ports: RoutingPorts, state: SessionState, turn_id: string, profile: TaskProfile): NextStep {
  const request = { request_id: ports.ids.next("request"), step_id: ports.ids.next("step"), turn_id }
  const known = routingOf(state, turn_id)
  const routing_id = known?.routing_id ?? ports.ids.next("routing")
  const routed = route(
    { routing_id, request_id: request.request_id },
    profile,
    candidatesOf(ports, state, isBlocked(state, turn_id) ? [] : askedOf(state, turn_id), profile),
    gateOf(ports, state, request, profile),
  )
  const facts = routed.facts
    .filter(({ type }) => type !== "task.profile.resolved" || known?.profile === undefined)
    .map((fact) => placed(state, turn_id, request.step_id, fact))
  if (routed.kind === "wait")
    return stopped(ports, state, turn_id, { ...routed, state: "waiting_resource" }, facts)
  if (routed.kind === "not_possible")
    return stopped(ports, state, turn_id, { ...routed, state: "blocked" }, facts)
  const offer = ports.offers.find((one) => isSame(one, routed.choice))
  if (offer?.via === undefined) throw new Error(`${routed.choice.model} was chosen, but cannot be asked`)
  return ask(ports, state, request, offer, profile, 1, facts)
}

/** A model that failed for good in this turn is not asked again, as long as another one is left. */
function candidatesOf(
  ports: RoutingPorts,
  state: SessionState,
  asked: readonly ModelRequest[],
  { pinned }: TaskProfile,
): readonly Candidate[] {
  const offers = ports.offers.filter(
    (offer) => offer.reserved !== true || (pinned !== undefined && isSame(offer, pinned)),
  )
  const candidates = offers.map((offer): Offer => {
    const meant = offer.stands_in ? meantFor(state, offer) : undefined
    if (meant !== undefined) {
      const fix = "Configure that one and start again, or begin a new session."
      const unavailable = `It only plays a part, and this session is for ${meant.provider}/${meant.model}. ${fix}`
      return { ...offer, unavailable }
    }
    const failure = asked.findLast((one) => isSame(one, offer))?.failure
    if (failure?.retryable !== false || offer.unavailable !== undefined) return offer
    return { ...offer, unavailable: `It failed earlier in this turn: ${failure.reason}` }
  })
  const isLeft = candidates.some(({ unavailable, stands_in }) => unavailable === undefined || stands_in)
  return isLeft ? candidates : offers
}

/** Another model that this session was routed to, or would have been. */
function meantFor({ entities }: SessionState, offer: Offer): ModelChoice | undefined {
  const seen = Object.values(entities.routings).flatMap(({ candidates }) =>
    candidates === "unknown" ? [] : candidates,
  )
  return seen.findLast((one) => !isSame(one, offer))
}

function gateOf(
  ports: RoutingPorts,
  state: SessionState,
  { request_id, turn_id }: Request,
  profile: TaskProfile,
) {
  const gate = requestGate(ports, state, turn_id)
  const { input_tokens, output_tokens } = profile
  const counted = input_tokens !== "unknown" && output_tokens !== "unknown"
  const tokens = counted ? input_tokens + output_tokens : ("unknown" as const)
  return (candidate: Candidate): Gate => {
    const { provider, model } = candidate
    return gate({ request_id, provider, model, estimate: { tokens, ...estimate(profile, candidate) } })
  }
}

type Stop = { reason: string } & ({ state: "waiting_resource"; until: number } | { state: "blocked" })

/** Told once: a turn that is looked at again and finds the same adds nothing. */
function stopped(
  ports: RoutingPorts,
  state: SessionState,
  turn_id: string,
  stop: Stop,
  facts: Draft[],
): NextStep {
  const { reason } = stop
  if (stop.state === "waiting_resource") {
    const { until } = stop
    const metadata = { resource: "quota", next_try_at: new Date(until).toISOString() }
    const told = held(
      state,
      turn_id,
      "waiting_resource",
      `${reason} Next try at ${metadata.next_try_at}.`,
      metadata,
    )
    return { kind: "rest", until, facts: told.length === 0 ? [] : [...facts, ...told] }
  }
  const spent = budgetOf(ports, state, turn_id, facts)
  if (spent !== undefined) {
    const told = budgetHeld(state, turn_id, spent, ports.ids.next("action"))
    return { kind: "rest", facts: told.length === 0 ? [] : [...facts, ...told] }
  }
  const missing = facts.some(({ type }) => type === "quota.blocked") ? "quota" : "dependency"
  const told = held(state, turn_id, "blocked", reason, { missing })
  return { kind: "rest", facts: told.length === 0 ? [] : [...facts, ...told] }
}

/** The budget among what stops a request: somebody may let the work go on beyond it. */
function budgetOf(ports: RoutingPorts, state: SessionState, turn_id: string, facts: readonly Draft[]) {
  const names = facts.flatMap((fact) => (fact.type === "quota.blocked" ? [fact.payload.quota] : []))
  const standing = standingsOf(ports, state, turn_id)
  return limitsOf(ports, state, turn_id)
    .filter(({ kind, window, limit }) => kind === "budget" && window === undefined && names.includes(limit))
    .map((limit) => ({ limit, at: standing(limit) }))
    .find(({ limit, at }) => at.used >= limit.max)
}

function ask(
  ports: RoutingPorts,
  state: SessionState,
  request: Request,
  offer: Offer & { via: Model },
  profile: TaskProfile,
  attempt: number,
  facts: readonly Draft[],
): NextStep {
  const { request_id, step_id, turn_id } = request
  const { provider, model, price } = offer
  const estimated =
    price === undefined ? [] : [placed(state, turn_id, step_id, costEstimated(request_id, price, profile))]
  const payload = { request_id, provider, model, attempt }
  return {
    kind: "ask",
    request,
    offer,
    facts: [
      ...facts,
      ...unpriced(ports, state, turn_id, offer),
      ...estimated,
      ...moveTo(state, turn_id, "running", "Waiting for the model", `${provider} ${model}`),
      ...threadTo(state, turn_id, "active", "going on"),
      { type: "model.requested", ...scopeOf(state, turn_id), step_id, payload },
    ],
  }
}

/** Money that nobody can count is said, once for each limit and model; it is never guessed. */
function unpriced(ports: RoutingPorts, state: SessionState, turn_id: string, offer: Offer): Draft[] {
  if (offer.price !== undefined) return []
  const { session_id, thread_id } = scopeOf(state, turn_id)
  const named = `${offer.provider}/${offer.model}`
  return limitsOf(ports, state, turn_id).flatMap((limit): Draft[] => {
    if (isMeasured(limit.unit)) return []
    const message = `What ${named} costs is not known: ${limit.limit} does not count it.`
    if (Object.values(state.entities.incidents).some((one) => one.message === message)) return []
    const affected = [{ kind: "turn", id: turn_id }]
    const next = "Give its price in the configuration, or let the limit block what has none."
    const payload = { code: "cost_unknown", message, affected, next }
    return [{ type: "runtime.warning", session_id, thread_id, turn_id, payload }]
  })
}

/** A session learns of its limits when they first hold for it, and of every change. */
function changedLimits({ limits }: RoutingPorts, state: SessionState): Draft[] {
  const [session_id = ""] = Object.keys(state.entities.sessions)
  const before = Object.values(state.entities.limits).flatMap(({ limit, kind, unit, value }) =>
    typeof value === "number" && kind !== "unknown" ? [{ limit, kind, unit, max: value }] : [],
  )
  return limitChanges(before, limits(), "configuration").map((fact) => ({ ...fact, session_id }))
}
