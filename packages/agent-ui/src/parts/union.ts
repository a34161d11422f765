import { given } from "../given.ts"
import type { AgentUiState, MessagePart } from "../state.ts"
import type { ToolStatus } from "../taxonomy.ts"
import { readText } from "../text.ts"

/** What of a message is readable or can be referred to. Outcomes belong to their entities and are filled in when read. */
export type UIMessagePart =
  | { type: "text"; partId: string; messageId: string; text: string; state: "streaming" | "final" }
  | { type: "reasoning"; partId: string; summary: string; encryptedRef?: string }
  | { type: "tool-preview"; partId: string; toolCallId: string; outputRef?: string; status: ToolStatus }
  | { type: "artifact-card"; partId: string; artifactId: string; versionId?: string }
  | { type: "evidence-citation"; partId: string; evidenceId: string; verdict?: string }
  | { type: "diagnostic-ref"; partId: string; diagnosticId: string }

/** The parts of a message in their order; text that a final one superseded is not shown again. */
export function uiMessageParts(state: AgentUiState, messageId: string): UIMessagePart[] {
  const message = state.messages.get(messageId)
  return message ? message.parts.flatMap((part) => uiMessagePart(state, messageId, part) ?? []) : []
}

export function uiMessagePart(
  state: AgentUiState,
  messageId: string,
  part: MessagePart,
): UIMessagePart | undefined {
  const { partId } = part
  switch (part.kind) {
    case "text":
      if (part.marker === "superseded") return undefined
      return { type: "text", partId, messageId, text: readText(part.text), state: part.state }
    case "reasoning": {
      const { summary = "", encryptedRef } = part
      return { type: "reasoning", partId, summary, ...given({ encryptedRef }) }
    }
    case "tool": {
      const tool = state.tools.get(part.ref)
      const outputRef = tool?.outputRefs[0]
      const preview = { type: "tool-preview" as const, partId, toolCallId: part.ref }
      return {
        ...preview,
        ...given({ outputRef }),
        status: tool?.status ?? "unknown",
      }
    }
    case "artifact": {
      const versionId = state.artifacts.get(part.ref)?.currentVersionId
      return {
        type: "artifact-card",
        partId,
        artifactId: part.ref,
        ...given({ versionId }),
      }
    }
    case "evidence": {
      const verdict = state.evidence.get(part.ref)?.verdict
      return {
        type: "evidence-citation",
        partId,
        evidenceId: part.ref,
        ...given({ verdict }),
      }
    }
    case "diagnostic":
      return { type: "diagnostic-ref", partId, diagnosticId: part.ref }
    default:
      return undefined
  }
}
