import type { Envelope } from "@factum/facts"
import type { AgentUiEnvelope, AgentUiEvent } from "../../envelope.ts"
import { isEventClass } from "../../reducers/index.ts"
import { camelised, type Fields, isFields } from "./given.ts"
import { identity } from "./place.ts"

const prefix = "x-agent-ui."

/**
 * What the runtime has no class for, such as handoffs, reviews and teams, travels under a vendor's type that names the
 * class of Agent UI: `x-agent-ui.agent.handoff`, with `{ envelope, payload }` in the runtime's spelling.
 */
export function carried(fact: Envelope): AgentUiEvent | undefined {
  if (!fact.type.startsWith(prefix)) return undefined
  const type = fact.type.slice(prefix.length)
  if (!isEventClass(type)) return undefined
  const envelope = camelised(isFields(fact.payload.envelope) ? fact.payload.envelope : {})
  const payload = camelised(isFields(fact.payload.payload) ? fact.payload.payload : {})
  return {
    ...identity(fact),
    ...placed(envelope),
    type,
    payload: isFields(payload) ? payload : {},
  } as AgentUiEnvelope
}

/** A fact of a class that nobody here knows: it is kept as it is, and listed. */
export function unlisted(fact: Envelope): AgentUiEvent {
  const { type, payload } = fact
  return { ...identity(fact), type, payload }
}

/** What a carrier may say about its event; the ids of its stream are not among it. */
const placeable: readonly (keyof AgentUiEnvelope)[] = [
  "messageId",
  "partId",
  "taskId",
  "agentId",
  "parentSessionId",
  "parentThreadId",
  "artifactId",
  "evidenceId",
  "toolCallId",
  "actionId",
  "owner",
  "scope",
  "phase",
  "surface",
  "persistence",
  "control",
  "topology",
  "refs",
]

function placed(envelope: unknown): Fields {
  if (!isFields(envelope)) return {}
  return Object.fromEntries(
    placeable.flatMap((field) => (envelope[field] === undefined ? [] : [[field, envelope[field]]])),
  )
}
