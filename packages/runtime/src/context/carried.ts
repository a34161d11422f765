import {
  actionEnded,
  type Ref,
  type SessionState,
  type ToolCall,
  type Turn,
  taskEnded,
  toolCallEnded,
} from "@factum/facts"
import { z } from "zod"
import { queueOf } from "../control/thread-view.ts"
import { clipped, tokensOf } from "./window.ts"

const Goal = z.object({
  turn_id: z.string(),
  text: z.string(),
  /** Why its turn came to nothing, when it did. */
  failed: z.string().optional(),
})
const Receipt = z.object({
  tool_call_id: z.string(),
  tool: z.string(),
  status: z.enum(["done", "failed"]),
  category: z.string().optional(),
  input: z.string(),
  output: z.string(),
  uri: z.string().optional(),
})

/** What goes over a boundary as it is: nobody retells it, so nothing of it is lost or made up. */
export const Carried = z.object({
  version: z.literal(1),
  goals: z.array(Goal),
  receipts: z.array(Receipt),
  open_actions: z.array(z.object({ action_id: z.string(), title: z.string() })),
  queued_turns: z.array(z.object({ queued_turn_id: z.string(), turn_id: z.string() })),
  active_tasks: z.array(z.object({ task_id: z.string(), objective: z.string(), status: z.string() })),
})
export type Carried = z.infer<typeof Carried>
type Receipt = z.infer<typeof Receipt>

const goalTokens = 120
const receiptTokens = 60

/** The record at a boundary: what an earlier one carried, and what has been added since. */
export function carriedAt(
  state: SessionState,
  thread_id: string,
  to: number,
  before: Carried | undefined,
): Carried {
  const { turns, toolCalls, actions, tasks } = state.entities
  const mine = Object.values(turns).filter((turn) => turn.thread_id === thread_id)
  const waiting = new Set(queueOf(state, thread_id).order.map(({ turn_id }) => turn_id))
  const goals = mine
    .filter(({ turn_id, status }) => !waiting.has(turn_id) && status !== "accepted")
    .map(goalOf)
  const forgotten = (before?.goals ?? []).filter(({ turn_id }) => turns[turn_id] === undefined)
  const known = new Set(before?.receipts.map(({ tool_call_id }) => tool_call_id))
  const receipts = Object.values(toolCalls)
    .filter((call) => call.thread_id === thread_id && toolCallEnded(call) && call.opened <= to)
    .filter(({ tool_call_id }) => !known.has(tool_call_id))
    .toSorted((a, b) => a.opened - b.opened)
    .map(receiptOf)
  return {
    version: 1,
    goals: [...forgotten, ...goals],
    receipts: [...(before?.receipts ?? []), ...receipts],
    open_actions: Object.values(actions)
      .filter((action) => action.thread_id === thread_id && !actionEnded(action))
      .map(({ action_id, request }) => ({ action_id, title: request?.title ?? "unknown" })),
    queued_turns: queueOf(state, thread_id).order.map(({ queued_turn_id, turn_id }) => ({
      queued_turn_id,
      turn_id,
    })),
    active_tasks: Object.values(tasks)
      .filter((task) => (task.thread_id ?? thread_id) === thread_id && !taskEnded(task))
      .map(({ task_id, objective, status }) => ({ task_id, objective, status })),
  }
}

function goalOf({ turn_id, input, steered, failure }: Turn): Carried["goals"][number] {
  const said = [input, ...steered.map((steer) => steer.input)].flat()
  const text = said.map((part) => (part.kind === "text" ? part.text : `[${part.kind}: ${part.ref.uri}]`))
  const failed = failure === undefined ? {} : { failed: failure.category }
  return { turn_id, text: clipped(text.join("\n"), goalTokens), ...failed }
}

function receiptOf(call: ToolCall): Receipt {
  const { tool_call_id, tool, input, preview, failure, output_refs } = call
  const category = failure === undefined ? {} : { category: failure.category }
  const said = failure === undefined ? (preview?.text ?? "") : failure.message
  const uri = output_refs.find((ref) => ref.kind !== "record")?.uri
  return {
    tool_call_id,
    tool,
    status: call.status === "done" ? "done" : "failed",
    ...category,
    input: clipped(input?.text ?? "", receiptTokens),
    output: clipped(said, receiptTokens),
    ...(uri === undefined ? {} : { uri }),
  }
}

/** The refs that stay in use: what calls of the range gave, and what people sent. */
export function keptRefs(state: SessionState, thread_id: string, to: number): Ref[] {
  const { turns, toolCalls } = state.entities
  const given = Object.values(turns)
    .filter((turn) => turn.thread_id === thread_id)
    .flatMap(({ input, sources }) => [
      ...input.flatMap((part) => (part.kind === "text" ? [] : [part.ref])),
      ...sources,
    ])
  const made = Object.values(toolCalls)
    .filter((call) => call.thread_id === thread_id && call.opened <= to)
    .flatMap(({ output_refs }) => output_refs.filter(({ kind }) => kind !== "record"))
  return [...new Map([...given, ...made].map((ref) => [ref.uri, ref])).values()].slice(-mostRefs)
}
const mostRefs = 128

/** As the model is told it. The newest come first where not all find room. */
export function carriedText(carried: Carried, tokens: number): string {
  const goals = section(
    "What was asked for",
    carried.goals.map(
      ({ text, failed }) => `- ${oneLine(text)}${failed === undefined ? "" : ` (ended early: ${failed})`}`,
    ),
    Math.floor(tokens / 3),
  )
  const tasks = carried.active_tasks.map(({ objective, status }) => `- ${oneLine(objective)} (${status})`)
  const open = carried.open_actions.map(({ title }) => `- Waiting for a person: ${oneLine(title)}`)
  const rest = [...section("Not finished", [...tasks, ...open], Math.floor(tokens / 6))]
  const used = tokensOf([...goals, ...rest].join("\n"))
  const receipts = carried.receipts.map(receiptLine)
  const done = section("Calls that have ended; do not repeat them without need", receipts, tokens - used)
  return [...goals, ...done, ...rest].join("\n")
}

function receiptLine({ tool, status, category, input, output, uri }: Receipt): string {
  const outcome = category === undefined ? status : `${status}: ${category}`
  return oneLine(`- ${tool} ${input} → ${outcome}. ${output}${uri === undefined ? "" : ` (${uri})`}`)
}

function section(title: string, lines: readonly string[], tokens: number): string[] {
  const told: string[] = []
  let left = tokens - tokensOf(title) - 16
  for (const line of lines.toReversed()) {
    left -= tokensOf(line) + 1
    if (left < 0) break
    told.unshift(line)
  }
  const missing = lines.length - told.length
  if (lines.length === 0) return []
  return [`## ${title}`, ...(missing === 0 ? [] : [`- ${missing} earlier ones are in the history.`]), ...told]
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ").trim()
