import type { Action, ActionGraph, BudgetPolicy } from "./action.ts"
import { awaitsDecision, holds, isSettled, runOf } from "./conditions.ts"
import { failureOf } from "./fold-run.ts"
import { orderOf } from "./order.ts"
import { approvalReason, exhausted, inputHash, mayRepeat, mayResume, tighter } from "./policy.ts"
import type { ActionRun, Reason, RunEvent, RunState, RunStatus } from "./run.ts"

export type Step =
  | { type: "start"; id: string; attempt: number }
  | { type: "settle"; id: string; status: "blocked" | "canceled" | "failed"; reason: Reason }
  | { type: "wait"; id: string; reason: Reason; input_hash?: string }
  /** Tell a running executor to stop; its action has been settled already. */
  | { type: "signal"; id: string }

export type Situation = {
  now: number
  /** Limits of the runtime; the tighter of these and the declaration's hold. */
  limits?: BudgetPolicy
  /** Approvals that stand from before this run, each for one exact input. */
  approvals?: readonly { action_id: string; input_hash: string }[]
  /** The actions that really run now. Absent: all that have started. After a crash: none. */
  in_flight?: readonly string[]
  /** What approvals are bound to, when more than the declared input is known. */
  input_hash?: (action: Action) => string
}

export type Schedule = { steps: readonly Step[]; status: RunStatus }

/** What is to be done now. Taking every step and asking again brings the run to rest. */
export function nextSteps(graph: ActionGraph, state: RunState, situation: Situation): Schedule {
  const limits = tighter(graph.budget, situation.limits ?? {})
  const order = orderOf(graph)
  const flying = situation.in_flight === undefined ? undefined : new Set(situation.in_flight)
  const spent = exhausted(state, limits, situation.now)
  const settled = new Map<string, ActionRun>()
  const steps: Step[] = []
  const starts = new Map<string, number>()
  let running = 0

  const sorted = new Set(order.actions.map(({ id }) => id))
  /** Resources that nobody else may write now: of what runs, and of what comes earlier and has not ended. */
  const held = new Set(graph.actions.flatMap(({ id, writes }) => (begun(id) ? writes : [])))
  for (const action of [...order.actions, ...graph.actions.filter(({ id }) => !sorted.has(id))]) {
    const run = runOf(state, action.id)
    if (run === undefined) continue
    const open = run.attempts.at(-1)
    const inFlight = open !== undefined && open.outcome === undefined && (flying?.has(action.id) ?? true)
    if (run.status === "canceled" && flying !== undefined && inFlight)
      steps.push({ type: "signal", id: action.id })
    if (isSettled(run)) continue
    const step = stopped(action, run, inFlight) ?? advance(action, run, inFlight)
    if (step?.type !== "settle") for (const resource of action.writes) held.add(resource)
    if (run.status === "running" && inFlight && step?.type !== "settle") running++
    if (step === undefined) continue
    if (step.type === "start") starts.set(step.id, step.attempt)
    else steps.push(step)
    if (step.type !== "settle") continue
    settled.set(step.id, { ...run, status: step.status, reason: step.reason })
    if (run.status === "running" && inFlight) steps.push({ type: "signal", id: step.id })
  }

  const parallel =
    graph.strategy === "sequential" ? 1 : Math.max(1, limits.max_parallel ?? graph.actions.length)
  const free = Math.max(0, parallel - running)
  const ready = graph.actions.flatMap(({ id }): Step[] => {
    const attempt = starts.get(id)
    return attempt === undefined ? [] : [{ type: "start", id, attempt }]
  })
  // What goes on keeps its place before what has not begun.
  ready.sort((a, b) => Number(begun(b.id)) - Number(begun(a.id)))
  const all = [...steps, ...ready.slice(0, free)]
  const moving = all.some(({ type }) => type === "start" || type === "settle")
  return { steps: all, status: moving ? "running" : state.status }

  function begun(id: string): boolean {
    return runOf(state, id)?.status === "running"
  }

  function now(id: string): ActionRun | undefined {
    return settled.get(id) ?? runOf(state, id)
  }

  /** Once the run is canceled or aborted nothing starts; what runs ends by itself unless it is to be aborted. */
  function stopped(action: Action, run: ActionRun, inFlight: boolean): Step | undefined {
    const reason = stopReason(state)
    if (reason === undefined) return undefined
    if (awaitsDecision(run)) return settle(run, "failed", failureOf(run))
    if (run.status !== "running") return settle(run, "canceled", reason)
    const last = run.attempts.at(-1)
    if (last?.outcome?.status === "failed") return settle(run, "failed", last.outcome.reason)
    if (last?.outcome !== undefined) return settle(run, "canceled", reason)
    if (!inFlight) return settle(run, "failed", unknownOutcome(action))
    const abort = state.canceled !== undefined && graph.cancellation === "abort"
    return abort ? settle(run, "canceled", reason) : undefined
  }

  function advance(action: Action, run: ActionRun, inFlight: boolean): Step | undefined {
    if (stopReason(state) !== undefined || awaitsDecision(run)) return undefined
    if (run.status === "running") return inFlight ? undefined : onward(action, run)
    if (run.status === "waiting")
      return spent !== undefined && run.reason?.code === "needs_approval" ? overspent(run, spent) : undefined
    if (!sorted.has(action.id)) return settle(run, "blocked", waitsForItself(action))
    return dependency(action, run) ?? (heldBack(action) ? undefined : begin(action, run))
  }

  /** Between two attempts, between two passes, or lost in a crash. */
  function onward(action: Action, run: ActionRun): Step {
    const outcome = run.attempts.at(-1)?.outcome
    if (outcome === undefined && !mayResume(action))
      return { type: "wait", id: run.id, reason: unknownOutcome(action) }
    if (outcome?.status === "failed" && !mayRepeat(action)) {
      const message = `${outcome.reason.message} It is not retried: it may have had effects.`
      return settle(run, "failed", { ...outcome.reason, message })
    }
    const over = outcome?.status === "failed" ? retriesSpent(run) : undefined
    if (over !== undefined) return over
    if (spent !== undefined) return overspent(run, spent)
    // What was lost in a crash goes on with the approval that it had; everything else is a new attempt.
    return (outcome === undefined ? undefined : approval(action, run)) ?? launch(action, run)
  }

  function dependency(action: Action, run: ActionRun): Step | undefined {
    for (const id of order.needs.get(action.id) ?? []) {
      const needed = now(id)
      if (needed?.status === "completed" || (needed !== undefined && !isSettled(needed))) continue
      const skipped = needed?.reason?.code === "condition_not_met"
      const root = needed?.status === "failed" ? id : (needed?.reason?.action_id ?? id)
      if (skipped) {
        const message = `${id} was not needed, so neither is this.`
        return settle(run, "canceled", { code: "condition_not_met", message, action_id: root })
      }
      const message = `${root} did not complete.`
      return settle(run, "blocked", { code: "dependency_failed", message, action_id: root })
    }
  }

  function heldBack(action: Action): boolean {
    const needs = order.needs.get(action.id) ?? []
    if (needs.some((id) => now(id)?.status !== "completed")) return true
    if (action.writes.some((resource) => held.has(resource))) return true
    const asked = action.when === undefined ? undefined : now(action.when.action)
    return asked !== undefined && !isSettled(asked)
  }

  function begin(action: Action, run: ActionRun): Step {
    if (action.when !== undefined && !holds(action.when, now(action.when.action))) {
      const message = `The condition on ${action.when.action} does not hold.`
      return settle(run, "canceled", { code: "condition_not_met", message, action_id: action.when.action })
    }
    if (spent !== undefined) return overspent(run, spent)
    // A decision or an approval brought it back; if it did not complete before, this is a retry like any other.
    const again = run.attempts.length > 0 && run.attempts.at(-1)?.outcome?.status !== "completed"
    return (again ? retriesSpent(run) : undefined) ?? approval(action, run) ?? launch(action, run)
  }

  function retriesSpent(run: ActionRun): Step | undefined {
    const { max_retries } = limits
    if (max_retries === undefined || state.spent.retries < max_retries) return undefined
    return overspent(run, `The limit of ${max_retries} retries is reached.`)
  }

  function approval(action: Action, run: ActionRun): Step | undefined {
    const message = approvalReason(action, graph)
    if (message === undefined) return undefined
    const input_hash = (situation.input_hash ?? inputHash)(action)
    if (run.approved === true && run.input_hash === input_hash) return undefined
    const standing = situation.approvals?.some(
      (a) => a.action_id === action.id && a.input_hash === input_hash,
    )
    // A standing approval has been used up by the first attempt.
    if (standing === true && run.attempts.length === 0) return undefined
    return {
      type: "wait",
      id: action.id,
      input_hash,
      reason: { code: "needs_approval", message, action_id: action.id },
    }
  }
}

/** The event to fold once a step is taken. A signal only reaches the executor: its action was settled before. */
export function eventOf(step: Exclude<Step, { type: "signal" }>, at: number): RunEvent {
  switch (step.type) {
    case "start":
      return { type: "action.started", id: step.id, attempt: step.attempt, at }
    case "settle":
      return { type: "action.settled", id: step.id, status: step.status, reason: step.reason }
    case "wait": {
      const asked = step.input_hash === undefined ? {} : { input_hash: step.input_hash }
      return { type: "action.waiting", id: step.id, reason: step.reason, at, ...asked }
    }
  }
}

const launch = (action: Action, run: ActionRun): Step =>
  action.executor?.type === "human"
    ? ask(action)
    : { type: "start", id: run.id, attempt: run.attempts.length + 1 }

const settle = (run: ActionRun, status: "blocked" | "canceled" | "failed", reason: Reason): Step => ({
  type: "settle",
  id: run.id,
  status,
  reason,
})

const overspent = (run: ActionRun, message: string): Step =>
  settle(run, "failed", { code: "budget_exceeded", message, action_id: run.id })

const ask = (action: Action): Step => ({
  type: "wait",
  id: action.id,
  reason: {
    code: "needs_input",
    message: action.description ?? action.title ?? `${action.id} needs an answer.`,
    action_id: action.id,
  },
})

const waitsForItself = (action: Action): Reason => ({
  code: "dependency_failed",
  message: `${action.id} waits for itself.`,
  action_id: action.id,
})

const unknownOutcome = (action: Action): Reason => ({
  code: "outcome_unknown",
  message: `${action.id} was interrupted. What it did is not known.`,
  action_id: action.id,
})

function stopReason(state: RunState): Reason | undefined {
  if (state.canceled !== undefined) return { code: "canceled", message: state.canceled.reason }
  if (state.aborted_by === undefined) return undefined
  return {
    code: "aborted",
    message: `${state.aborted_by} failed, and that ends the run.`,
    action_id: state.aborted_by,
  }
}
