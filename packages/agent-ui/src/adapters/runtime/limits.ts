import type { CostEvent, Envelope, LimitEvent, RoutingEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { RunPayload } from "../../events/index.ts"
import type { Phase } from "../../taxonomy.ts"
import { given, known } from "./given.ts"
import { changed } from "./permission.ts"
import { event, type Translations } from "./place.ts"
import { diagnostic } from "./process.ts"

type Choice = { provider: string; model: string }
const named = ({ provider, model }: Choice): string => `${provider}/${model}`

export const routingFrames: Translations<RoutingEvent> = {
  "task.profile.resolved": (fact) => routed(fact, { detail: fact.payload.profile }),
  "routing.candidates.resolved": (fact) => {
    const eligible = fact.payload.candidates.filter((one) => one.eligible)
    return routed(fact, { detail: eligible.map(named).join(", ") })
  },
  "routing.decided": (fact) => {
    const { choice, reason } = fact.payload
    return routed(fact, { detail: named(choice), reason })
  },
  "routing.fallback.applied": (fact) => {
    const { from, to, cause, number } = fact.payload
    return routed(fact, { detail: `${named(from)} → ${named(to)}`, reason: cause, attempt: number + 1 })
  },
  "routing.not_possible": (fact) => {
    const { reason, exclusions } = fact.payload
    const detail = exclusions.map((one) => `${named(one)}: ${one.reason}`).join("; ")
    return status(fact, "waiting", { status: "blocked", reason, detail })
  },
  "routing.single_candidate": (fact) => routed(fact, { detail: named(fact.payload.choice) }),
}

export const costFrames: Translations<CostEvent | LimitEvent> = {
  "cost.estimated": (fact) => {
    const { amount, currency, request_id } = fact.payload
    return metric(fact, `estimate.${request_id}`, known(amount), currency)
  },
  "cost.recorded": (fact) => {
    const { amount, currency, request_id, usage } = fact.payload
    return [
      ...metric(fact, `cost.${request_id}`, known(amount), currency),
      ...metric(fact, `tokens.input.${request_id}`, known(usage.input_tokens), "tokens"),
      ...metric(fact, `tokens.output.${request_id}`, known(usage.output_tokens), "tokens"),
    ]
  },
  "rate_limit.hit": (fact) => {
    const { provider, limit, next_try_at } = fact.payload
    return status(fact, "waiting", {
      status: "retrying",
      reason: limit,
      providerConcurrencyGroup: provider,
      retryableOverload: true,
      ...given({ nextTryAt: next_try_at === "unknown" ? undefined : next_try_at }),
    })
  },
  "quota.low": (fact) => {
    const { quota, unit, remaining, limit } = fact.payload
    const [most, left] = [known(limit), known(remaining)]
    const used = most === undefined || left === undefined ? undefined : most - left
    return [budget(fact, "quota", quota, { unit, state: "low", ...given({ used, limit: most }) })]
  },
  "quota.blocked": (fact) => {
    const { quota, unit, used, limit } = fact.payload
    const spent = given({ used: known(used), limit: known(limit) })
    return [
      budget(fact, "quota", quota, { unit, state: "blocked", ...spent }),
      ...status(fact, "waiting", { status: "blocked", reason: quota, ...untilOf(fact.payload.resets_at) }),
    ]
  },
  "limit.changed": (fact) => {
    const { limit, kind, unit } = fact.payload
    const value = fact.payload.new
    const state = typeof value === "number" ? kind : value
    return [budget(fact, "limit", limit, { unit, state, ...given({ limit: known(value) }) })]
  },
}

const untilOf = (at: string) => given({ nextTryAt: at === "unknown" ? undefined : at })

const routed = (fact: Envelope, payload: RunPayload) =>
  status(fact, "routing", { status: "routing", ...payload })

/** What is about a turn shows as its status; what is about none is a diagnostic. */
function status(fact: Envelope, phase: Phase, payload: RunPayload): AgentUiEvent[] {
  const { detail, reason } = payload
  if (fact.turn_id === undefined) {
    const message = [detail, reason].filter((text) => text !== undefined && text !== "").join(": ")
    return [
      diagnostic(fact, { code: fact.type, severity: phase === "waiting" ? "warning" : "info", message }),
    ]
  }
  return [
    event(
      "run.status",
      fact,
      { owner: "runtime", scope: "run", phase, surface: "runtime_status", persistence: "snapshot" },
      payload,
    ),
  ]
}

/** A number that nobody knows is no metric. */
function metric(fact: Envelope, name: string, value: number | undefined, unit: string): AgentUiEvent[] {
  if (value === undefined) return []
  return [
    event(
      "metric.changed",
      fact,
      {
        owner: "diagnostics",
        scope: fact.turn_id === undefined ? "session" : "run",
        phase: "completed",
        surface: "diagnostics",
        persistence: "diagnostics_log",
      },
      { name, value, unit },
    ),
  ]
}

function budget(
  fact: Envelope,
  kind: string,
  id: string,
  budget: { used?: number; limit?: number; unit: string; state: string },
): AgentUiEvent {
  return changed(fact, { subject: { kind, id }, budget })
}
