import { type ModelRequest, type SessionState, toolCallEnded, turnEnded } from "@factum/facts"
import { defaultLimits, mayAskAgain } from "@factum/protocol"
import type { Agent, World } from "../agent.ts"
import type { CatalogPayload } from "../catalog.ts"
import type { Cells } from "../cells.ts"
import { resolveSources, type Sources, usualContextTokens } from "../context/sources.ts"
import type { CallScope } from "../control/calls.ts"
import { type Ending, endTurn, moveTo, scopeOf, startTurn } from "../control/loop.ts"
import { hasUnheard } from "../control/steer.ts"
import type { Credentials } from "../credentials.ts"
import type { Draft } from "../decision.ts"
import type { Delegation } from "../delegation/delegation.ts"
import { inventoryOf } from "../inventory.ts"
import { policyOfTurn } from "../policy/turn-mode.ts"
import type { Claim } from "../ports/log.ts"
import type { ToolFact, ToolRun } from "../ports/tool.ts"
import type { Recall } from "../recall.ts"
import { settingsOf } from "../routing/index.ts"
import { afterCompletion, afterFailure } from "./after-request.ts"
import { spareCalls } from "./allowance.ts"
import { withFiles } from "./attached.ts"
import { budgetAnswer, callsHeld, questionClaims } from "./budget.ts"
import { runCalls } from "./calls.ts"
import { cutEnding } from "./cut-answer.ts"
import { refusalOf, runMeans } from "./declared-history.ts"
import { demandsOf, demandText, unmet } from "./demands.ts"
import type { Passed } from "./hook-points.ts"
import { isCrowded, type Made, makeRoom } from "./make-room.ts"
import { type NextStep, nextStep } from "./next-request.ts"
import { type Plan, planOf } from "./plan.ts"
import { withReplays } from "./replays.ts"
import { type After, askModel } from "./request.ts"
import { held, type RoutingPorts } from "./routing-ports.ts"
import { callsOf } from "./run-state.ts"
import type { RunMeans } from "./runs.ts"
import { requestsOf, type Transcript, transcript } from "./transcript.ts"
import {
  afterModel,
  afterTurnHooks,
  atCompaction,
  beforeModel,
  beforeTurn,
  endBlocked,
  type TurnPoints,
} from "./turn-hooks.ts"

export type TurnPorts = World &
  Omit<RoutingPorts, "now" | "peek"> & {
    cells: Cells
    credentials: Credentials
    delegation: Delegation
    recall: Recall
    agent: (state: SessionState) => Promise<Agent | undefined>
    /** The summaries that this process is making. */
    compacting: Set<string>
  }

/**
 * `rests`: as of that sequence nothing moves until something new is in the log. `stuck`: it needs another configuration, or an interrupt.
 * `until`: nothing moves before that time. `stopped`: someone else ended the turn. `unwritten`: the store refused, so
 * that nothing more may happen.
 */
export type Performed =
  | "ended"
  | "stuck"
  | "stopped"
  | { rests: number }
  | { until: number }
  | { unwritten: string }

/** Brings a turn from wherever the log says it is to its end. Every step is in the log before the next begins. */
export async function performTurn(
  ports: TurnPorts,
  session_id: string,
  turn_id: string,
  signal: AbortSignal,
  changed: () => Promise<void>,
): Promise<Performed> {
  const { cells, ids, clock, blobs, redactor } = ports
  const routing: RoutingPorts = { ...ports, now: () => clock.now(), peek: cells.peek }
  let unwritten: string | undefined

  /** False when the turn is over or cannot be written on. */
  function write(
    drafts: (state: SessionState) => readonly Draft[],
    claims: readonly Claim[] = [],
  ): Promise<boolean> {
    return cells.inLine(session_id, async (cell) => {
      const turn = cell.state.entities.turns[turn_id]
      if (unwritten !== undefined || turn === undefined || turnEnded(turn)) return false
      const facts = drafts(cell.state)
      const done = await cells.commit(cell, facts, [
        ...claims,
        ...callClaims(facts, cell.state),
        ...questionClaims(facts, cell.state),
      ])
      if (!done.ok) unwritten = done.code === "write_failed" ? done.reason : done.code
      return done.ok
    })
  }
  const stopped = (): Performed => (unwritten === undefined ? "stopped" : { unwritten })
  const state = () => cells.peek(session_id)
  if (!(await write((now) => startTurn(now, turn_id)))) return stopped()
  const found = await ports.agent(state())
  if (found === undefined)
    return (await write((now) => endTurn(now, turn_id, withdrawn))) ? "ended" : stopped()
  const { agent, catalog } = equipped(found, state(), turn_id)
  // Its table is large, so it is loaded for those that count with it only.
  const tokenizer = agent.protocol ? (await import("@factum/protocol/tokens")).o200k : undefined
  const later = (scope: CallScope, facts: readonly ToolFact[]) =>
    ports.afterTurn({ ...scope } as ToolRun)(facts)
  const now = () => clock.now()
  const credentials = () => ports.credentials.environment(session_id, state())
  const shared = { turn_id, agent, ids, now, state, write, signal, blobs, redactor }
  const spare = () => spareCalls(routing, state(), turn_id)
  const calls = { ...shared, changed, later, credentials, spare }
  const points: TurnPoints = shared
  const history = (of: SessionState): RunMeans =>
    tokenizer === undefined ? { state: of, agent, blobs } : runMeans({ state: of, agent, blobs, tokenizer })
  const refusal = (request: ModelRequest) =>
    tokenizer === undefined ? undefined : refusalOf({ state: state(), agent, blobs, tokenizer }, request)
  const blocked = async (by: Exclude<Passed, { kind: "go" }>): Promise<Performed> => {
    if (by.kind === "stopped") return stopped()
    await ports.processes.endTurn({ session_id, turn_id })
    return (await write((now) => endBlocked(now, turn_id, by))) ? "ended" : stopped()
  }
  const permitted = await beforeTurn(points)
  if (permitted.kind !== "go") return blocked(permitted)

  const sources = await sourcesOf(ports, state(), turn_id, agent)
  const tell = (now: SessionState) => transcript(now, turn_id, agent, ports, tokenizer)
  const opening = (now: SessionState) => prepare(now, turn_id, tell(now), agent, catalog, sources)
  if (sources !== undefined && !(await write(opening))) return stopped()
  /** Whether there is nothing left that could be summed up. */
  let cramped = false

  for (;;) {
    const answer = budgetAnswer(routing, state(), turn_id)
    if (answer?.kind === "stop") {
      await ports.processes.endTurn({ session_id, turn_id })
      return (await write((now) => endTurn(now, turn_id, answer.ending))) ? "ended" : stopped()
    }
    if (answer !== undefined && !(await write((now) => goOn(routing, now, turn_id)))) return stopped()
    const asked = requestsOf(state(), turn_id)
    const last = asked.at(-1)
    const plan = last === undefined ? undefined : planOf(last, agent)
    const accepted = asked.findLastIndex((request) => refusal(request) === undefined)
    const givesUp = !mayAskAgain(asked.length - 1 - accepted)
    const said = hasUnheard(state(), turn_id) ? undefined : plan
    const target =
      last === undefined || refusal(last) !== undefined ? undefined : runRequest(state(), last, plan)
    const isOpen = hasOpenCall(state(), target)
    const ending = endingOf(said, asked, agent, { count: callCount(state(), turn_id), isOpen }, givesUp)
    if (ending !== undefined) {
      const lacking = ending.status === "completed" ? unmet(state(), turn_id) : undefined
      if (lacking !== undefined) {
        const { detail, missing } = lacking
        if (!(await write((now) => held(now, turn_id, "blocked", detail, { missing })))) return stopped()
        // It may have been supplied while this was written.
        const seen = state()
        if (unmet(seen, turn_id) !== undefined) return { rests: seen.sequence }
        continue
      }
      const final = await afterTurnHooks(points, ending)
      if (final === "stopped") return stopped()
      await ports.processes.endTurn({ session_id, turn_id })
      // Something may have been said to the turn in the meantime; then it goes on.
      const goesOn = (now: SessionState) => final.status === "completed" && hasUnheard(now, turn_id)
      if (!(await write((now) => (goesOn(now) ? [] : endTurn(now, turn_id, final))))) return stopped()
      if (isOver(state(), turn_id)) return "ended"
      continue
    }
    if (target !== undefined) {
      const done = await runCalls(calls, target, history)
      if (signal.aborted || unwritten !== undefined || isOver(state(), turn_id)) return stopped()
      if (done === "spent") {
        const action_id = ports.ids.next("action")
        let seen = 0
        const told = await write((now) => {
          const facts = callsHeld(routing, now, turn_id, action_id)
          seen = now.sequence + facts.length
          return facts
        })
        if (!told) return stopped()
        if (spare() > 0) continue
        return { rests: seen }
      }
      if (done !== "settled") return done
      // The limit of calls that stood back for what was open is looked at now.
      if (isOpen && !hasOpenCall(state(), target)) continue
    }
    let step = undefined as NextStep | undefined
    let told: Transcript = { messages: [], turns: 0, warnings: [], replays: new Map() }
    let crowded = false
    let seen = 0
    await ports.recall.prepare(state(), summedUpTo(state(), turn_id))
    const prepared = await write((now) => {
      told = tell(now)
      crowded = !cramped && isCrowded(told, agent, ports.offers)
      if (crowded)
        return moveTo(now, turn_id, "running", "Making room", "Summing up what came before", { crowded })
      step = nextStep(routing, now, turn_id, told, agent)
      const begins = last === undefined && now.entities.catalogs[turn_id] === undefined
      const facts = [...(begins ? prepare(now, turn_id, told, agent, catalog) : []), ...step.facts]
      seen = now.sequence + facts.length
      return facts
    })
    if (prepared && crowded) {
      const room = { turn_id, messages: told.messages.length }
      const free = await atCompaction(points, "before_compaction", room)
      if (free.kind === "stopped") return stopped()
      // A hook that forbids it leaves the context as it is.
      const made: Made =
        free.kind === "blocked"
          ? "none"
          : await makeRoom(ports, scopeOf(state(), turn_id), told, agent, signal)
      if (typeof made === "object") unwritten = made.unwritten
      if (unwritten !== undefined || signal.aborted || isOver(state(), turn_id)) return stopped()
      if (made === "busy") await changed()
      if (made === "made") await atCompaction(points, "after_compaction", room)
      cramped = made === "none"
      continue
    }
    if (!prepared || step === undefined) return stopped()
    if (step.kind === "rest") return step.until === undefined ? { rests: seen } : { until: step.until }
    const { request, offer } = step
    const { messages, system, tools, replays } = told
    const call = {
      messages: withFiles(withReplays(messages, replays, offer, blobs), offer.via, blobs),
      signal,
      ...settingsOf(offer, agent.reasoning),
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
    }
    const after: After = {
      completed: (now, ended, usage) => afterCompletion(routing, now, ended, usage, offer.price),
      failed: (now, ended, failure) => afterFailure(routing, now, ended, failure),
    }
    const model = `${offer.provider}/${offer.model}`
    const sent = await beforeModel(points, model, call)
    if (sent.kind !== "go") return blocked(sent)
    const asking = { model: offer.via, agent, redactor, blobs, write, after }
    if (!(await askModel(asking, request, sent.call))) return stopped()
    if (isOver(state(), turn_id)) return "ended"
    const heard = await afterModel(points, model)
    if (heard.kind !== "go") return blocked(heard)
    if (state().entities.runs[turn_id]?.phase === "blocked") return "stuck"
  }
}

const summedUpTo = ({ entities }: SessionState, turn_id: string): number =>
  entities.contexts[entities.turns[turn_id]?.thread_id ?? ""]?.compactions.at(-1)?.to ?? 0

function goOn(ports: RoutingPorts, state: SessionState, turn_id: string): Draft[] {
  const answer = budgetAnswer(ports, state, turn_id)
  return answer?.kind === "go_on" ? answer.facts : []
}

const withdrawn: Ending = {
  status: "failed",
  category: "agent_missing",
  reason: "The agent is no longer there, or the turn that asked for it is over.",
  next: "Ask for the work again.",
}

const isOver = (state: SessionState, turn_id: string): boolean => {
  const turn = state.entities.turns[turn_id]
  return turn === undefined || turnEnded(turn)
}

/** A turn keeps the tools that it began with: what came later is not for it. */
const planMode =
  "You are in plan mode: look, then show your plan with present_plan. Nothing is changed before it is approved."

function equipped(
  agent: Agent,
  state: SessionState,
  turn_id: string,
): { agent: Agent; catalog: CatalogPayload } {
  const policy = policyOfTurn(agent.policy, state, turn_id)
  const catalog = state.entities.catalogs[turn_id] ?? inventoryOf(agent, policy)
  const names = new Set(catalog.tools.filter(({ available }) => available).map((tool) => tool.name))
  const tools = agent.tools.filter((tool) => names.has(tool.name))
  const demanded = demandText(demandsOf(state, turn_id))
  const planning = policy.mode === "plan" ? planMode : ""
  const instructions = [agent.instructions, planning, demanded].filter((text) => text !== "").join("\n\n")
  return { agent: { ...agent, instructions, tools, protocol: catalog.context === "protocol" }, catalog }
}

/** The request whose run goes on: the one that declared it, or the one that a decision is about. */
function runRequest(
  state: SessionState,
  last: ModelRequest,
  plan: Plan | undefined,
): ModelRequest | undefined {
  if (plan?.kind === "run" || plan?.kind === "plan") return last
  return plan?.kind === "decide" ? state.entities.modelRequests[plan.declaration.decision.run_id] : undefined
}

const hasOpenCall = (state: SessionState, request: ModelRequest | undefined): boolean =>
  request !== undefined && callsOf(state, request).some((call) => !toolCallEnded(call))

const callCount = (state: SessionState, turn_id: string): number =>
  Object.values(state.entities.toolCalls).filter((call) => call.turn_id === turn_id).length

/** A proposed call is opened once for each attempt, even if the state should have forgotten that it was. */
function callClaims(facts: readonly Draft[], state: SessionState): Claim[] {
  return facts.flatMap((fact) => {
    if (fact.type !== "tool.started" || fact.payload.cause === undefined) return []
    const { request_id, call_id } = fact.payload.cause
    const before = Object.values(state.entities.toolCalls).filter(
      ({ cause }) => cause?.request_id === request_id && cause.call_id === call_id,
    )
    return [{ key: `call:${request_id}/${call_id}/${before.length + 1}`, value: fact.tool_call_id }]
  })
}

function endingOf(
  plan: Plan | undefined,
  asked: readonly ModelRequest[],
  agent: Agent,
  calls: { count: number; isOpen: boolean },
  refused: boolean,
): Ending | undefined {
  if (plan?.kind === "answer") return { status: "completed", outcome: "answered" }
  if (plan?.kind === "cut") return cutEnding(plan.by, plan.calls)
  if (plan?.kind === "stop") return { status: "completed", outcome: "stopped" }
  if (refused) {
    const reason = `The model declared work in a form that was refused ${defaultLimits.refusals} times.`
    return { status: "failed", category: "protocol_refused", reason, next: "Ask again in other words." }
  }
  // What was allowed within the limit is brought to its end first.
  if (calls.count >= agent.most_calls && !calls.isOpen) {
    const reason = `${calls.count} calls were made in this turn, and ${agent.most_calls} are the limit.`
    return { status: "failed", category: "call_limit", reason, next: "Say how to go on." }
  }
  if (asked.length < agent.most_requests) return undefined
  const reason = `The model was asked ${agent.most_requests} times in this turn, which is the limit.`
  return { status: "failed", category: "step_limit", reason, next: "Say how to go on." }
}

/** What the submission asks to be read, once for the turn; nothing when it asks for nothing or it has been read. */
async function sourcesOf(
  { blobs, redactor }: TurnPorts,
  state: SessionState,
  turn_id: string,
  { workspace, context_tokens: tokens = usualContextTokens }: Agent,
): Promise<Sources | undefined> {
  const wishes = state.entities.turns[turn_id]?.wishes ?? []
  if (wishes.length === 0 || state.entities.catalogs[turn_id] !== undefined) return undefined
  return resolveSources(wishes, { workspace, blobs, redactor, tokens })
}

function prepare(
  state: SessionState,
  turn_id: string,
  told: Transcript,
  { context }: Agent,
  catalog: CatalogPayload,
  sources: Sources = { selected: [], missing: [], warnings: [] },
): Draft[] {
  const scope = scopeOf(state, turn_id)
  const history = { turns: told.turns, through_sequence: state.sequence }
  const { selected = [], missing = [], warnings = [] } = context ?? {}
  const known = {
    selected: [...selected, ...sources.selected],
    missing: [...missing, ...sources.missing],
    warnings: [...warnings, ...sources.warnings, ...told.warnings],
  }
  return [
    { type: "context.resolved", ...scope, payload: { ...known, history } },
    { type: "tool.catalog.resolved", ...scope, payload: catalog },
  ]
}
