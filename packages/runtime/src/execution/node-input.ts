import type { ModelRequest } from "@factum/facts"
import { type Action, expandAction, type Reason, type ReferenceScope, type Tokenizer } from "@factum/protocol"
import { kindOf } from "../executors/roster.ts"
import type { Tool } from "../ports/tool.ts"
import type { CallPorts, Input } from "./call-ports.ts"
import { filesFor } from "./references.ts"

/** What an agent is given to read beside its task. */
const contextTokens = 32_000

/** What an executor is given beside the declared input: its task and its context, as they are when it starts. */
export type Given = { ok: true; input: Input } | { ok: false; reason: Reason }

export type NodeScope = (request: ModelRequest) => ReferenceScope

/** A tool takes its arguments as they are; the other executors take the words of the action too. */
export async function nodeInput(
  ports: CallPorts,
  tool: Tool,
  action: Action,
  scope: ReferenceScope,
  tokenizer?: Tokenizer,
): Promise<Given> {
  const kind = kindOf(tool)
  if (action.origin === "recovered_call" || kind === "tool" || kind === "service" || kind === "pipeline")
    return { ok: true, input: action.input }
  const readFile = await filesFor(ports, action)
  // What is merged, summed up or shown to a person is not cut: only an agent has a window to fit into.
  const limit = kind === "agent" && tokenizer !== undefined ? { tokenizer, budget: contextTokens } : undefined
  const expanded = expandAction(action, { ...scope, readFile }, limit)
  if (!expanded.ok) return { ok: false, reason: expanded.reason }
  const { request } = expanded
  const context = request.context.map(({ ref, text }) => ({ ref, text }))
  switch (kind) {
    case "agent":
      return { ok: true, input: { ...action.input, task: request.text } }
    case "human":
      return { ok: true, input: questionOf(action, request.task.text, context) }
    case "runtime":
      return { ok: true, input: operationInput(action, context, scope, ports.now()) }
  }
}

function questionOf(action: Action, task: string, context: readonly { text: string }[]): Input {
  if (action.executor?.target === "review_plan") return action.input
  const { operation } = action
  const detail = context.map(({ text }) => text).join("\n\n")
  return {
    question: task,
    ...(detail === "" ? {} : { detail }),
    ...(operation === undefined ? {} : { operation }),
    ...action.input,
  }
}

function operationInput(
  action: Action,
  context: readonly { ref: string; text: string }[],
  { actions, runs }: ReferenceScope,
  now: number,
): Input {
  const { ms } = action.input
  const completed = actions.filter(({ id }) => runs[id]?.status === "completed").map(({ id }) => id)
  return {
    operation: action.operation,
    ...action.input,
    context,
    ...(action.operation === "checkpoint" ? { completed } : {}),
    ...(action.operation === "wait"
      ? { until: new Date(now + (typeof ms === "number" ? ms : 0)).toISOString() }
      : {}),
  }
}
