import type { Envelope } from "@factum/facts"
import { same } from "./identity.ts"
import { type FactLine, isObject, type RecordLine, type Trace } from "./read.ts"
import type { Fault, Seen } from "./report.ts"
import { lightly, of } from "./work.ts"

const fault = ({ line, fact }: { line: number; fact: { type: string } }, reason: string): Fault => ({
  line,
  event: fact.type,
  reason,
})

/** RT-VAL-7: an old session comes back by snapshots and windows that join without overlap or hole. */
export function restoresByWindows(trace: Trace): Seen {
  const windows = trace.records.filter(({ record }) => record === "window")
  const rebuilt = of(trace, "history.reconstructed")
  if (windows.length + rebuilt.length === 0) return "not_exercised"
  const ahead = rebuilt
    .filter(({ fact }) => fact.payload.through >= fact.sequence)
    .map((one) => fault(one, `It was rebuilt up to ${one.fact.payload.through}, which was not there yet.`))
  const bySession = Map.groupBy(windows, ({ body }) => String(body.session_id))
  return [...ahead, ...[...bySession.values()].flatMap(joins)]
}

function joins(windows: readonly RecordLine[]): Fault[] {
  const sorted = windows.toSorted((one, other) => Number(one.body.from) - Number(other.body.from))
  return sorted.slice(1).flatMap((one, index): Fault[] => {
    const end = Number(sorted[index]?.body.to)
    const from = Number(one.body.from)
    if (from === end + 1) return []
    const reason =
      from <= end
        ? `The window from ${from} overlaps the one that ends at ${end}.`
        : `Between the windows, ${end + 1} to ${from - 1} is missing.`
    return [{ line: one.line, reason }]
  })
}

/** RT-VAL-8: each call and command is explained as allowed, blocked or failed, inside a boundary that is told. */
export function explainsCalls(trace: Trace): Seen {
  const ran = trace.facts.filter(
    ({ fact }) =>
      fact.type === "tool.result" || (fact.type === "tool.progress" && fact.payload.attempt !== undefined),
  )
  const processes = of(trace, "process.started")
  const blocked = of(trace, "hook.failed").filter(({ fact }) => fact.payload.effect === "blocked")
  if (ran.length + processes.length + blocked.length === 0) return "not_exercised"
  const judged = new Set<string>()
  return [
    ...ran.flatMap((one): Fault[] => {
      const id = String(one.fact.tool_call_id)
      if (judged.has(id)) return []
      judged.add(id)
      if (isAllowed(trace, id, one.line)) return []
      const mine = trace.facts.filter(({ fact }) => fact.tool_call_id === id)
      const started = mine.find(({ fact }) => fact.type === "tool.started")
      const reason = `The call ${id} ran and nothing before it allowed it.`
      return [{ ...fault(one, reason), ...lightly(trace, started, mine.at(-1) ?? one) }]
    }),
    ...processes
      .filter(({ line, fact }) => !isBounded(trace, line, fact.payload.process_id, fact.tool_call_id))
      .map((one) =>
        fault(one, `The process ${one.fact.payload.process_id} ran in a boundary that nothing tells of.`),
      ),
    ...blocked
      .filter(({ fact }) =>
        ran.some((one) => one.fact.tool_call_id !== undefined && one.fact.tool_call_id === fact.tool_call_id),
      )
      .map((one) => fault(one, "The hook blocked a call that ran nevertheless.")),
  ]
}

function isAllowed(trace: Trace, id: string, line: number): boolean {
  const before = trace.facts.filter((one) => one.line < line && one.fact.tool_call_id === id)
  const verdict = before.findLast(({ fact }) => fact.type === "permission.evaluated")?.fact.payload.verdict
  const answer = before.findLast(({ fact }) => fact.type === "permission.resolved")?.fact.payload.outcome
  if (verdict !== undefined) return verdict === "allow" || (verdict === "ask" && answer === "allowed")
  return before.some((one) => one.fact.type === "action.resolved" && isConsent(before, one))
}

/** Somebody was asked about the call itself and did not say no. */
function isConsent(before: readonly FactLine[], { fact }: FactLine): boolean {
  const asked = before.find(
    (one) => one.fact.type === "action.required" && one.fact.action_id === fact.action_id,
  )
  const { decisions } = asked?.fact.payload ?? {}
  const chosen = Array.isArray(decisions)
    ? decisions.find((one) => one.id === fact.payload.decision)
    : undefined
  return fact.payload.reason === "answered" && chosen?.effect !== "deny"
}

function isBounded(trace: Trace, line: number, process_id: string, call: string | undefined): boolean {
  return of(trace, "sandbox.applied").some(
    (one) =>
      one.line < line &&
      (one.fact.payload.process_id === process_id || (call !== undefined && one.fact.tool_call_id === call)),
  )
}

/** A choice holds for its turn. A summary is asked of a model that its thread was routed to before. */
function isFor(choice: Envelope, request: Envelope): boolean {
  const isSummary = request.payload.compaction_id !== undefined
  return isSummary ? choice.thread_id === request.thread_id : choice.turn_id === request.turn_id
}

type Choice = { provider: string; model: string }
const named = ({ provider, model }: Choice): string => `${provider}/${model}`

/** RT-VAL-9: what was chosen, fallen back to or not possible follows from the candidates. */
export function explainsRouting(trace: Trace): Seen {
  const requests = of(trace, "model.requested")
  const candidates = of(trace, "routing.candidates.resolved")
  const refused = of(trace, "routing.not_possible")
  const single = of(trace, "routing.single_candidate")
  if (requests.length + candidates.length + refused.length + single.length === 0) return "not_exercised"
  /** The candidates of a routing as they were last told before a line. */
  const eligible = (routing_id: string, line: number) =>
    candidates
      .findLast((one) => one.line < line && one.fact.payload.routing_id === routing_id)
      ?.fact.payload.candidates.filter((one) => one.eligible)
      .map(named)
  const chosen = [
    ...of(trace, "routing.decided").map(({ line, fact }) => ({ line, fact, to: fact.payload.choice })),
    ...of(trace, "routing.fallback.applied").map(({ line, fact }) => ({ line, fact, to: fact.payload.to })),
  ]
  const priced = new Set(of(trace, "cost.recorded").map(({ fact }) => fact.payload.request_id))
  return [
    ...requests
      .filter(
        ({ line, fact }) =>
          !chosen.some(
            (one) => one.line < line && isFor(one.fact, fact) && named(one.to) === named(fact.payload),
          ),
      )
      .map((one) => fault(one, `Nothing tells why ${named(one.fact.payload)} was asked.`)),
    ...chosen
      .filter(
        ({ line, fact, to }) => !(eligible(fact.payload.routing_id, line)?.includes(named(to)) ?? false),
      )
      .map((one) => fault(one, `${named(one.to)} is not among the eligible candidates.`)),
    ...refused.flatMap((one): Fault[] => {
      if ((eligible(one.fact.payload.routing_id, one.line)?.length ?? 0) > 0) {
        return [fault(one, "Routing was called impossible though a candidate is eligible.")]
      }
      const asked = requests.find(({ line, fact }) => line > one.line && fact.turn_id === one.fact.turn_id)
      return asked ? [fault(asked, "A model was asked after routing was not possible.")] : []
    }),
    ...single
      .filter(({ line, fact }) => eligible(fact.payload.routing_id, line)?.length !== 1)
      .map((one) => fault(one, "A single candidate is told and the candidates say otherwise.")),
    ...of(trace, "model.completed")
      .filter(({ fact }) => !priced.has(fact.payload.request_id))
      .map((one) => ({
        ...fault(one, "What the request cost is not told, not even as unknown."),
        mild: true as const,
      })),
  ]
}

/** RT-VAL-10: an export holds the same facts as the log. */
export function exportsTheSame(trace: Trace): Seen {
  const exports = trace.records.filter(({ record }) => record === "export")
  if (exports.length === 0) return "not_exercised"
  const known = new Map(trace.facts.map(({ fact }) => [fact.event_id, fact]))
  return exports.flatMap(({ line, body }) => {
    if (!Array.isArray(body.facts)) return [{ line, reason: "The export lists no facts." }]
    return body.facts.flatMap((one: unknown): Fault[] => {
      const id = isObject(one) ? String(one.event_id) : "?"
      const fact = known.get(id)
      if (fact === undefined) return [{ line, reason: `The export holds ${id}, which the trace does not.` }]
      return same(fact, one)
        ? []
        : [{ line, event: fact.type, reason: `The export holds ${id} with other content.` }]
    })
  })
}

/** RT-VAL-11: what nobody reported is marked; a turn never ends with an outcome that only its words could tell. */
export function marksMissing(trace: Trace): Seen {
  const ended = of(trace, "turn.completed")
  if (ended.length === 0) return "not_exercised"
  return ended.flatMap((one): Fault[] => {
    const mine = trace.facts.filter(({ line, fact }) => line < one.line && fact.turn_id === one.fact.turn_id)
    const calls = unsettled(mine, "tool.started", /^tool\.(result|failed)$/, ({ fact }) => fact.tool_call_id)
    const processes = unsettled(
      mine.filter(({ fact }) => fact.payload.long_lived !== true),
      "process.started",
      /^process\.(completed|failed|terminated)$/,
      ({ fact }) => fact.payload.process_id,
    )
    const requests = unsettled(
      mine,
      "model.requested",
      /^model\.(completed|failed)$/,
      ({ fact }) => fact.payload.request_id,
    )
    return [...calls, ...processes, ...requests].map((id) =>
      fault(one, `The outcome of ${id} is told by no fact when its turn completed.`),
    )
  })
}

function unsettled(
  lines: readonly FactLine[],
  opens: string,
  ends: RegExp,
  idOf: (line: FactLine) => unknown,
): string[] {
  const over = new Set(lines.filter(({ fact }) => ends.test(fact.type)).map(idOf))
  return lines
    .filter((one) => one.fact.type === opens && !over.has(idOf(one)))
    .map((one) => String(idOf(one)))
}
