import type { Action, ActionGraph } from "./action.ts"
import { awaitsDecision, holds, isSettled, runOf } from "./conditions.ts"
import type { ActionOutcome, ActionRun, Reason, RunEvent, RunState, RunStatus } from "./run.ts"

/** The run as its events tell it. Events that cannot be true of it change nothing. */
export function foldRun(graph: ActionGraph, events: readonly RunEvent[]): RunState {
  return events.reduce((state, event) => applyEvent(graph, state, event), unaccepted(graph))
}

export function applyEvent(graph: ActionGraph, state: RunState, event: RunEvent): RunState {
  const next = applied(graph, state, event)
  return next === state ? state : { ...next, status: statusOf(next) }
}

function unaccepted(graph: ActionGraph): RunState {
  const actions = graph.actions.map(({ id }): [string, ActionRun] => [
    id,
    { id, status: "pending", attempts: [], passes: 0 },
  ])
  return {
    run_id: "",
    status: "waiting",
    actions: Object.fromEntries(actions),
    accepted_at: 0,
    spent: { tokens: 0, cost: 0, retries: 0 },
  }
}

function applied(graph: ActionGraph, state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "run.accepted":
      return state.run_id === "" ? { ...state, run_id: event.run_id, accepted_at: event.at } : state
    case "run.canceled":
      return state.canceled === undefined ? { ...state, canceled: { reason: event.reason } } : state
    case "run.spent": {
      const { tokens, cost, retries } = state.spent
      return {
        ...state,
        spent: { tokens: tokens + (event.tokens ?? 0), cost: cost + (event.cost ?? 0), retries },
      }
    }
    case "run.revised":
      return superseded(state, new Set(event.kept))
    default: {
      const run = runOf(state, event.id)
      const action = graph.actions.find(({ id }) => id === event.id)
      return run === undefined || action === undefined ? state : onAction(graph, state, action, run, event)
    }
  }
}

type ActionEvent = Extract<RunEvent, { id: string }>

function onAction(
  graph: ActionGraph,
  state: RunState,
  action: Action,
  run: ActionRun,
  event: ActionEvent,
): RunState {
  switch (event.type) {
    case "action.started": {
      if (run.status !== "pending" && run.status !== "running") return state
      if (event.attempt !== run.attempts.length + 1) return state
      const again = run.attempts.at(-1)?.outcome?.status === "failed"
      const { reason: _, ...rest } = run
      const started: ActionRun = {
        ...rest,
        status: "running",
        attempts: [...run.attempts, { started: event.at }],
        ...(event.executor === undefined ? {} : { executor: event.executor }),
      }
      const spent = again ? { ...state.spent, retries: state.spent.retries + 1 } : state.spent
      return withRun({ ...state, spent }, started)
    }
    case "action.ended": {
      const attempt = run.attempts[event.attempt - 1]
      if (attempt === undefined || attempt.outcome !== undefined) return state
      const attempts = run.attempts.with(event.attempt - 1, { ...attempt, outcome: event.outcome })
      // A result that comes too late is kept, and changes nothing.
      if (run.status !== "running" || event.attempt !== attempts.length)
        return withRun(state, { ...run, attempts })
      return ended(state, action, { ...run, attempts }, event.outcome)
    }
    case "action.waiting": {
      if (run.status !== "pending" && run.status !== "running") return state
      const { reason } = event
      const open = reason.code === "needs_decision" || reason.code === "outcome_unknown"
      const { input_hash: _, ...rest } = run
      const asked = event.input_hash === undefined ? {} : { input_hash: event.input_hash }
      return withRun(state, { ...rest, ...asked, status: open ? "blocked" : "waiting", reason })
    }
    case "action.answered":
      return run.status === "waiting" ? answered(state, action, run, event) : state
    case "action.settled":
      if (isSettled(run)) return state
      if (event.status === "failed") return failed(state, action, run, event.reason)
      return withRun(state, { ...run, status: event.status, reason: event.reason })
    case "run.decided":
      return decided(graph, state, action, run, event.choice)
  }
}

function ended(state: RunState, action: Action, run: ActionRun, outcome: ActionOutcome): RunState {
  const stopped = state.canceled !== undefined || state.aborted_by !== undefined
  if (outcome.status === "completed") {
    const passed: ActionRun = { ...run, status: "completed", passes: run.passes + 1 }
    if (action.repeat === undefined || passed.passes >= action.repeat.max) return withRun(state, passed)
    const { until } = action.repeat
    const asked = until?.action === action.id ? passed : runOf(state, until?.action ?? "")
    if (until !== undefined && holds(until, asked)) return withRun(state, passed)
    return withRun(state, { ...passed, status: "running" })
  }
  const { on_failure, max_retries } = action.failure_policy
  const failures = run.attempts.filter((attempt) => attempt.outcome?.status === "failed").length
  if (!stopped && on_failure === "retry" && failures <= max_retries) return withRun(state, run)
  if (!stopped && on_failure === "ask_model") {
    const reason: Reason = { code: "needs_decision", message: outcome.reason.message, action_id: action.id }
    return withRun(state, { ...run, status: "blocked", reason })
  }
  return failed(state, action, run, outcome.reason)
}

function failed(state: RunState, action: Action, run: ActionRun, reason: Reason): RunState {
  const next = withRun(state, { ...run, status: "failed", reason })
  const aborts = action.failure_policy.on_failure === "abort" && state.aborted_by === undefined
  return aborts ? { ...next, aborted_by: action.id } : next
}

function answered(
  state: RunState,
  action: Action,
  run: ActionRun,
  event: Extract<RunEvent, { type: "action.answered" }>,
): RunState {
  const { answer } = event
  const { reason, ...rest } = run
  if ("approved" in answer && !answer.approved) {
    const denied = { ...rest, approved: false, input_hash: answer.input_hash }
    return failed(state, action, denied, { code: "denied", message: "A person said no.", action_id: run.id })
  }
  if ("approved" in answer && reason?.code === "needs_approval")
    return withRun(state, { ...rest, status: "pending", approved: true, input_hash: answer.input_hash })
  if (reason?.code !== "needs_input") return state
  const output = "output" in answer ? answer.output : "approved"
  const attempt = {
    started: event.at ?? state.accepted_at,
    outcome: { status: "completed", output },
  } as const
  return ended(state, action, { ...rest, attempts: [...run.attempts, attempt] }, attempt.outcome)
}

function decided(
  graph: ActionGraph,
  state: RunState,
  action: Action,
  run: ActionRun,
  choice: "retry" | "continue" | "abort",
): RunState {
  const open = awaitsDecision(run)
  if (!open && run.status !== "failed") return state
  if (choice === "retry") return reopened(graph, state, run)
  const settled = open ? failed(state, action, run, failureOf(run)) : state
  return choice === "abort" ? { ...settled, aborted_by: settled.aborted_by ?? run.id } : settled
}

/** The action may start anew, without its approval, and so may those that ended only because of it. */
function reopened(graph: ActionGraph, state: RunState, run: ActionRun): RunState {
  const { aborted_by, ...rest } = state
  let next: RunState = aborted_by === undefined || aborted_by === run.id ? rest : state
  for (const { id } of graph.actions) {
    const other = runOf(next, id)
    if (other === undefined) continue
    const followed =
      other.reason?.action_id === run.id && (other.status === "blocked" || other.status === "canceled")
    if (id !== run.id && !followed) continue
    const { reason: _, approved: __, input_hash: ___, ...fresh } = other
    next = withRun(next, { ...fresh, status: "pending" })
  }
  return next
}

function superseded(state: RunState, kept: ReadonlySet<string>): RunState {
  const reason: Reason = { code: "superseded", message: "A revised plan replaced it." }
  return Object.values(state.actions).reduce(
    (next, run) =>
      kept.has(run.id) || (isSettled(run) && run.status !== "blocked")
        ? next
        : withRun(next, { ...run, status: "canceled", reason }),
    state,
  )
}

/** Why it failed, also when only a decision made that final. */
export function failureOf(run: ActionRun): Reason {
  const outcome = run.attempts.at(-1)?.outcome
  if (outcome?.status === "failed") return outcome.reason
  return run.reason ?? { code: "executor_failed", message: "It did not complete.", action_id: run.id }
}

function statusOf(state: RunState): RunStatus {
  if (state.run_id === "") return "waiting"
  const runs = Object.values(state.actions)
  if (runs.some(awaitsDecision)) return "blocked"
  if (runs.every(isSettled)) {
    const whole = runs.every(
      ({ status, reason }) => status === "completed" || reason?.code === "condition_not_met",
    )
    return whole && state.canceled === undefined ? "completed" : "failed"
  }
  if (runs.some(({ status }) => status === "running")) return "running"
  return runs.some(({ status }) => status === "waiting") ? "waiting" : "running"
}

function withRun(state: RunState, run: ActionRun): RunState {
  return { ...state, actions: { ...state.actions, [run.id]: run } }
}
