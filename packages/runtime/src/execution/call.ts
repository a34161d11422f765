import type { ModelRequest, ToolCall } from "@factum/facts"
import type { Action, Reason } from "@factum/protocol"
import {
  actionOf,
  type CallScope,
  callScope,
  failCall,
  hasBegun,
  isPending,
  openActions,
  permissionOf,
} from "../control/calls.ts"
import { lookFirst, moveTo, scopeOf } from "../control/loop.ts"
import type { Draft } from "../decision.ts"
import { policyIn, settle, type Voice } from "../policy/index.ts"
import type { FailedOutcome, Tool, ToolOutcome, ToolRun } from "../ports/tool.ts"
import type { Allowed } from "./allowed.ts"
import { ask, requestLeave, settleQuestion } from "./asking.ts"
import { endedCall, openedCall, recordedInput } from "./call-facts.ts"
import { afterTool, beforeTool, type Deciding, onPermission } from "./call-hooks.ts"
import { type CallPorts, type Input, mask, recordIn, refused } from "./call-ports.ts"
import { judgeCall } from "./gate.ts"
import type { Given } from "./node-input.ts"
import { beginPipeline, runPipeline } from "./pipeline.ts"
import { argumentsOf } from "./plan.ts"
import { messageOf } from "./spoken.ts"

export type Begin = {
  /** Why a person must be asked in any case. */
  demanded?: string | undefined
  /** What the executor is given, where that is more than the declared input. */
  given?: (tool: Tool) => Given | Promise<Given>
}

/** Opens the call of an action and brings it as far as it gets by itself. */
export async function beginCall(
  ports: CallPorts,
  request: ModelRequest,
  action: Action,
  { demanded, given: more }: Begin = {},
): Promise<void> {
  const name = action.executor?.target ?? ""
  const tool = ports.agent.tools.find((candidate) => candidate.name === name)
  const scope: CallScope = {
    ...scopeOf(ports.state(), ports.turn_id),
    step_id: ports.ids.next("step"),
    tool_call_id: ports.ids.next("tool_call"),
  }
  const cause = { request_id: request.request_id, call_id: action.id }
  const node = tool === undefined ? undefined : await more?.(tool)
  const given = node?.ok && action.origin !== "recovered_call" ? node.input : proposed(request, action)
  const text = typeof given === "string" ? given : JSON.stringify(given)
  const opened = await openedCall(scope, { tool, name, text, cause }, ports)
  const input = typeof given === "string" ? undefined : given
  const refusal = node?.ok === false ? notResolved(node.reason) : refused(tool, input, name)
  if (tool === undefined || input === undefined || refusal !== undefined) {
    const payload = refusal ?? { category: "unknown_tool" as const, message: `There is no tool ${name}.` }
    await ports.write(() => [...opened, { type: "tool.failed", ...scope, payload }])
    return
  }
  if (tool.steps !== undefined)
    return beginPipeline(ports, request, { scope, tool, input, opened, id: action.id })
  await decide(ports, { scope, tool, input, opened, demanded })
}

const notResolved = ({ code, message }: Reason) => ({
  category: code === "not_permitted" ? ("permission_denied" as const) : ("invalid_args" as const),
  message,
  next: "Refer to what exists and may be read.",
})

/** Takes a call up again that waited for an answer, or was cut off and is safe to execute again. */
export async function resumeCall(
  ports: CallPorts,
  request: ModelRequest,
  call: ToolCall,
  action: Action,
  demanded?: string,
): Promise<void> {
  const state = ports.state()
  const tool = ports.agent.tools.find((candidate) => candidate.name === call.tool)
  const scope = callScope(state, call)
  const fail = (category: "permission_denied" | "unknown_tool", message: string, next?: string) =>
    ports.write((now) => [failCall(now, call, category, message, next)])
  if (tool === undefined) {
    await fail("unknown_tool", `The tool ${call.tool} is no longer there.`)
    return
  }
  if (tool.steps !== undefined) {
    const input = recordedInput(call, ports.blobs) ?? action.input
    return runPipeline(ports, request, { scope, tool, input, opened: [], id: action.id })
  }
  const asked = actionOf(state, call.tool_call_id)
  if (isPending(asked)) return
  if (tool.asks !== undefined && asked !== undefined) return settleQuestion(ports, scope, asked.resolution)
  const permission = permissionOf(state, call.tool_call_id)
  if (permission !== undefined && permission.status !== "allowed") {
    const why = permission.decided?.reason
    const { kind = "human" } = permission.decided?.decider ?? {}
    const said = {
      denied: kind === "human" ? "A person said no." : `The ${kind} said no.`,
      expired: "Nobody answered in time.",
      cancelled: "It was cancelled.",
    }
    const message = said[permission.status as keyof typeof said] ?? "It was not allowed."
    await fail(
      "permission_denied",
      why === undefined ? message : `${message} ${why}`,
      "Do it in another way, or ask.",
    )
    return
  }
  // What was judged and shown, which a hook may have made of what the model wrote.
  const input = recordedInput(call, ports.blobs) ?? action.input
  // Cut off before it was judged, which is in the log together with what follows: the hooks have not had their say.
  if (permission === undefined && !hasBegun(call))
    return decide(ports, { scope, tool, input, opened: [], demanded })
  // An approval was given under the policy of its time and for exactly what was shown.
  const judged = await judgeNow(ports, scope, tool, input)
  const heard = await onPermission(ports, scope, judged.explained, [])
  if (heard === undefined) return
  const { explained } = heard
  const allowed = judged.allowed(ports.agent.boundary)
  const shown = permission?.asked?.operation.digest
  const settled = settle(explained, shown === undefined ? undefined : { digest: shown, outcome: "allowed" })
  // Why a person had to be asked is not judged again, so what is another operation by now is asked about anew.
  const isOther = shown !== undefined && shown !== explained.operation.digest
  const verdict = isOther && settled === "allow" ? "ask" : settled
  if (verdict === "allow")
    return execute(ports, { scope, tool, input, allowed, attempt: (call.progress?.attempt ?? 0) + 1 })
  const evaluation_id = ports.ids.next("evaluation")
  const evaluated: Draft = {
    type: "permission.evaluated",
    ...scope,
    payload: { evaluation_id, ...explained },
  }
  if (verdict === "ask") return requestLeave(ports, scope, tool, input, explained, evaluation_id, [evaluated])
  const message = `Denied by ${explained.winner.source}: ${explained.winner.rule}.`
  await ports.write((now) => [evaluated, failCall(now, call, "permission_denied", message)])
}

/** What the model wrote as arguments; its exact text when that is no object. */
function proposed(request: ModelRequest, action: Action): Input | string {
  if (action.origin !== "recovered_call") return action.input
  const { calls } = messageOf(request)
  const call =
    calls.find(({ id }) => action.id === id) ?? calls.find(({ id }, index) => action.id === `${id}.${index}`)
  if (call === undefined) return action.input
  return argumentsOf(call.arguments) ?? call.arguments
}

async function decide(ports: CallPorts, deciding: Deciding): Promise<void> {
  const { scope, tool, demanded } = deciding
  const hooked = await beforeTool(ports, deciding)
  if (hooked === undefined) return
  const { input, voices } = hooked
  const judgement = await judgeNow(ports, scope, tool, input, { demanded, voices })
  const { explained } = judgement
  // A question is no effect that a mode could forbid; who wrote a rule against it is heard.
  const isForbidden = explained.sources.some(({ source, verdict }) => verdict === "deny" && source !== "mode")
  if (tool.asks !== undefined && !isForbidden) {
    const { session_id } = scope
    const question = tool.asks(input, { now: ports.now(), session_id })
    if (!("ok" in question)) return ask(ports, scope, question, hooked.opened)
    const ended = await endedCall(scope, question, 0, ports)
    await ports.write(() => [...hooked.opened, ...ended])
    return
  }
  const heard = await onPermission(ports, scope, explained, hooked.opened)
  if (heard === undefined) return
  const { explained: judged, opened } = heard
  const evaluation_id = ports.ids.next("evaluation")
  const evaluated: Draft = { type: "permission.evaluated", ...scope, payload: { evaluation_id, ...judged } }
  if (judged.verdict === "deny") {
    const message = `Denied by ${judged.winner.source}: ${judged.winner.rule}.`
    const payload = { category: "permission_denied" as const, message, next: "Do it in another way, or ask." }
    await ports.write(() => [...opened, evaluated, { type: "tool.failed", ...scope, payload }])
    return
  }
  if (judged.verdict === "ask")
    return requestLeave(ports, scope, tool, input, judged, evaluation_id, [...opened, evaluated])
  const allowed = judgement.allowed(ports.agent.boundary)
  await execute(ports, { scope, tool, input, allowed, attempt: 1, before: [...opened, evaluated] })
}

/** Under the policy of the moment, with what people have granted in the session. */
function judgeNow(
  ports: CallPorts,
  { turn_id }: CallScope,
  tool: Tool,
  input: Input,
  more: { demanded?: string | undefined; voices?: readonly Voice[] } = {},
) {
  const policy = policyIn(ports.agent.policy, ports.state(), turn_id, ports.now())
  const { signal } = ports
  return judgeCall(tool, input, { ...ports.agent, policy }, mask(ports), { ...more, signal })
}

type Executing = {
  scope: CallScope
  tool: Tool
  input: Input
  allowed: Allowed
  attempt: number
  before?: readonly Draft[]
}

/** The effect. That it begins is in the log before it does. */
async function execute(
  ports: CallPorts,
  { scope, tool, input, allowed, attempt, before = [] }: Executing,
): Promise<void> {
  const begins: Draft = { type: "tool.progress", ...scope, payload: { attempt } }
  const { turn_id } = scope
  const begun = await ports.write((state) => [
    ...before,
    // While a person is waited for, the run waits, whatever else goes on beside it.
    ...(openActions(state, turn_id).length > 0
      ? []
      : moveTo(state, turn_id, "running", "Using tools", tool.name)),
    begins,
  ])
  if (!begun || ports.signal.aborted) return
  const started = ports.now()
  const limit = tool.time_limit_ms === undefined ? undefined : AbortSignal.timeout(tool.time_limit_ms)
  const signal = limit === undefined ? ports.signal : AbortSignal.any([ports.signal, limit])
  const run: ToolRun = {
    ...ports.agent.workspace,
    ...scope,
    attempt,
    key: scope.tool_call_id,
    ...allowed,
    ...envOf(ports),
    signal,
    record: (facts) => recordIn(ports, scope, facts),
  }
  const outcome = await settled(tool, input, run)
  // On a stop of the runtime the call stays open: the next start tells what can be known of it.
  if (ports.signal.aborted) return
  const timedOut = limit?.aborted === true && !outcome.ok
  const told = timedOut ? overTime(tool, outcome) : outcome
  const final = await afterTool(ports, scope, { tool, input }, told)
  if (final === undefined) return
  const facts = await endedCall(scope, final, Math.max(0, ports.now() - started), ports)
  await ports.write(() => facts)
}

/** What cannot be done twice and did not end in time may have been done. */
function overTime({ effect, time_limit_ms }: Tool, outcome: FailedOutcome): FailedOutcome {
  const message = `It took longer than ${time_limit_ms} ms. ${outcome.message}`
  if (effect !== "once") return { ...outcome, category: "time_limit", message }
  return { ...outcome, category: "outcome_unknown", message, next: outcome.next ?? lookFirst }
}

function envOf({ credentials }: CallPorts): Pick<ToolRun, "env"> {
  const env = credentials()
  return Object.keys(env).length === 0 ? {} : { env }
}

async function settled(tool: Tool, input: Input, run: ToolRun): Promise<ToolOutcome> {
  try {
    return await tool.run(input, run)
  } catch (error) {
    const message = `The tool broke: ${error instanceof Error ? error.message : String(error)}`
    return { ok: false, category: "tool_error", message }
  }
}
