import type { ModelRequest, SessionState } from "@factum/facts"
import {
  type ActionGraph,
  type Checked,
  cancelRun,
  type Declaration,
  decideRun,
  findRun,
  foldRun,
  type OwnedRun,
  type ReferenceScope,
  type Revision,
  type RunEvent,
  type RunState,
  reviseRun,
  type Tokenizer,
} from "@factum/protocol"
import type { Agent } from "../agent.ts"
import type { BlobStore } from "../ports/log.ts"
import { type Approvals, governed, notAdmitted, type Plan, planOf, type RunPlan } from "./plan.ts"
import { unresolved } from "./references.ts"
import { accepted, callEvents, callsOf, scheduleOf } from "./run-state.ts"

/** A run of declared work as the log tells it up to some moment. */
export type Run = OwnedRun & {
  request: ModelRequest
  declaration?: Declaration
  approvals: Approvals
  events: readonly RunEvent[]
}

export type RunMeans = {
  state: SessionState
  agent: Agent
  blobs: BlobStore
  /** Bounds what an agent is given as context; there for agents that declare. */
  tokenizer?: Tokenizer
  /** All that references of a run may name beside the run itself. */
  reach?: (run: Pick<Run, "request" | "declaration" | "graph">, state: RunState) => ReferenceScope
}

/** The run of a request as of a sequence of its session. What is refused has none. */
export function runAt(
  means: RunMeans,
  request: ModelRequest,
  until = Number.POSITIVE_INFINITY,
): Checked<Run> {
  const { state, agent, blobs } = means
  const plan = planOf(request, agent)
  if (plan.kind !== "run" && plan.kind !== "plan") return findRun([], request.request_id, agent.name)
  const started = beginning(means, request, plan)
  if (!started.ok) return started
  const { graph, approvals, carried } = started.value
  const about = {
    request,
    graph,
    approvals,
    ...(plan.declaration === undefined ? {} : { declaration: plan.declaration }),
  }
  const calls = callsOf(state, request).filter(({ opened }) => opened < until)
  const told = callEvents(calls, blobs, state.entities.childSpendings)
  const events: RunEvent[] = [accepted(request.request_id, calls), ...carried]
  let run = foldRun(graph, events)
  let taken = 0
  const takeCalls = (before: number) => {
    const next = told.slice(taken).filter(({ at }) => at < before)
    taken += next.length
    take(next.map(({ event }) => event))
  }
  const take = (more: readonly RunEvent[]) => {
    events.push(...more)
    run = foldRun(graph, more, run)
  }
  let superseded_by: string | undefined
  for (const later of agent.protocol ? laterOn(state, request, until) : []) {
    const said = planOf(later, agent)
    if (!concerns(said, request.request_id)) continue
    takeCalls(later.opened)
    const settled = settledRun(means, about, run)
    const owned = { run_id: request.request_id, owner: agent.name, graph, state: settled }
    if (said.kind === "run") {
      if (revisionOf(owned, events, said, agent).ok) superseded_by ??= later.request_id
      continue
    }
    const decided = decisionOn(owned, said, Date.parse(state.entities.runs[later.turn_id]?.since ?? "") || 0)
    if (!decided.ok) continue
    // What followed by itself before the decision is part of what was decided on.
    run = settled
    take(decided.value)
  }
  takeCalls(until)
  const named = superseded_by === undefined ? {} : { superseded_by }
  return {
    ok: true,
    value: { ...about, ...named, run_id: request.request_id, owner: agent.name, state: run, events },
  }
}

/** The run with all that follows by itself, as it is told. */
export function settledRun(
  means: RunMeans,
  run: Pick<Run, "request" | "declaration" | "graph">,
  state: RunState,
): RunState {
  return scheduleOf(run.graph, state, { now: 0, in_flight: [], max_parallel: 1, lacks: lacking(means, run) })
    .run
}

export function lacking({ reach }: RunMeans, run: Pick<Run, "request" | "declaration" | "graph">) {
  return (id: string, state: RunState) => {
    const action = run.graph.actions.find((one) => one.id === id)
    if (action === undefined || reach === undefined) return undefined
    return unresolved(action, () => reach(run, state))
  }
}

type Beginning = { graph: ActionGraph; approvals: Approvals; carried: readonly RunEvent[] }

function beginning(
  means: RunMeans,
  request: ModelRequest,
  plan: RunPlan | Extract<Plan, { kind: "plan" }>,
): Checked<Beginning> {
  const { agent } = means
  const approvals = plan.kind === "run" ? plan.approvals : new Map<string, string>()
  if (plan.kind === "plan" || plan.revises === undefined)
    return { ok: true, value: { graph: plan.graph, approvals, carried: [] } }
  const old = runNamed(means, request, plan.revises)
  if (!old.ok) return old
  const now = settledRun(means, old.value, old.value.state)
  const revision = revisionOf({ ...old.value, state: now }, old.value.events, plan, agent)
  if (!revision.ok) return revision
  const { graph, carried } = revision.value
  return { ok: true, value: { ...governed(graph, agent), carried } }
}

/** A plan that may not run replaces nothing. */
function revisionOf(
  old: OwnedRun,
  events: readonly RunEvent[],
  plan: RunPlan,
  agent: Agent,
): Checked<Revision> {
  const revision = reviseRun(old, events, plan.graph)
  if (!revision.ok) return revision
  const issues = notAdmitted(revision.value.graph, agent, revision.value)
  return issues.length > 0 ? { ok: false, issues } : revision
}

/** A run of the same thread, as it was when the request spoke of it. */
export function runNamed(means: RunMeans, by: ModelRequest, run_id: string): Checked<Run> {
  const { state, agent } = means
  const request = state.entities.modelRequests[run_id]
  const known =
    request?.status === "completed" &&
    threadOf(state, request) === threadOf(state, by) &&
    request.opened < by.opened
  return known ? runAt(means, request, by.opened) : findRun([], run_id, agent.name)
}

/** The events that a decision makes of a run, or why it makes none. */
export function decisionOn(
  run: OwnedRun,
  { declaration }: Extract<Plan, { kind: "decide" }>,
  at: number,
): Checked<readonly RunEvent[]> {
  const { decision, intent } = declaration
  return intent === "cancel"
    ? cancelRun(run, at, decision.reason ?? "It was canceled.")
    : decideRun(run, decision)
}

function concerns(plan: Plan, run_id: string): plan is RunPlan | Extract<Plan, { kind: "decide" }> {
  if (plan.kind === "decide") return plan.declaration.decision.run_id === run_id
  return plan.kind === "run" && plan.revises === run_id
}

/** What the model said after a request in the same thread, in its order. */
function laterOn(state: SessionState, request: ModelRequest, until: number): ModelRequest[] {
  const thread_id = threadOf(state, request)
  return Object.values(state.entities.modelRequests)
    .filter(
      (one) =>
        one.status === "completed" &&
        one.opened > request.opened &&
        one.opened < until &&
        threadOf(state, one) === thread_id,
    )
    .sort((a, b) => a.opened - b.opened)
}

const threadOf = (state: SessionState, { turn_id }: ModelRequest): string | undefined =>
  state.entities.turns[turn_id]?.thread_id

/** The first answer after `teller` that decides on the run of a request or revises it. */
export function spokenAfter(
  { state, agent }: RunMeans,
  request: ModelRequest,
  teller: ModelRequest,
): ModelRequest | undefined {
  return laterOn(state, teller, Number.POSITIVE_INFINITY).find((one) =>
    concerns(planOf(one, agent), request.request_id),
  )
}
