import { type EventOf, fold } from "../define.ts"
import type { Amount } from "../known.ts"
import { family } from "../state.ts"
import type { CostEstimated, CostRecorded } from "./cost.ts"
import type { HistoryReconstructed } from "./history.ts"
import type { ModelRequested } from "./model.ts"
import type { RunStatus } from "./run.ts"
import type { SubagentClosed } from "./subagent.ts"
import type { ToolProgress } from "./tool.ts"
import type { TurnCompleted, TurnFailed } from "./turn.ts"

/** What the requests to one model came to, those that have ended. */
export type SpentLine = {
  provider: string
  model: string
  requests: number
  tokens: number
  /** Requests whose tokens nobody said. */
  uncounted: number
  /** By currency. Requests of no known price stand under theirs, or under `unknown`. */
  amounts: Readonly<Record<string, { known: number; unpriced: number }>>
}

/** A request that is under way. */
export type OpenSpend = { provider: string; model: string; amount: Amount; currency: string; sent: boolean }

export type Spending = {
  lines: Readonly<Record<string, SpentLine>>
  open: Readonly<Record<string, OpenSpend>>
  /** The latest requests counted, so that a second record of one adds nothing. */
  counted: readonly string[]
  /** How often a call was carried out, each attempt. */
  calls: number
  /** Of a child: its fact that was told here last. */
  through: number
  ended: boolean
}

type Spent = EventOf<typeof CostEstimated | typeof CostRecorded | typeof ModelRequested | typeof ToolProgress>
type Ends = EventOf<typeof SubagentClosed | typeof TurnCompleted | typeof TurnFailed>

type Handler<K> = (state: Spending, event: Extract<Spent | Ends, { type: K }>) => Spending

const remembered = 512
const blank: Spending = { lines: {}, open: {}, counted: [], calls: 0, through: 0, ended: false }
const unsent: OpenSpend = {
  provider: "unknown",
  model: "unknown",
  amount: "unknown",
  currency: "unknown",
  sent: false,
}

const over = (s: Spending): Spending => (s === blank ? s : { ...s, ended: true })

/** What was used up, in sums: requests leave memory after a while, what they cost does not. */
const handlers: { [K in (Spent | Ends)["type"]]: Handler<K> } = {
  "cost.estimated": (s, e) => {
    const { request_id, amount, currency } = e.payload
    if (s.counted.includes(request_id)) return s
    return { ...s, open: { ...s.open, [request_id]: { ...unsent, ...s.open[request_id], amount, currency } } }
  },
  "model.requested": (s, e) => {
    const { request_id, provider, model } = e.payload
    if (s.counted.includes(request_id)) return s
    const open = { ...unsent, ...s.open[request_id], provider, model, sent: true }
    return { ...s, open: { ...s.open, [request_id]: open } }
  },
  "cost.recorded": (s, e) => {
    const { request_id, from } = e.payload
    if (s.counted.includes(request_id)) return s
    const { [request_id]: begun, ...open } = s.open
    const { provider = begun?.provider ?? "unknown", model = begun?.model ?? "unknown" } = e.payload
    const key = `${provider}|${model}`
    return {
      ...s,
      open,
      counted: [...s.counted, request_id].slice(-remembered),
      through: from === undefined ? s.through : Math.max(s.through, from.sequence),
      lines: { ...s.lines, [key]: added(s.lines[key], { ...e.payload, provider, model }) },
    }
  },
  "tool.progress": (s, e) => (e.payload.attempt === undefined ? s : { ...s, calls: s.calls + 1 }),
  "subagent.closed": (s, e) => {
    const { tool_calls = 0 } = e.payload
    return tool_calls === 0 ? s : { ...s, calls: s.calls + tool_calls }
  },
  "turn.completed": over,
  "turn.failed": over,
}
export const spending = fold<Spending, Spent | Ends>(blank, handlers)
const childSpending = fold<Spending, Spent | Ends>(blank, { ...handlers, "subagent.closed": over })

type Recorded = EventOf<typeof CostRecorded>["payload"] & { provider: string; model: string }

function added(line: SpentLine | undefined, recorded: Recorded): SpentLine {
  const { provider, model, amount, currency, usage } = recorded
  const { input_tokens, output_tokens } = usage
  const before = line ?? { provider, model, requests: 0, tokens: 0, uncounted: 0, amounts: {} }
  const { known, unpriced } = before.amounts[currency] ?? { known: 0, unpriced: 0 }
  const counted = input_tokens !== "unknown" && output_tokens !== "unknown"
  return {
    ...before,
    requests: before.requests + 1,
    tokens: before.tokens + (counted ? input_tokens + output_tokens : 0),
    uncounted: before.uncounted + (counted ? 0 : 1),
    amounts: {
      ...before.amounts,
      [currency]:
        amount === "unknown"
          ? { known, unpriced: unpriced + 1 }
          : // Whole billionths, so that a sum does not depend on the order of its parts.
            { known: Math.round((known + amount) * 1e9) / 1e9, unpriced },
    },
  }
}

/** A closed child's calls count where it worked; its requests were told there one by one. */
export const sessionSpendings = family(spending, (e) => (endsTurn(e) ? undefined : "session"))
export const turnSpendings = family(spending, (e) => e.turn_id, { ended: (s) => s.ended })
/** What was told of each child that is at work. */
export const childSpendings = family(childSpending, childOf, { ended: (s) => s.ended })

const endsTurn = ({ type }: { type: string }) => type === "turn.completed" || type === "turn.failed"

function childOf(e: Spent | Ends): string | undefined {
  if (e.type === "subagent.closed") return e.subagent_id
  return e.type === "cost.recorded" && e.payload.from !== undefined ? e.subagent_id : undefined
}

/** How long turns were at work: not while they wait for people or resources, and not while nothing ran. */
export type WorkTimes = {
  ms: number
  /** Of turns that have not ended; `since` while one is at work. */
  turns: Readonly<Record<string, { ms: number; since?: string }>>
}
type Timed = EventOf<
  | typeof RunStatus
  | typeof HistoryReconstructed
  | typeof CostRecorded
  | typeof ToolProgress
  | typeof TurnCompleted
  | typeof TurnFailed
>

const working: ReadonlySet<string> = new Set(["preparing", "running", "streaming", "retrying"])

export const workTime = fold<WorkTimes, Timed>(
  { ms: 0, turns: {} },
  {
    "run.status": (s, e) => {
      const settled = passed(s, e.turn_id, e.timestamp)
      const { ms = 0 } = settled.turns[e.turn_id] ?? {}
      const now = working.has(e.payload.phase) ? { ms, since: e.timestamp } : { ms }
      return { ...settled, turns: { ...settled.turns, [e.turn_id]: now } }
    },
    // What passed since the last sign of life was no work: the runtime was not there.
    "history.reconstructed": (s, e) => {
      const turns = Object.entries(s.turns).map(
        ([turn_id, turn]) =>
          [turn_id, turn.since === undefined ? turn : { ...turn, since: e.timestamp }] as const,
      )
      return turns.length === 0 ? s : { ...s, turns: Object.fromEntries(turns) }
    },
    "cost.recorded": (s, e) => passed(s, e.turn_id ?? "", e.timestamp),
    "tool.progress": (s, e) => passed(s, e.turn_id, e.timestamp),
    "turn.completed": (s, e) => without(passed(s, e.turn_id, e.timestamp), e.turn_id),
    "turn.failed": (s, e) => without(passed(s, e.turn_id, e.timestamp), e.turn_id),
  },
)

function passed(s: WorkTimes, turn_id: string, now: string): WorkTimes {
  const turn = s.turns[turn_id]
  if (turn?.since === undefined) return s
  const more = Math.max(0, Date.parse(now) - Date.parse(turn.since))
  return { ms: s.ms + more, turns: { ...s.turns, [turn_id]: { ms: turn.ms + more, since: now } } }
}

function without(s: WorkTimes, turn_id: string): WorkTimes {
  if (s.turns[turn_id] === undefined) return s
  const { [turn_id]: _, ...turns } = s.turns
  return { ...s, turns }
}

export const workTimes = family(workTime, () => "session")
