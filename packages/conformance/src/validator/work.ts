import type { EventOfType, EventType } from "@factum/facts"
import { hasModel, models, same } from "./identity.ts"
import { type FactLine, isObject, type Trace } from "./read.ts"
import type { Fault, Seen } from "./report.ts"

type Line<T extends EventType> = { line: number; fact: EventOfType<T> }

/** The facts of one class. One whose payload breaks its class is told by RT-VAL-1 and is looked at field by field here. */
export const of = <T extends EventType>(trace: Trace, ...types: T[]): Line<T>[] =>
  trace.facts.filter(({ fact }) => types.some((type) => type === fact.type)) as unknown as Line<T>[]

const fault = ({ line, fact }: { line: number; fact: { type: string } }, reason: string): Fault => ({
  line,
  event: fact.type,
  reason,
})

/** RT-VAL-2: what a provider streams is there as normalized events. */
export function mapsStreams(trace: Trace): Seen {
  const requested = of(trace, "model.requested")
  const output = of(
    trace,
    "model.delta",
    "reasoning.delta",
    "reasoning.summary",
    "model.completed",
    "model.failed",
  )
  const raw = trace.facts.filter(({ fact }) => fact.type.startsWith("x-") && isProviderChunk(fact.payload))
  if (requested.length + output.length + raw.length === 0) return "not_exercised"
  const known = new Set(requested.map(({ fact }) => fact.payload.request_id))
  const spoken = new Set(output.map(({ fact }) => fact.turn_id))
  const ended = new Map<string, number>()
  return [
    ...raw
      .filter(({ fact }) => !spoken.has(String(fact.turn_id)))
      .map((one) => fault(one, "A chunk of a provider is the only record of what the model said.")),
    ...output.flatMap((one): Fault[] => {
      const { request_id } = one.fact.payload
      if (!known.has(request_id)) return [fault(one, `The request ${request_id} was never made.`)]
      if (one.fact.type !== "model.completed" && one.fact.type !== "model.failed") {
        return ended.has(request_id)
          ? [fault(one, `The request ${request_id} had ended in line ${ended.get(request_id)}.`)]
          : []
      }
      const before = ended.get(request_id)
      ended.set(request_id, one.line)
      return before === undefined
        ? []
        : [fault(one, `The request ${request_id} ended twice, first in line ${before}.`)]
    }),
  ]
}

const isProviderChunk = (payload: Record<string, unknown>): boolean =>
  ["choices", "delta", "content_block", "candidates", "chunk"].some((name) => name in payload)

/** RT-VAL-3: a call keeps its input, its results, its errors and the decisions about it. */
export function keepsCalls(trace: Trace): Seen {
  const calls = Map.groupBy(
    trace.facts.filter(({ fact }) => fact.tool_call_id !== undefined),
    ({ fact }) => String(fact.tool_call_id),
  )
  const judged = [...calls].filter(([, lines]) =>
    lines.some(({ fact }) => /^tool\.(started|result|failed)$/.test(fact.type)),
  )
  return judged.length === 0 ? "not_exercised" : judged.flatMap(([id, lines]) => callFaults(trace, id, lines))
}

function callFaults(trace: Trace, id: string, lines: readonly FactLine[]): Fault[] {
  const first = (type: string) => lines.find(({ fact }) => fact.type === type)
  const started = first("tool.started")
  const end = first("tool.result") ?? first("tool.failed")
  const at = end ?? started
  if (at === undefined) return []
  const faults: Fault[] = []
  const refused =
    end?.fact.type === "tool.failed" &&
    ["invalid_args", "unknown_tool"].includes(String(end.fact.payload.category))
  if (!started) faults.push(fault(at, `The call ${id} ended and was never opened.`))
  const hasInput = lines.some(({ fact }) => isObject(fact.payload.input_ref))
  if (end && !hasInput && !refused) faults.push(fault(at, `The call ${id} keeps no ref to its input.`))
  if (
    end?.fact.type === "tool.result" &&
    !(Array.isArray(end.fact.payload.output_refs) && end.fact.payload.output_refs.length > 0)
  ) {
    faults.push(fault(end, `The call ${id} returned without a ref to its result.`))
  }
  if (end?.fact.type === "tool.failed" && !(end.fact.payload.category && end.fact.payload.message)) {
    faults.push(fault(end, `The call ${id} failed without a category and a message.`))
  }
  if (end && !refused && !lines.some(decides)) {
    faults.push({
      ...fault(at, `No decision about the call ${id} is kept.`),
      ...lightly(trace, started, end),
    })
  }
  return faults
}

/** The policy judged it, a hook stopped it, or somebody was asked about it. */
function decides({ fact: { type, payload } }: FactLine): boolean {
  if (type === "hook.completed") return payload.verdict === "deny"
  if (type === "hook.failed") return payload.effect === "blocked"
  return type === "permission.evaluated" || type === "action.resolved"
}

/** A call without an effect of its own that only holds other calls together: those are judged one by one. */
export function lightly(trace: Trace, started: FactLine | undefined, end: FactLine): { mild?: true } {
  if (started?.fact.payload.effect !== "none") return {}
  const inside = trace.facts.filter(
    ({ line, fact }) => line > started.line && line < end.line && fact.type === "permission.evaluated",
  )
  const { turn_id, tool_call_id } = started.fact
  const holds = inside.some(({ fact }) => fact.turn_id === turn_id && fact.tool_call_id !== tool_call_id)
  const judged = inside.some(({ fact }) => fact.tool_call_id === tool_call_id)
  return holds && !judged ? { mild: true } : {}
}

/** RT-VAL-4: work that waits for a person stands still until the person answers. */
export function waitsForPeople(trace: Trace): Seen {
  const required = of(trace, "action.required").filter(({ fact }) => fact.payload.decided_by === "human")
  if (required.length === 0) return "not_exercised"
  const commands = trace.records.filter(({ record }) => record === "command")
  return required.flatMap((one): Fault[] => {
    const id = one.fact.action_id
    const resolved = of(trace, "action.resolved").find(({ fact }) => fact.action_id === id)
    const until = resolved?.line ?? Number.POSITIVE_INFINITY
    const moved = trace.facts.filter(
      ({ line, fact }) => line > one.line && line < until && moves(fact, one.fact.payload.parent),
    )
    const faults = moved.map((found) =>
      fault(found, `It moved while the action ${id} of line ${one.line} was open.`),
    )
    if (resolved === undefined || resolved.fact.payload.reason !== "answered") return faults
    const { decider } = resolved.fact.payload
    if (decider.kind !== "human")
      faults.push(fault(resolved, `The action ${id} was for a person and was answered by ${decider.kind}.`))
    const asked = commands.some(({ line, body }) => {
      const input = isObject(body.input) ? body.input : {}
      return line < resolved.line && body.command === "respond_action" && input.action_id === id
    })
    // Only a trace that records commands can show that one is missing.
    if (commands.length > 0 && !asked)
      faults.push(fault(resolved, `No respond_action came before the answer to ${id}.`))
    return faults
  })
}

const turnMoves: ReadonlySet<string> = new Set([
  "model.requested",
  "model.delta",
  "tool.result",
  "turn.completed",
])
const callMoves: ReadonlySet<string> = new Set(["tool.result", "process.started", "process.output"])

function moves(fact: FactLine["fact"], parent: { kind: string; id: string }): boolean {
  if (parent.kind === "turn") return fact.turn_id === parent.id && turnMoves.has(fact.type)
  if (parent.kind === "task") return fact.task_id === parent.id && fact.type === "task.completed"
  if (fact.tool_call_id !== parent.id) return false
  return callMoves.has(fact.type) || (fact.type === "tool.progress" && fact.payload.attempt !== undefined)
}

/** RT-VAL-5: every change of the queue is told with the order after it, and the order is kept. */
export function keepsQueue(trace: Trace): Seen {
  const changes = of(trace, "queue.changed")
  const orders = new Map<string, string[]>()
  const active = new Map<string, string>()
  const faults: Fault[] = []
  let waited = false
  for (const one of trace.facts) {
    const thread = String(one.fact.thread_id)
    if (one.fact.type === "queue.changed") faults.push(...orderFaults(one, orders, thread))
    if (/^turn\.(completed|failed)$/.test(one.fact.type) && active.get(thread) === one.fact.turn_id)
      active.delete(thread)
    if (one.fact.type === "turn.submitted" && active.has(thread)) waited = true
    if (one.fact.type !== "turn.started") continue
    const turn = String(one.fact.turn_id)
    if (active.has(thread))
      faults.push(fault(one, `The turn ${turn} started while ${active.get(thread)} was active.`))
    if (orders.get(thread)?.includes(turn))
      faults.push(fault(one, `The turn ${turn} started without leaving the queue.`))
    active.set(thread, turn)
  }
  const untold =
    waited && changes.length === 0
      ? [{ line: 1, reason: "A turn waited and no queue.changed tells of it." }]
      : []
  if (changes.length === 0 && untold.length === 0 && !hasModel(trace, "queue_snapshot"))
    return "not_exercised"
  return [...faults, ...untold, ...models(trace, ["queue_snapshot"])]
}

function orderFaults(one: FactLine, orders: Map<string, string[]>, thread: string): Fault[] {
  const { change, order } = one.fact.payload
  if (!Array.isArray(order)) return []
  const before = orders.get(thread) ?? []
  const after = order.map((turn) => String(isObject(turn) ? turn.turn_id : turn))
  orders.set(thread, after)
  const kept = after.filter((id) => before.includes(id))
  const lost = before.filter((id) => !after.includes(id))
  const leaves = change === "removed" || change === "dequeued"
  if (lost.length > (leaves ? 1 : 0))
    return [fault(one, `The queue lost ${lost.join(", ")} by a change of kind ${change}.`)]
  const stayed = before.filter((id) => after.includes(id))
  if (change !== "promoted" && !same(kept, stayed))
    return [fault(one, "The order of the queue changed without a promotion.")]
  return []
}

/** RT-VAL-6: attempts and edges of tasks are kept. */
export function keepsTasks(trace: Trace): Seen {
  const tasks = trace.facts.filter(({ fact }) => fact.type.startsWith("task.") && fact.task_id !== undefined)
  if (tasks.length === 0 && !hasModel(trace, "task_snapshot")) return "not_exercised"
  const created = new Set(of(trace, "task.created").map(({ fact }) => fact.task_id))
  const started = of(trace, "task.attempt.started")
  const opened = new Set(started.map(({ fact }) => fact.attempt_id))
  const linked = new Set<string>()
  const numbers = new Map<string, number>()
  return [
    ...started.flatMap((one): Fault[] => {
      const last = numbers.get(one.fact.task_id) ?? 0
      numbers.set(one.fact.task_id, one.fact.payload.number)
      return one.fact.payload.number === last + 1
        ? []
        : [fault(one, `Attempt ${one.fact.payload.number} follows attempt ${last}: one is lost.`)]
    }),
    ...of(trace, "task.attempt.completed", "task.attempt.failed")
      .filter(({ fact }) => !opened.has(fact.attempt_id))
      .map((one) => fault(one, `The attempt ${one.fact.attempt_id} ended and never started.`)),
    ...of(trace, "task.created")
      .filter(
        ({ fact }) => fact.payload.parent_task_id !== undefined && !created.has(fact.payload.parent_task_id),
      )
      .map((one) => fault(one, `The parent ${one.fact.payload.parent_task_id} is no task of this trace.`)),
    ...of(trace, "task.dependency.updated").flatMap((one): Fault[] => {
      const { edge, change } = one.fact.payload
      const key = `${edge.kind} ${edge.from} ${edge.to}`
      if (change === "linked") linked.add(key)
      return change !== "linked" && !linked.has(key) ? [fault(one, `The edge ${key} was never linked.`)] : []
    }),
    ...models(trace, ["task_snapshot"]),
  ]
}
