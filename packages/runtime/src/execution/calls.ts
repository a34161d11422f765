import type { ModelRequest, SessionState, ToolCall } from "@factum/facts"
import { actionOf, hasBegun, isPending } from "../control/calls.ts"
import type { Tool } from "../ports/tool.ts"
import { beginCall, resumeCall } from "./call.ts"
import type { CallPorts } from "./call-ports.ts"
import { nodeInput } from "./node-input.ts"
import { callsOf, scheduleOf } from "./run-state.ts"
import { lacking, type RunMeans, runAt } from "./runs.ts"

/**
 * Brings the calls of a request to where nothing moves by itself: all ended, or the rest waits for people, or a budget
 * lets none of them begin.
 */
export async function runCalls(
  given: CallPorts,
  request: ModelRequest,
  reach: (state: SessionState) => RunMeans,
): Promise<"settled" | "stopped" | "spent" | { rests: number }> {
  /** A refused write or a defect in one call stops the others: nothing more may happen. */
  const stop = new AbortController()
  const ports: CallPorts = {
    ...given,
    signal: AbortSignal.any([given.signal, stop.signal]),
    async write(drafts, claims) {
      const written = await given.write(drafts, claims)
      if (!written) stop.abort()
      return written
    },
  }
  const flights = new Map<string, Promise<void>>()
  /** A call taken up once in this pass is not taken up again before something has changed. */
  const tried = new Set<string>()

  function launch(id: string, work: Promise<void>): void {
    flights.set(
      id,
      work.finally(() => flights.delete(id)),
    )
  }

  for (;;) {
    const state = ports.state()
    const means = reach(state)
    const found = runAt(means, request)
    // What the state no longer allows was refused, and the model is told why.
    if (!found.ok) return "settled"
    const { graph, approvals } = found.value
    const calls = callsOf(state, request)
    const open = calls.filter(({ status }) => status === "running")
    const begun = new Set(open.filter(hasBegun).map(({ cause }) => cause?.call_id))
    let spare = ports.spare() - [...flights.keys()].filter((id) => !begun.has(id)).length
    let spent = false
    const allowed = (): boolean => {
      if (spare <= 0) spent = true
      return spare-- > 0
    }
    for (const call of open) {
      const id = call.cause?.call_id ?? ""
      const action = graph.actions.find((candidate) => candidate.id === id)
      if (waits(call)) tried.delete(call.tool_call_id)
      if (action === undefined || flights.has(id) || tried.has(call.tool_call_id) || waits(call)) continue
      if (!allowed()) continue
      tried.add(call.tool_call_id)
      launch(id, resumeCall(ports, request, call, action, approvals.get(id)))
    }
    const waiting = open.filter(waits).map(({ cause }) => cause?.call_id ?? "")
    const lacks = lacking(means, found.value)
    const { run, schedule } = scheduleOf(graph, found.value.state, {
      now: ports.now(),
      in_flight: [...flights.keys(), ...waiting],
      max_parallel: ports.agent.most_parallel,
      lacks,
    })
    for (const step of schedule.steps) {
      const action = graph.actions.find(({ id }) => id === step.id)
      if (step.type !== "start" || action === undefined || flights.has(step.id)) continue
      if (!allowed()) continue
      const scope = means.reach?.(found.value, run)
      const given = (tool: Tool) =>
        scope === undefined
          ? { ok: true as const, input: action.input }
          : nodeInput(ports, tool, action, scope, means.tokenizer)
      launch(step.id, beginCall(ports, request, action, { demanded: approvals.get(action.id), given }))
    }
    if (flights.size === 0) {
      if (ports.signal.aborted) return "stopped"
      if (waiting.length > 0) return { rests: state.sequence }
      // A pipeline may stand before its next step.
      if (spent || (open.length > 0 && ports.spare() <= 0)) return "spent"
      // What nobody is asked about will not move: it is told to the model as it is.
      return "settled"
    }
    await Promise.race([...flights.values(), ports.changed()]).catch((error: unknown) => {
      stop.abort()
      throw error
    })
    if (ports.signal.aborted) {
      await Promise.allSettled(flights.values())
      return "stopped"
    }
  }

  /** A pipeline waits with the step that it is at. */
  function waits(call: ToolCall): boolean {
    const state = ports.state()
    if (isPending(actionOf(state, call.tool_call_id))) return true
    const steps = callsOf(state, request).filter(
      ({ status, cause }) => status === "running" && cause?.call_id.startsWith(`${call.cause?.call_id}/`),
    )
    return steps.some((step) => isPending(actionOf(state, step.tool_call_id)))
  }
}
