import type { PermissionOption, SessionUpdate, ToolKind } from "@agentclientprotocol/sdk"
import type { AgentUiEvent } from "@factum/agent-ui"

type Payload = Readonly<Record<string, unknown>>

/** Remembers what was sent of a text, so that its end adds only what is missing. */
export class AcpUpdates {
  readonly #sent = new Map<string, number>()

  /** What an editor shows of an event; nothing where ACP has no word for it. */
  of(event: AgentUiEvent): SessionUpdate[] {
    const payload: Payload = event.payload ?? {}
    const { toolCallId = "" } = event
    switch (event.type) {
      case "text.delta":
      case "text.final":
        return this.#chunk(
          event,
          payload,
          payload.role === "user" ? "user_message_chunk" : "agent_message_chunk",
        )
      case "reasoning.delta":
        return payload.visible === true ? this.#chunk(event, payload, "agent_thought_chunk") : []
      case "tool.started": {
        const name = textOf(payload.toolName) ?? "tool"
        const title = textOf(payload.title) ?? name
        return [
          {
            sessionUpdate: "tool_call",
            toolCallId,
            title,
            name,
            kind: kindOf(payload.sideEffect),
            status: "pending",
          },
        ]
      }
      case "tool.args": {
        const input = previewOf(payload.input)
        return input === undefined
          ? []
          : [{ sessionUpdate: "tool_call_update", toolCallId, rawInput: parsedOr(input) }]
      }
      case "tool.progress":
        return [
          { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress", ...shown(payload.preview) },
        ]
      case "tool.result":
        return [
          { sessionUpdate: "tool_call_update", toolCallId, status: "completed", ...shown(payload.preview) },
        ]
      case "tool.failed": {
        const said = { text: previewOf(payload.preview) ?? textOf(payload.message) ?? "It failed." }
        return [{ sessionUpdate: "tool_call_update", toolCallId, status: "failed", ...shown(said) }]
      }
      case "plan.final":
        return [{ sessionUpdate: "plan", entries: entriesOf(payload.steps) }]
      default:
        return []
    }
  }

  #chunk(
    event: AgentUiEvent,
    payload: Payload,
    sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  ): SessionUpdate[] {
    const part = `${event.messageId}/${event.partId}`
    const sent = this.#sent.get(part) ?? 0
    const delta = textOf(payload.delta)
    const text = delta ?? textOf(payload.text)?.slice(sent) ?? ""
    this.#sent.set(part, sent + text.length)
    return text === "" ? [] : [{ sessionUpdate, content: { type: "text", text } }]
  }
}

/** The choices of an action in ACP's words. */
export function optionsOf(event: AgentUiEvent): PermissionOption[] {
  const options = (event.payload as { options?: unknown } | undefined)?.options
  return (Array.isArray(options) ? options : []).flatMap((option: Payload): PermissionOption[] => {
    const optionId = textOf(option.id)
    if (optionId === undefined) return []
    const isAllowed = option.description === "allow" || option.description === "neutral"
    return [
      { optionId, name: textOf(option.label) ?? optionId, kind: isAllowed ? "allow_once" : "reject_once" },
    ]
  })
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const previewOf = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null && "text" in value ? textOf(value.text) : undefined

function shown(preview: unknown): {
  content?: { type: "content"; content: { type: "text"; text: string } }[]
} {
  const text = previewOf(preview)
  return text === undefined ? {} : { content: [{ type: "content", content: { type: "text", text } }] }
}

/** ACP draws a call by what it does; only a reader is surely one. */
const kindOf = (effect: unknown): ToolKind => (effect === "read" || effect === "none" ? "read" : "other")

function entriesOf(steps: unknown) {
  return (Array.isArray(steps) ? steps : []).map((step: Payload) => ({
    content: textOf(step.title) ?? "",
    priority: "medium" as const,
    status: step.status === "completed" ? ("completed" as const) : ("pending" as const),
  }))
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
