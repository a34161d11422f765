import type { ModelRequest, ToolCall } from "@factum/facts"
import type { ActionGraph } from "@factum/protocol"
import { actionOf, isPending } from "../control/calls.ts"
import { beginCall, resumeCall } from "./call.ts"
import type { CallPorts } from "./call-ports.ts"
import type { Approvals } from "./plan.ts"
import { callsOf, runState, scheduleOf } from "./run-state.ts"

/** Brings the calls of a request to where nothing moves by itself: all ended, or the rest waits for people. */
export async function runCalls(
  given: CallPorts,
  request: ModelRequest,
  { graph, approvals }: { graph: ActionGraph; approvals: Approvals },
): Promise<"settled" | "waiting" | "stopped"> {
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
    const open = callsOf(state, request).filter(({ status }) => status === "running")
    for (const call of open) {
      const id = call.cause?.call_id ?? ""
      const action = graph.actions.find((candidate) => candidate.id === id)
      if (waits(call)) tried.delete(call.tool_call_id)
      if (action === undefined || flights.has(id) || tried.has(call.tool_call_id) || waits(call)) continue
      tried.add(call.tool_call_id)
      launch(id, resumeCall(ports, call, action, approvals.get(id)))
    }
    const waiting = open.filter(waits).map(({ cause }) => cause?.call_id ?? "")
    const { schedule } = scheduleOf(graph, runState(graph, request, state, ports.blobs), {
      now: ports.now(),
      in_flight: [...flights.keys(), ...waiting],
      max_parallel: ports.agent.most_parallel,
    })
    for (const step of schedule.steps) {
      const action = graph.actions.find(({ id }) => id === step.id)
      if (step.type !== "start" || action === undefined || flights.has(step.id)) continue
      launch(step.id, beginCall(ports, request, action, approvals.get(action.id)))
    }
    if (flights.size === 0) {
      if (ports.signal.aborted) return "stopped"
      // What nobody is asked about will not move: it is told to the model as it is.
      return waiting.length > 0 ? "waiting" : "settled"
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

  function waits(call: ToolCall): boolean {
    return isPending(actionOf(ports.state(), call.tool_call_id))
  }
}
