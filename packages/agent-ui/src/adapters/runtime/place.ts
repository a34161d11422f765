import type { Envelope, Preview, Ref } from "@factum/facts"
import type { AgentUiEnvelope, AgentUiEvent, AgentUiEventOf } from "../../envelope.ts"
import type { EventClass, OutputPreview, PayloadOf } from "../../events/index.ts"
import type { Owner, Persistence, Phase, Scope, SurfaceName } from "../../taxonomy.ts"
import { given } from "./given.ts"

/** How an event is classified, and the ids that its fact does not name as such. */
export type Place = {
  owner: Owner
  scope: Scope
  phase: Phase
  surface: SurfaceName
  persistence: Persistence
} & Partial<
  Pick<
    AgentUiEnvelope,
    | "messageId"
    | "partId"
    | "taskId"
    | "agentId"
    | "parentSessionId"
    | "parentThreadId"
    | "artifactId"
    | "evidenceId"
    | "refs"
  >
>

/** The ids of a fact under the names of Agent UI. A turn of the runtime is a run here. */
export function identity(fact: Envelope) {
  return given({
    sequence: fact.sequence,
    timestamp: fact.timestamp,
    sessionId: fact.session_id,
    threadId: fact.thread_id,
    turnId: fact.turn_id,
    runId: fact.turn_id,
    taskId: fact.task_id,
    agentId: fact.subagent_id,
    toolCallId: fact.tool_call_id,
    actionId: fact.action_id,
    rawEventRef: fact.event_id,
  })
}

export function event<T extends EventClass>(
  type: T,
  fact: Envelope,
  place: Place,
  payload: PayloadOf<T>,
): AgentUiEventOf<T> {
  return { ...identity(fact), ...place, type, payload }
}

/** One translation a class: leave one out and the compiler names it. */
export type Translations<E extends { type: string }> = {
  [T in E["type"]]: Translation<Extract<E, { type: T }>> | NotShown
}
export type Translation<E> = (fact: E) => readonly AgentUiEvent[]
/** A fact that nobody sees, with the reason. */
export type NotShown = { notShown: string }

export const preview = (of: Preview | undefined): OutputPreview | undefined =>
  of === undefined ? undefined : of.whole ? { text: of.text } : { text: of.text, truncated: true }

export const uri = (ref: Ref | undefined): string | undefined => ref?.uri
export const uris = (refs: readonly Ref[]): string[] => refs.map((ref) => ref.uri)

/** What a person gave and what the agent answered are the two messages of a turn. */
export const inputMessage = (turn_id: string): string => `${turn_id}:input`
export const answerMessage = (turn_id: string): string => `${turn_id}:answer`

/** Providers number the parts of each kind and request apart. */
export const partOf = (request_id: string, kind: string, part_id: string): string =>
  `${request_id}:${kind}:${part_id}`
