import { type Draft, open, reportEnded, reportLate, supply, track } from "../draft.ts"
import type { OutputPreview } from "../events/index.ts"
import { given } from "../given.ts"
import type { ToolEntity } from "../state.ts"
import { appendText, keepTail, noText, type TextBlocks } from "../text.ts"
import type { Reducers } from "./index.ts"
import { addRefPart } from "./message.ts"
import { joinRun } from "./run.ts"
import { isSettled } from "./run-end.ts"

/** Characters kept of one channel's live output. */
const mostOutput = 65_536

function openTool(draft: Draft): ToolEntity {
  const id = draft.event.toolCallId ?? ""
  const isNew = !draft.state.tools.has(id)
  const tool = open(draft, "tools", id, (base) => ({
    ...base,
    toolCallId: id,
    status: "unknown" as const,
    partialInput: noText,
    sensitive: false,
    channels: Object.create(null),
    outputRefs: [],
    files: [],
  }))
  const { runId, messageId } = draft.event
  if (runId !== undefined && !draft.state.runs.has(runId)) joinRun(draft)
  if (isNew && messageId !== undefined) addRefPart(draft, "tool", id)
  track(draft, "tool", id)
  return tool
}

const inputs = ["input", "inputRef"]

function takeInput(tool: ToolEntity, payload: { input?: OutputPreview; inputRef?: string }): void {
  if (payload.inputRef !== undefined) tool.inputRef = payload.inputRef
  if (payload.input !== undefined && !tool.sensitive) tool.input = asPreview(payload.input)
}

const asPreview = (preview: OutputPreview | string): OutputPreview =>
  typeof preview === "string" ? { text: preview } : preview

function addRefs(tool: ToolEntity, ...refs: readonly (string | undefined)[]): void {
  const added = refs.filter((ref): ref is string => ref !== undefined && !tool.outputRefs.includes(ref))
  if (added.length > 0) tool.outputRefs = [...tool.outputRefs, ...added]
}

export const toolReducers: Reducers<
  "tool.started" | "tool.args" | "tool.progress" | "tool.output.delta" | "tool.result" | "tool.failed"
> = {
  "tool.started": (draft, payload) => {
    const tool = openTool(draft)
    supply(tool, payload, [...inputs, "stepId", "status"])
    takeInput(tool, payload)
    const { timestamp } = draft.event
    if (timestamp !== undefined) tool.startedAt ??= timestamp
    if (!isSettled(tool.status) && tool.status !== "progress") tool.status = "running"
  },
  "tool.args": (draft, payload) => {
    const tool = openTool(draft)
    if (payload.toolName !== undefined) tool.toolName = payload.toolName
    if (payload.sensitive) {
      tool.sensitive = true
      tool.partialInput = noText
      delete tool.input
    }
    takeInput(tool, payload)
    const isWhole = payload.complete === true || payload.input !== undefined
    if (isWhole) tool.partialInput = noText
    if (isSettled(tool.status)) return
    // A source may open the call before its input streams; once it works, its input is no news.
    const isEarly =
      tool.status !== "progress" && !(tool.status === "running" && tool.input !== undefined && !isWhole)
    if (isWhole) {
      if (isEarly) tool.status = "input-available"
      return
    }
    if (isEarly) tool.status = "input-streaming"
    if (!tool.sensitive) tool.partialInput = appendText(tool.partialInput, payload.delta ?? "", draft.edit)
  },
  "tool.progress": (draft, payload) => {
    const tool = openTool(draft)
    addRefs(tool, payload.outputRef)
    if (isSettled(tool.status)) return reportLate(draft, tool.toolCallId)
    tool.status = "progress"
    const progress = { ...tool.progress }
    supply(progress, payload, ["preview", "outputRef", "preliminary"])
    tool.progress = progress
    if (payload.preview !== undefined) tool.preview = asPreview(payload.preview)
  },
  "tool.output.delta": (draft, payload) => {
    const tool = openTool(draft)
    addRefs(tool, payload.outputRef)
    if (isSettled(tool.status)) return reportLate(draft, tool.toolCallId)
    tool.status = "progress"
    const channel = payload.channel ?? "output"
    const grown = appendText(tool.channels[channel] ?? noText, payload.delta ?? "", draft.edit)
    // Without a prototype, so that a name such as `__proto__` is a channel like any other.
    const channels: Record<string, TextBlocks> = Object.assign(Object.create(null), tool.channels)
    channels[channel] = keepTail(grown, mostOutput)
    tool.channels = channels
  },
  "tool.result": (draft, payload) => {
    const tool = openTool(draft)
    addRefs(tool, payload.outputRef, ...(payload.outputRefs ?? []))
    if (isSettled(tool.status)) return reportEnded(draft, tool.toolCallId)
    tool.status = "output-available"
    settle(draft, tool, payload)
    const { success, files } = payload
    Object.assign(tool, given({ success, files }))
  },
  "tool.failed": (draft, payload) => {
    const tool = openTool(draft)
    addRefs(tool, payload.outputRef)
    if (isSettled(tool.status)) return reportEnded(draft, tool.toolCallId)
    const said = [draft.event.phase, payload.status]
    const isCancelled = payload.cancelled === true || said.includes("cancelled") || said.includes("canceled")
    tool.status = isCancelled ? "cancelled" : "output-error"
    tool.failure = {}
    supply(tool.failure, payload, ["cancelled", "preview", "outputRef", "durationMs", "status"])
    settle(draft, tool, payload)
  },
}

function settle(
  draft: Draft,
  tool: ToolEntity,
  payload: { preview?: OutputPreview; durationMs?: number },
): void {
  tool.partialInput = noText
  if (payload.preview !== undefined) tool.preview = asPreview(payload.preview)
  Object.assign(tool, given({ durationMs: payload.durationMs, endedAt: draft.event.timestamp }))
}
