import type { Action, ActionGraph } from "./action.ts"
import { awaitsDecision, runOf } from "./conditions.ts"
import type { ModelDecision } from "./declaration/normalized.ts"
import { checkGraph } from "./graph.ts"
import { type Checked, type IssueCode, issue, refuse } from "./issues.ts"
import { checkConflicts } from "./order.ts"
import { type Place, placeOf } from "./place.ts"
import type { RunEvent, RunRecord, RunStatus } from "./run.ts"

export type OwnedRun = Pick<RunRecord, "run_id" | "graph" | "state" | "superseded_by"> & { owner: string }

/** A run of another agent is answered exactly like one that never was. */
export function findRun<T extends OwnedRun>(runs: Iterable<T>, run_id: string, agent: string): Checked<T> {
  for (const run of runs) if (run.run_id === run_id && run.owner === agent) return { ok: true, value: run }
  return no("unknown_run", `No run is named ${run_id}.`, "Name the run_id of a run of this conversation.")
}

/** A decision becomes one event for each action that it decides about. */
export function decideRun(run: OwnedRun, decision: ModelDecision): Checked<readonly RunEvent[]> {
  const wrong = notIn(run, ["blocked", "failed"], "decided about")
  if (wrong !== undefined) return wrong
  const open = run.graph.actions.flatMap(({ id }) => {
    const action = runOf(run.state, id)
    if (action === undefined) return []
    const decidable = run.state.status === "blocked" ? awaitsDecision(action) : action.status === "failed"
    return decidable ? [id] : []
  })
  const { action_id, choice } = decision
  const ids = action_id === undefined ? open : open.filter((id) => id === action_id)
  if (ids.length === 0) {
    const message = `${action_id ?? "The run"} waits for no decision.`
    return no("wrong_run_state", message, `Name one of: ${open.join(", ") || "none"}.`)
  }
  return { ok: true, value: ids.map((id): RunEvent => ({ type: "run.decided", id, choice })) }
}

export function cancelRun(run: OwnedRun, at: number, reason: string): Checked<readonly RunEvent[]> {
  const wrong = notIn(run, ["running", "waiting", "blocked"], "canceled")
  return wrong ?? { ok: true, value: [{ type: "run.canceled", at, reason }] }
}

export type Revision = {
  graph: ActionGraph
  /** Where the new list has what a path of the merged one names. */
  place: Place
  kept: readonly string[]
  /** The events of kept actions, to begin the new run with after it is accepted. */
  carried: readonly RunEvent[]
}

/** Completed actions go over with their results; everything else is as the new graph says. */
export function reviseRun(run: OwnedRun, events: readonly RunEvent[], next: ActionGraph): Checked<Revision> {
  const wrong = notIn(run, ["blocked", "failed"], "revised") ?? underWay(run, next)
  if (wrong !== undefined) return wrong
  const done = run.graph.actions.filter(({ id }) => runOf(run.state, id)?.status === "completed")
  const kept = new Set(done.map(({ id }) => id))
  const actions: Action[] = [...done, ...next.actions.filter(({ id }) => !kept.has(id))]
  const graph = { ...next, actions }
  const place = placeInMerged(graph, next)
  const issues = [...checkGraph(graph), ...checkConflicts(graph, kept)]
  if (issues.length > 0) return refuse(...issues.map((found) => ({ ...found, path: place(found.path) })))
  const carried = events.filter((event) => "id" in event && kept.has(event.id))
  return { ok: true, value: { graph, place, kept: [...kept], carried } }
}

/** What runs is not stopped at once, so the same work is not begun beside it. */
function underWay({ graph, state }: OwnedRun, next: ActionGraph): Checked<never> | undefined {
  const ids = new Set(next.actions.map(({ id }) => id))
  const written = new Set(next.actions.flatMap(({ writes }) => writes))
  const busy = graph.actions.filter(
    ({ id, writes }) =>
      runOf(state, id)?.status === "running" && (ids.has(id) || writes.some((name) => written.has(name))),
  )
  if (busy.length === 0) return undefined
  const message = `${busy.map(({ id }) => id).join(", ")} still runs, and the new plan would do the same.`
  return no("wrong_run_state", message, "Wait until it has ended, or plan only other work.")
}

function placeInMerged(merged: ActionGraph, next: ActionGraph): Place {
  const place = placeOf(next)
  const at = new Map(next.actions.map((action, index) => [action, index]))
  return (path) => {
    const [, index, rest = ""] = /^\[(\d+)\](.*)$/s.exec(path) ?? []
    const action = merged.actions[Number(index)]
    const own = action === undefined ? undefined : at.get(action)
    return place(own === undefined ? "" : `[${own}]${rest}`)
  }
}

function notIn(run: OwnedRun, states: readonly RunStatus[], verb: string): Checked<never> | undefined {
  const { canceled, status } = run.state
  if (canceled === undefined && run.superseded_by === undefined && states.includes(status)) return undefined
  const now = run.superseded_by !== undefined ? "replaced" : canceled !== undefined ? "canceled" : status
  const message = `The run ${run.run_id} is ${now} and cannot be ${verb}.`
  return no("wrong_run_state", message, `Only a run that is ${states.join(" or ")} can be ${verb}.`)
}

function no(code: IssueCode, message: string, fix: string): Checked<never> {
  return refuse(issue(code, "payload", message, fix))
}
