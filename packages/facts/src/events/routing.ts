import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Details, Names, Text } from "../known.ts"
import { family } from "../state.ts"

const on = { version: 1, scope: "thread", optional: ["step_id"] } as const
const routing_id = Id
export const ModelChoice = z.object({ provider: Text, model: Text })
export type ModelChoice = z.infer<typeof ModelChoice>
const Excluded = z.object({ ...ModelChoice.shape, reason: Text })

export const TaskProfileResolved = defineEvent("task.profile.resolved", {
  ...on,
  doc: "What the work asks of a model was settled; it needs no task.",
  payload: z.object({
    routing_id,
    profile: Text,
    needs: Names,
    /** A model pinned by the user is replaced only where that is permitted. */
    pinned: z.object({ ...ModelChoice.shape, replaceable: z.boolean() }).optional(),
    constraints: Details.optional(),
  }),
})

export const RoutingCandidatesResolved = defineEvent("routing.candidates.resolved", {
  ...on,
  doc: "Every candidate is listed as eligible or with the reason for its exclusion.",
  payload: z.object({
    routing_id,
    candidates: z.array(
      z.discriminatedUnion("eligible", [
        z.object({ ...ModelChoice.shape, eligible: z.literal(true) }),
        z.object({ ...Excluded.shape, eligible: z.literal(false) }),
      ]),
    ),
  }),
})

export const RoutingDecided = defineEvent("routing.decided", {
  ...on,
  doc: "One candidate was chosen, for a reason, for one request.",
  payload: z.object({ routing_id, choice: ModelChoice, reason: Text, request_id: Id }),
})

export const RoutingFallbackApplied = defineEvent("routing.fallback.applied", {
  ...on,
  doc: "The work switched to another candidate of the same set.",
  payload: z.object({
    routing_id,
    from: ModelChoice,
    to: ModelChoice,
    cause: Text,
    number: z.int().min(1),
    request_id: Id,
  }),
})

export const RoutingNotPossible = defineEvent("routing.not_possible", {
  ...on,
  doc: "No candidate is eligible; no model is called and every exclusion is named.",
  payload: z.object({ routing_id, reason: Text, exclusions: z.array(Excluded) }),
})

export const RoutingSingleCandidate = defineEvent("routing.single_candidate", {
  ...on,
  doc: "Exactly one candidate was eligible, so there was no choice.",
  payload: z.object({ routing_id, choice: ModelChoice, exclusions: z.array(Excluded) }),
})

export const routingEvents = [
  TaskProfileResolved,
  RoutingCandidatesResolved,
  RoutingDecided,
  RoutingFallbackApplied,
  RoutingNotPossible,
  RoutingSingleCandidate,
] as const
export type RoutingEvent = EventOf<(typeof routingEvents)[number]>
type Of<T extends RoutingEvent["type"]> = Extract<RoutingEvent, { type: T }>["payload"]

export type Routing = {
  routing_id: string
  status: "unknown" | "resolving" | "decided" | "not_possible"
  thread_id: string
  turn_id?: string | undefined
  task_id?: string | undefined
  profile?: Omit<Of<"task.profile.resolved">, "routing_id">
  candidates: Of<"routing.candidates.resolved">["candidates"] | "unknown"
  single_candidate: boolean
  choice?: ModelChoice
  reason?: string
  request_ids: readonly string[]
  fallbacks: readonly Omit<Of<"routing.fallback.applied">, "routing_id">[]
}
const blank: Routing = {
  routing_id: "",
  status: "unknown",
  thread_id: "",
  candidates: "unknown",
  single_candidate: false,
  request_ids: [],
  fallbacks: [],
}

function placed(s: Routing, e: RoutingEvent): Routing {
  if (s.routing_id !== "") return s
  const { thread_id, turn_id, task_id } = e
  return { ...s, routing_id: e.payload.routing_id, status: "resolving", thread_id, turn_id, task_id }
}

export const routing = fold<Routing, RoutingEvent>(blank, {
  "task.profile.resolved": (s, e) => {
    const { routing_id, ...profile } = e.payload
    return { ...placed(s, e), profile }
  },
  "routing.candidates.resolved": (s, e) => ({ ...placed(s, e), candidates: e.payload.candidates }),
  "routing.decided": (s, e) => {
    const { choice, reason, request_id } = e.payload
    return { ...placed(s, e), status: "decided", choice, reason, request_ids: [...s.request_ids, request_id] }
  },
  "routing.fallback.applied": (s, e) => {
    const { routing_id, ...fallback } = e.payload
    return {
      ...placed(s, e),
      status: "decided",
      choice: fallback.to,
      reason: fallback.cause,
      request_ids: [...s.request_ids, fallback.request_id],
      fallbacks: [...s.fallbacks, fallback],
    }
  },
  "routing.not_possible": (s, e) => ({ ...placed(s, e), status: "not_possible", reason: e.payload.reason }),
  "routing.single_candidate": (s, e) => ({ ...placed(s, e), single_candidate: true }),
})

export const routings = family(routing, (e) => e.payload.routing_id, { ended: () => true, keep: 32 })
