import { type ModelRequest, type ToolCall, toolCallEnded } from "@factum/facts"
import { type Action, plainAction } from "@factum/protocol"
import { type CallScope, openActions } from "../control/calls.ts"
import { moveTo } from "../control/loop.ts"
import type { Draft } from "../decision.ts"
import { filled } from "../executors/pipeline.ts"
import { isRepeatable } from "../executors/roster.ts"
import { outputText } from "../outputs/told.ts"
import type { PipelineStep, Tool, ToolOutcome } from "../ports/tool.ts"
import { beginCall, resumeCall } from "./call.ts"
import { endedCall } from "./call-facts.ts"
import type { CallPorts, Input } from "./call-ports.ts"
import { goalOf } from "./declared-history.ts"
import { callsOf } from "./run-state.ts"

/** How often a step is tried that says `retry`, and is safe to repeat. */
const mostTries = 3

type Pipeline = { scope: CallScope; tool: Tool; input: Input; opened: readonly Draft[]; id: string }

export async function beginPipeline(
  ports: CallPorts,
  request: ModelRequest,
  pipeline: Pipeline,
): Promise<void> {
  const { scope, tool, opened } = pipeline
  const begins: Draft = { type: "tool.progress", ...scope, payload: { attempt: 1 } }
  const begun = await ports.write((state) => [
    ...opened,
    ...(openActions(state, scope.turn_id).length > 0
      ? []
      : moveTo(state, scope.turn_id, "running", "Using tools", tool.name)),
    begins,
  ])
  if (begun) await runPipeline(ports, request, pipeline)
}

/** From whichever step the log says it is at. It rests when a step waits for somebody, and ends with its last step. */
export async function runPipeline(
  ports: CallPorts,
  request: ModelRequest,
  pipeline: Pipeline,
): Promise<void> {
  const { tool, id } = pipeline
  const outputs: Record<string, string> = {}
  let last = ""
  for (const step of tool.steps ?? []) {
    const done = await runStep(ports, request, pipeline, step, outputs)
    if (done === undefined || ports.signal.aborted) return
    if (done.status === "failed" && step.on_failure !== "continue") {
      const { category = "tool_error", message = "It failed.", next } = done.failure ?? {}
      const told = next === undefined ? {} : { next }
      const output = outputText(done, ports.blobs)
      return end(ports, pipeline, {
        ok: false,
        category,
        message: `Step ${step.id}: ${message}`,
        ...told,
        output,
      })
    }
    last = done.status === "failed" ? (done.failure?.message ?? "") : outputText(done, ports.blobs)
    outputs[step.id] = last
  }
  if (tool.steps?.length) return end(ports, pipeline, { ok: true, output: last })
  await end(ports, pipeline, { ok: false, category: "tool_error", message: `${id} has no steps.` })
}

/** The call of a step once it has ended; nothing while it waits. */
async function runStep(
  ports: CallPorts,
  request: ModelRequest,
  { scope, tool, input, id }: Pipeline,
  step: PipelineStep,
  outputs: Readonly<Record<string, string>>,
): Promise<ToolCall | undefined> {
  const call_id = `${id}/${step.id}`
  // What an earlier attempt at the pipeline did is no step of this one.
  const begun = ports.state().entities.toolCalls[scope.tool_call_id]?.opened ?? 0
  const attempts = () =>
    callsOf(ports.state(), request).filter(
      ({ cause, opened }) => cause?.call_id === call_id && opened > begun,
    )
  const goal = goalOf(ports.state().entities.turns[ports.turn_id])
  const target = ports.agent.tools.find(({ name }) => name === step.tool)
  for (;;) {
    const before = attempts()
    const call = before.at(-1)
    if (call !== undefined && toolCallEnded(call) && !triesAgain(step, ports.agent.tools, before)) return call
    // Its call stays open, before this step.
    if (ports.spare() <= 0) return undefined
    const given = filled(step.input, { input, goal, outputs })
    const action = stepAction(
      call_id,
      target?.steps === undefined ? step.tool : `${step.tool} within ${tool.name}`,
      given,
    )
    if (call === undefined || toolCallEnded(call)) await beginCall(ports, request, action)
    else await resumeCall(ports, request, call, action)
    const after = attempts()
    const now = after.at(-1)
    if (now === undefined || !toolCallEnded(now) || ports.signal.aborted) return undefined
  }
}

function triesAgain(step: PipelineStep, tools: readonly Tool[], calls: readonly ToolCall[]): boolean {
  const tool = tools.find(({ name }) => name === step.tool)
  const last = calls.at(-1)
  if (step.on_failure !== "retry" || last?.status !== "failed" || calls.length >= mostTries) return false
  const safe = tool !== undefined && isRepeatable(tool, tools)
  return safe && (last.failure?.category === "tool_error" || last.failure?.category === "time_limit")
}

const stepAction = (id: string, target: string, given: unknown): Action => ({
  ...plainAction,
  id,
  executor: { type: "tool", target, capabilities: [] },
  input: typeof given === "object" && given !== null ? { ...given } : {},
})

async function end(ports: CallPorts, { scope }: Pipeline, outcome: ToolOutcome): Promise<void> {
  const started = Date.parse(ports.state().entities.toolCalls[scope.tool_call_id]?.started_at ?? "")
  const facts = await endedCall(scope, outcome, Math.max(0, ports.now() - (started || ports.now())), ports)
  await ports.write(() => facts)
}
