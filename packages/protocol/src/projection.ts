import type { Action, ActionStatus } from "./action.ts"
import { declarationRef } from "./call.ts"
import { plainText } from "./plain-text.ts"
import { type ToldAction, toldActions } from "./record.ts"
import type { RunRecord } from "./run.ts"
import { reaches } from "./visibility.ts"

export type ActionProjection = {
  id: string
  title: string
  description: string
  status: ActionStatus
  /** Empty until there is a result that a person may see. */
  result_summary: string
}

/** What a person sees of a run. The fields of a version are fixed: a new field means a new version. */
export type RunProjection = {
  version: "1"
  run_id: string
  title: string
  /** The model's own note, or one built from titles; empty for quick work without one. */
  note: string
  status: ActionStatus
  progress: { total: number; done: number } & Readonly<Record<ActionStatus, number>>
  actions: readonly ActionProjection[]
  result_summary: string
  /** Leads to the declaration as it was written; nothing raw is shown here. */
  details_ref: string
}

export function projectRun(run: RunRecord): RunProjection {
  const told = toldActions(run)
  const actions = told.map(projectAction)
  return {
    version: "1",
    run_id: run.run_id,
    title: plainText(run.declaration.title ?? run.graph.title ?? titles(run.graph.actions)),
    note: plainText(run.declaration.note ?? generatedNote(run)),
    status: runStatus(run),
    progress: progress(told),
    actions,
    result_summary: isOver(run)
      ? actions.flatMap(({ result_summary }) => (result_summary === "" ? [] : [result_summary])).join("\n")
      : "",
    details_ref: declarationRef(run),
  }
}

function projectAction(told: ToldAction): ActionProjection {
  const { id, action, status } = told
  return {
    id,
    title: plainText(action?.title ?? id),
    description: plainText(action?.description ?? ""),
    status,
    result_summary: plainText(summaryForPerson(told)),
  }
}

function summaryForPerson({ action, observation, state }: ToldAction): string {
  if (action !== undefined && !reaches(action.visibility, "user")) return ""
  if (observation !== undefined && observation.summary !== "") return observation.summary
  // What a model may not see can still be meant for the person.
  const last = state?.attempts.at(-1)?.outcome
  if (last?.status === "completed") return last.summary ?? ""
  return state?.reason?.message ?? ""
}

function runStatus(run: RunRecord): ActionStatus {
  const { state } = run
  if (state.canceled !== undefined && isOver(run)) return "canceled"
  if (isOver(run) || state.status === "blocked") return state.status
  const begun = Object.values(state.actions).some(
    ({ status, attempts }) => status !== "pending" || attempts.length > 0,
  )
  return begun ? state.status : "pending"
}

const isOver = ({ state }: RunRecord): boolean => state.status === "completed" || state.status === "failed"

function progress(told: readonly ToldAction[]): RunProjection["progress"] {
  const counts = { pending: 0, running: 0, completed: 0, failed: 0, canceled: 0, blocked: 0, waiting: 0 }
  for (const { status } of told) counts[status]++
  return { total: told.length, done: counts.completed + counts.failed + counts.canceled, ...counts }
}

const longFrom = 5

/** Long, durable or risky work, and work for several agents, is not started without a word. */
function generatedNote({ graph }: RunRecord): string {
  const { actions, persist, mode } = graph
  const agents = actions.filter(({ executor }) => executor?.type === "agent").length
  const noted =
    persist || mode === "durable" || actions.length >= longFrom || agents > 1 || actions.some(isRisky)
  if (!noted || actions.length === 0) return ""
  return graph.title === undefined ? `${titles(actions)}.` : `${graph.title}: ${titles(actions)}.`
}

const isRisky = ({ requires_approval, irreversible, side_effects }: Action): boolean =>
  requires_approval || irreversible || side_effects.some((effect) => effect !== "read")

function titles(actions: readonly Action[]): string {
  const named = actions.slice(0, 3).map(({ title, id }) => title ?? id)
  const more = actions.length - named.length
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ")
}

type Transitions = Readonly<Record<ActionStatus, readonly ActionStatus[]>>

/** What may follow each status. A decision opens a failed action again, and with it those that ended because of it. */
const actionTransitions: Transitions = {
  pending: ["running", "waiting", "blocked", "failed", "canceled"],
  running: ["waiting", "blocked", "completed", "failed", "canceled"],
  waiting: ["pending", "running", "blocked", "completed", "failed", "canceled"],
  blocked: ["pending", "failed", "canceled"],
  failed: ["pending"],
  canceled: ["pending"],
  completed: [],
}

/** A run is pending again only where it was held up before its first attempt; completed and canceled are final. */
const runTransitions: Transitions = {
  pending: ["running", "waiting", "blocked", "completed", "failed", "canceled"],
  running: ["pending", "waiting", "blocked", "completed", "failed", "canceled"],
  waiting: ["pending", "running", "blocked", "completed", "failed", "canceled"],
  blocked: ["pending", "running", "waiting", "failed", "canceled"],
  failed: ["pending", "running"],
  canceled: [],
  completed: [],
}

export const actionMayBecome = (from: ActionStatus, to: ActionStatus): boolean =>
  from === to || actionTransitions[from].includes(to)
export const runMayBecome = (from: ActionStatus, to: ActionStatus): boolean =>
  from === to || runTransitions[from].includes(to)
