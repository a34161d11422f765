import type { AgentUiEnvelope } from "../../envelope.ts"
import { given } from "../translation.ts"
import type { AgUiEvent, Interrupt } from "./wire.ts"

type Tag = { subagentRunId?: string }

/** What AG-UI must see closed before a run may end. */
export class OpenRun {
  readonly threadId: string
  readonly runId: string
  /** Text as it was sent, by message id of AG-UI. */
  readonly texts = new Map<string, { sent: string; tag: Tag }>()
  readonly ended = new Set<string>()
  readonly reasonings = new Map<string, { sent: string; tag: Tag }>()
  /** Calls whose input still streams, with what was sent of it. */
  readonly inputs = new Map<string, { sent: string; tag: Tag }>()
  readonly begun = new Set<string>()
  /** Calls that have not ended. */
  readonly unfinished = new Set<string>()
  readonly agents = new Map<string, "active" | "closed">()
  readonly interrupts = new Map<string, Interrupt>()
  waiting = false

  constructor(threadId: string, runId: string) {
    this.threadId = threadId
    this.runId = runId
  }

  /** Only an invocation that was announced may be named as the author. */
  tag({ agentId }: AgentUiEnvelope): Tag {
    return agentId !== undefined && this.agents.get(agentId) === "active" ? { subagentRunId: agentId } : {}
  }

  endText(messageId: string): AgUiEvent[] {
    const open = this.texts.get(messageId)
    if (!open) return []
    this.texts.delete(messageId)
    this.ended.add(messageId)
    return [{ type: "TEXT_MESSAGE_END", messageId, ...open.tag }]
  }

  endReasoning(messageId: string): AgUiEvent[] {
    const open = this.reasonings.get(messageId)
    if (!open) return []
    const { tag } = open
    this.reasonings.delete(messageId)
    this.ended.add(messageId)
    return [
      { type: "REASONING_MESSAGE_END", messageId, ...tag },
      { type: "REASONING_END", messageId, ...tag },
    ]
  }

  endInput(toolCallId: string): AgUiEvent[] {
    const open = this.inputs.get(toolCallId)
    if (!open) return []
    this.inputs.delete(toolCallId)
    return [{ type: "TOOL_CALL_END", toolCallId, ...open.tag }]
  }

  /** Nothing moves until people answer: every call that has not ended is what one of them is asked about. */
  get rests(): boolean {
    if (!this.waiting || this.interrupts.size === 0) return false
    const asked = new Set([...this.interrupts.values()].map((interrupt) => interrupt.toolCallId))
    return [...this.unfinished].every((id) => asked.has(id)) && this.texts.size === 0
  }

  closeAll(): AgUiEvent[] {
    return [
      ...[...this.texts.keys()].flatMap((id) => this.endText(id)),
      ...[...this.reasonings.keys()].flatMap((id) => this.endReasoning(id)),
      ...[...this.inputs.keys()].flatMap((id) => this.endInput(id)),
      ...this.#suspendAgents(),
    ]
  }

  /** AG-UI ends an invocation with its run, while a teammate goes on. */
  #suspendAgents(): AgUiEvent[] {
    return [...this.agents].flatMap(([subagentRunId, state]): AgUiEvent[] => {
      if (state === "closed") return []
      this.agents.set(subagentRunId, "closed")
      return [{ type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended" } }]
    })
  }

  interrupted(): AgUiEvent[] {
    const { threadId, runId } = this
    const interrupts = [...this.interrupts.values()]
    return [
      ...this.closeAll(),
      { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } },
    ]
  }
}

/** The time of an event, which AG-UI counts in milliseconds. */
export function stamped(events: readonly AgUiEvent[], { timestamp }: AgentUiEnvelope): AgUiEvent[] {
  const at = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  return events.map((event) => ({ ...event, ...given({ timestamp: Number.isNaN(at) ? undefined : at }) }))
}
