import type { Action, ActionGraph } from "./action.ts"
import { awaitsDecision, holds, isSettled } from "./conditions.ts"
import { orderOf } from "./order.ts"
import type { ActionOutcome, ActionRun, Reason, RunEvent, RunState, RunStatus } from "./run.ts"

/**
 * The run as its events tell it, from the beginning or from a state on. Events that cannot be true of it change
 * nothing. Many events at once cost little more than one: the state is copied once.
 */
export function foldRun(
  graph: ActionGraph,
  events: readonly RunEvent[],
  from: RunState = unaccepted(graph),
): RunState {
  const draft: Draft = { ...from, actions: new Map(Object.entries(from.actions)) }
  for (const event of events) take(graph, draft, event)
  return { ...draft, status: statusOf(draft), actions: Object.fromEntries(draft.actions) }
}

export const applyEvent = (graph: ActionGraph, state: RunState, event: RunEvent): RunState =>
  foldRun(graph, [event], state)

/** Written in place while events are taken in, and seen by nobody else. */
type Draft = Omit<RunState, "actions"> & { actions: Map<string, ActionRun> }

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

function take(graph: ActionGraph, draft: Draft, event: RunEvent): Draft {
  switch (event.type) {
    case "run.accepted":
      if (draft.run_id !== "") return draft
      draft.run_id = event.run_id
      draft.accepted_at = event.at
      return draft
    case "run.canceled":
      // What has ended cannot be stopped any more.
      if (!isOver(draft)) draft.canceled ??= { reason: event.reason }
      return draft
    case "run.spent": {
      const { tokens, cost, retries } = draft.spent
      draft.spent = { tokens: tokens + (event.tokens ?? 0), cost: cost + (event.cost ?? 0), retries }
      return draft
    }
    case "run.revised":
      return supersede(draft, new Set(event.kept))
    default: {
      const run = draft.actions.get(event.id)
      const action = graph.actions.find(({ id }) => id === event.id)
      return run === undefined || action === undefined ? draft : onAction(graph, draft, action, run, event)
    }
  }
}

type ActionEvent = Extract<RunEvent, { id: string }>

function onAction(
  graph: ActionGraph,
  draft: Draft,
  action: Action,
  run: ActionRun,
  event: ActionEvent,
): Draft {
  switch (event.type) {
    case "action.started": {
      if (run.status !== "pending" && run.status !== "running") return draft
      if (event.attempt !== run.attempts.length + 1) return draft
      if (run.attempts.at(-1)?.outcome?.status === "failed")
        draft.spent = { ...draft.spent, retries: draft.spent.retries + 1 }
      const { reason: _, ...rest } = run
      return put(draft, {
        ...rest,
        status: "running",
        attempts: [...run.attempts, { started: event.at }],
        ...(event.executor === undefined ? {} : { executor: event.executor }),
      })
    }
    case "action.ended": {
      const attempt = run.attempts[event.attempt - 1]
      if (attempt === undefined || attempt.outcome !== undefined) return draft
      const attempts = run.attempts.with(event.attempt - 1, { ...attempt, outcome: event.outcome })
      // A result that comes too late is kept, and changes nothing.
      if (run.status !== "running" || event.attempt !== attempts.length)
        return put(draft, { ...run, attempts })
      return end(draft, action, { ...run, attempts }, event.outcome)
    }
    case "action.waiting": {
      if (run.status !== "pending" && run.status !== "running") return draft
      const { reason } = event
      const open = reason.code === "needs_decision" || reason.code === "outcome_unknown"
      const { input_hash: _, ...rest } = run
      const asked = event.input_hash === undefined ? {} : { input_hash: event.input_hash }
      return put(draft, { ...rest, ...asked, status: open ? "blocked" : "waiting", reason })
    }
    case "action.answered":
      return run.status === "waiting" ? answer(draft, action, run, event) : draft
    case "action.settled":
      if (isSettled(run)) return draft
      if (event.status === "failed") return fail(draft, action, run, event.reason)
      return put(draft, { ...run, status: event.status, reason: event.reason })
    case "run.decided":
      return decide(graph, draft, action, run, event.choice)
  }
}

function end(draft: Draft, action: Action, run: ActionRun, outcome: ActionOutcome): Draft {
  const stopped = draft.canceled !== undefined || draft.aborted_by !== undefined
  if (outcome.status === "completed") {
    const passed: ActionRun = { ...run, status: "completed", passes: run.passes + 1 }
    if (action.repeat === undefined || passed.passes >= action.repeat.max) return put(draft, passed)
    const { until } = action.repeat
    const asked = until?.action === action.id ? passed : draft.actions.get(until?.action ?? "")
    if (until !== undefined && holds(until, asked)) return put(draft, passed)
    return put(draft, { ...unapproved(passed), status: "running" })
  }
  const { on_failure, max_retries } = action.failure_policy
  const failures = run.attempts.filter((attempt) => attempt.outcome?.status === "failed").length
  if (!stopped && on_failure === "retry" && failures <= max_retries) return put(draft, unapproved(run))
  if (!stopped && on_failure === "ask_model") {
    const reason: Reason = { code: "needs_decision", message: outcome.reason.message, action_id: action.id }
    return put(draft, { ...run, status: "blocked", reason })
  }
  return fail(draft, action, run, outcome.reason)
}

/** An approval is for one attempt. What comes after it has to be asked for again. */
function unapproved({ approved: _, input_hash: __, ...run }: ActionRun): ActionRun {
  return run
}

function fail(draft: Draft, action: Action, run: ActionRun, reason: Reason): Draft {
  put(draft, { ...run, status: "failed", reason })
  if (action.failure_policy.on_failure === "abort") draft.aborted_by ??= action.id
  return draft
}

function answer(
  draft: Draft,
  action: Action,
  run: ActionRun,
  event: Extract<RunEvent, { type: "action.answered" }>,
): Draft {
  const { answer } = event
  const { reason, ...rest } = run
  if ("approved" in answer && !answer.approved) {
    const denied = { ...rest, approved: false, input_hash: answer.input_hash }
    return fail(draft, action, denied, { code: "denied", message: "A person said no.", action_id: run.id })
  }
  if ("approved" in answer && reason?.code === "needs_approval")
    return put(draft, { ...rest, status: "pending", approved: true, input_hash: answer.input_hash })
  if (reason?.code !== "needs_input") return draft
  const output = "output" in answer ? answer.output : "approved"
  const attempt = {
    started: event.at ?? draft.accepted_at,
    outcome: { status: "completed", output },
  } as const
  return end(draft, action, { ...rest, attempts: [...run.attempts, attempt] }, attempt.outcome)
}

function decide(
  graph: ActionGraph,
  draft: Draft,
  action: Action,
  run: ActionRun,
  choice: "retry" | "continue" | "abort",
): Draft {
  const open = awaitsDecision(run)
  if (!open && run.status !== "failed") return draft
  if (choice === "retry") return reopen(graph, draft, run.id)
  if (open) fail(draft, action, run, failureOf(run))
  if (choice === "abort") draft.aborted_by ??= run.id
  return draft
}

/** The action may start anew, without its approval, and so may all that ended only because of it. */
function reopen(graph: ActionGraph, draft: Draft, id: string): Draft {
  if (draft.aborted_by === id) delete draft.aborted_by
  const opened = new Set([id])
  // In the order of the graph: what ended because of another is looked at after it.
  for (const action of orderOf(graph).actions) {
    const run = draft.actions.get(action.id)
    if (run === undefined) continue
    const ended = run.status === "blocked" || run.status === "canceled"
    if (action.id !== id && !(ended && opened.has(run.reason?.action_id ?? ""))) continue
    opened.add(action.id)
    const { reason: _, ...fresh } = unapproved(run)
    put(draft, { ...fresh, status: "pending" })
  }
  return draft
}

function supersede(draft: Draft, kept: ReadonlySet<string>): Draft {
  const reason: Reason = { code: "superseded", message: "A revised plan replaced it." }
  for (const run of draft.actions.values()) {
    if (kept.has(run.id) || (isSettled(run) && run.status !== "blocked")) continue
    put(draft, { ...run, status: "canceled", reason })
  }
  return draft
}

/** Why it failed, also when only a decision made that final. */
export function failureOf(run: ActionRun): Reason {
  const outcome = run.attempts.at(-1)?.outcome
  if (outcome?.status === "failed") return outcome.reason
  return run.reason ?? { code: "executor_failed", message: "It did not complete.", action_id: run.id }
}

function statusOf(draft: Draft): RunStatus {
  if (draft.run_id === "") return "waiting"
  const runs = [...draft.actions.values()]
  if (runs.some(awaitsDecision)) return "blocked"
  if (runs.every(isSettled)) {
    const whole = runs.every(
      ({ status, reason }) => status === "completed" || reason?.code === "condition_not_met",
    )
    return whole && draft.canceled === undefined ? "completed" : "failed"
  }
  if (runs.some(({ status }) => status === "running")) return "running"
  return runs.some(({ status }) => status === "waiting") ? "waiting" : "running"
}

const isOver = (draft: Draft): boolean => {
  const status = statusOf(draft)
  return status === "completed" || status === "failed"
}

function put(draft: Draft, run: ActionRun): Draft {
  draft.actions.set(run.id, run)
  return draft
}
