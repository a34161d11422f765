import type { FactOf } from "@factum/client"
import type { Preview, Ref } from "@factum/facts"
import type { StateWord } from "../ui/status.ts"
import { type CallView, type Excerpt, ended, isWaiting, type TurnView } from "./conversation.ts"

type ToolFact = FactOf<"tool.started" | "tool.args" | "tool.progress" | "tool.result" | "tool.failed">
type CallFact = ToolFact | FactOf<"permission.requested" | "permission.resolved">

/** What a tool did, call by call; what comes after the end of a call is late and changes nothing. */
export function applyCall(turn: TurnView, fact: CallFact): TurnView {
  const { tool_call_id } = fact
  if (tool_call_id === undefined) return turn
  const at = turn.calls.findIndex((call) => call.tool_call_id === tool_call_id)
  const before = turn.calls[at]
  if (before !== undefined) {
    return before.status === "running" ? { ...turn, calls: turn.calls.with(at, next(before, fact)) } : turn
  }
  const opened = next({ tool_call_id, status: "running", asked: false }, fact)
  return {
    ...turn,
    calls: [...turn.calls, opened],
    steps: [...turn.steps, { kind: "call", id: tool_call_id }],
  }
}

function next(call: CallView, fact: CallFact): CallView {
  switch (fact.type) {
    case "tool.started": {
      const { tool, cause, input, input_ref } = fact.payload
      return {
        ...call,
        tool,
        ...(cause && { cause }),
        ...(input && { input: excerpt(input, input_ref) }),
      }
    }
    case "tool.args": {
      const { payload } = fact
      if (payload.final) return { ...call, input: excerpt(payload.preview, payload.input_ref) }
      // Pieces come before the final input, which replaces them.
      return { ...call, input: { text: (call.input?.text ?? "") + payload.chunk, whole: false } }
    }
    case "tool.progress": {
      const { note, done, total, output, output_ref } = fact.payload
      const progress = {
        ...call.progress,
        ...(note !== undefined && { note }),
        ...(typeof done === "number" && { done }),
        ...(typeof total === "number" && { total }),
      }
      return { ...call, progress, ...(output && { output: excerpt(output, output_ref) }) }
    }
    case "tool.result": {
      const { preview, output_refs, duration_ms } = fact.payload
      return { ...call, status: "done", output: excerpt(preview, output_refs[0]), ...seconds(duration_ms) }
    }
    case "tool.failed": {
      const { category, message, next, preview, output_refs, duration_ms } = fact.payload
      return {
        ...call,
        status: "failed",
        failure: next === undefined ? { category, message } : { category, message, next },
        ...(preview && { output: excerpt(preview, output_refs?.[0]) }),
        ...seconds(duration_ms),
      }
    }
    case "permission.requested":
      return { ...call, asked: true }
    case "permission.resolved":
      return { ...call, asked: false }
  }
}

function excerpt({ text, whole }: Preview, ref: Ref | undefined): Excerpt {
  return ref?.bytes === undefined ? { text, whole } : { text, whole, bytes: ref.bytes }
}

const seconds = (duration_ms: number | "unknown" | undefined) =>
  typeof duration_ms === "number" ? { seconds: duration_ms / 1000 } : {}

const failedStates: Readonly<Record<string, StateWord>> = {
  interrupted: "cancelled",
  outcome_unknown: "unknown",
}

export function callState(call: CallView, turn: TurnView, isStale = false): StateWord {
  if (call.status === "done") return "done"
  if (call.status === "failed") return failedStates[call.failure?.category ?? ""] ?? "failed"
  // Its end was not told, and nobody works on it any more.
  if (ended(turn)) return "unknown"
  const asking = turn.actions.filter((action) => action.tool_call_id === call.tool_call_id)
  if (isStale) return "stale"
  if (asking.some(isWaiting)) return "needsYou"
  return call.asked || asking.some(({ resolution }) => resolution === undefined) ? "waiting" : "running"
}

/** Whether a call was opened for what the model proposed under this name; a name used twice gets a suffix. */
export const isOpened = (turn: TurnView, request_id: string, call_id: string | undefined): boolean =>
  call_id !== undefined &&
  turn.calls.some(
    ({ cause }) =>
      cause?.request_id === request_id &&
      (cause.call_id === call_id || cause.call_id.startsWith(`${call_id}.`)),
  )

const longestLine = 240

/** The input in one line: the only text by itself, otherwise names and values; what is no object as it is. */
export function inputLine(text: string): string {
  const entries = Object.entries(objectIn(text) ?? {})
  const [only] = entries
  const line =
    only === undefined
      ? text.trim() === "{}"
        ? ""
        : text
      : entries.length === 1 && typeof only[1] === "string"
        ? only[1]
        : entries.map(([name, value]) => `${name}: ${shown(value)}`).join(", ")
  const flat = line.replaceAll(/\s+/g, " ").trim()
  return flat.length > longestLine ? `${flat.slice(0, longestLine)}…` : flat
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
