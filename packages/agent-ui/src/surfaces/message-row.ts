import type { InputPartView } from "../events/index.ts"
import type {
  AgentUiState,
  ArtifactEntity,
  EvidenceEntity,
  MessageEntity,
  MessagePart,
  TextMarker,
} from "../state.ts"
import { kept } from "./memo.ts"
import { type Doer, doerOf, given, picked, type Who, whoIs } from "./who.ts"

/** The text of one part in blocks: those that did not grow keep their reference. */
export type TextView = {
  partId: string
  blocks: readonly string[]
  state: "streaming" | "final"
  marker?: TextMarker
}
/** A link to an artifact: its body is in the workspace alone. */
export type ArtifactCard = {
  partId: string
  artifactId: string
  versionId?: string
  title?: string
  kind: string
  state: "ready" | "unknown" | "unavailable"
}
export type Citation = { partId: string; evidenceId: string; verdict?: string }
export type MessageRow = {
  messageId: string
  role: "user" | "assistant"
  who?: Who
  author?: string
  at?: string
  runId?: string
  turnId?: string
  /** Sent by this client and not yet confirmed. */
  optimistic: boolean
  clientId?: string
  retracted?: boolean
  state: "streaming" | "final"
  text: readonly TextView[]
  inputs: readonly InputPartView[]
  cards: readonly ArtifactCard[]
  citations: readonly Citation[]
}

/** A message of a person or of an agent's answer; nothing else is one. */
export function messageRowOf(state: AgentUiState, messageId: string): MessageRow | undefined {
  const message = state.messages.get(messageId)
  const role = message?.role === "user" ? "user" : message?.role === "assistant" ? "assistant" : undefined
  if (!message || !role) return undefined
  const linked = linksOf(message).map(({ kind, ref }) =>
    kind === "artifact" ? state.artifacts.get(ref) : state.evidence.get(ref),
  )
  return messageRow(message, role, doerOf(state, message.origin), ...linked)
}

type Link = Extract<MessagePart, { ref: string }> & { kind: "artifact" | "evidence" }
const isLink = (part: MessagePart): part is Link => part.kind === "artifact" || part.kind === "evidence"
const noLinks: readonly Link[] = []
function linksOf({ parts }: MessageEntity): readonly Link[] {
  return parts.some(isLink) ? parts.filter(isLink) : noLinks
}

const messageRow = kept(
  (
    message: MessageEntity,
    role: "user" | "assistant",
    doer: Doer,
    ...linked: readonly (ArtifactEntity | EvidenceEntity | undefined)[]
  ): MessageRow => {
    const { origin } = message
    const text = message.parts.flatMap((part) => textOf(part))
    const links = linksOf(message)
    return {
      ...picked(message, "messageId", "author", "clientId", "retracted", "optimistic", "inputs"),
      role,
      state: text.some((part) => part.state === "streaming") ? "streaming" : "final",
      text,
      cards: links.flatMap((link, index) => cardOf(link, linked[index])),
      citations: links.flatMap((link, index) => citationOf(link, linked[index])),
      ...given({ who: whoIs(doer), at: origin.timestamp }),
      ...picked(origin, "runId", "turnId"),
    }
  },
)

/** Text that a later final one took the place of is not shown. */
function textOf(part: MessagePart): TextView[] {
  if (part.kind !== "text" || part.marker === "superseded") return []
  return [{ blocks: part.text.blocks, ...picked(part, "partId", "state", "marker") }]
}

function cardOf({ kind, partId, ref }: Link, entity?: ArtifactEntity | EvidenceEntity): ArtifactCard[] {
  if (kind !== "artifact") return []
  const artifact = entity && "artifactId" in entity ? entity : undefined
  return [
    {
      partId,
      artifactId: ref,
      kind: artifact?.kind ?? "unknown",
      state: artifact?.gone ? "unavailable" : artifact ? "ready" : "unknown",
      ...given({ versionId: artifact?.currentVersionId, title: artifact?.title }),
    },
  ]
}

/** What names an artifact wherever it is shown in short. */
export const artifactLink = kept((artifact: ArtifactEntity) => ({
  ...picked(artifact, "artifactId", "kind", "title"),
  ...given({ versionId: artifact.currentVersionId }),
}))

/** No evidence, no citation; a verdict only while the evidence has it. */
function citationOf({ kind, partId, ref }: Link, entity?: ArtifactEntity | EvidenceEntity): Citation[] {
  if (kind !== "evidence" || !entity || !("evidenceId" in entity)) return []
  return [{ partId, evidenceId: ref, ...picked(entity, "verdict") }]
}
