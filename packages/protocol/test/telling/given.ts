import type {
  Action,
  ActionGraph,
  ActionRun,
  ActionStatus,
  Declaration,
  HistoryEntry,
  Observation,
  Reason,
  ReturnPolicy,
  RunRecord,
  RunStatus,
  Section,
} from "../../src/index.ts"
import { plainAction, plainGraph } from "../../src/plain.ts"

export function action(id: string, more: Partial<Action> = {}): Action {
  return {
    id,
    ...plainAction,
    visibility: "model",
    ...more,
  }
}

/** A call of the flat carrier. */
export const flat = (
  id: string,
  type: "tool" | "agent",
  target: string,
  more: Partial<Action> = {},
): Action => action(id, { origin: "native", executor: { type, target, capabilities: [] }, ...more })

export function graph(actions: readonly Action[], more: Partial<ActionGraph> = {}): ActionGraph {
  return {
    ...plainGraph,
    actions,
    ...more,
  }
}

/** How one action ended, in the least words. */
export type Ended = {
  status?: ActionStatus
  content?: string
  summary?: string
  refs?: readonly string[]
  reason?: Reason
  policy?: ReturnPolicy
  failed_before?: readonly Reason[]
  observed?: boolean
  observation?: Partial<Observation>
}

export type Given = {
  run_id?: string
  title?: string
  note?: string
  source?: string
  sections?: readonly Section[]
  origin?: Declaration["origin"]
  actions: readonly Action[]
  graph?: Partial<ActionGraph>
  status?: RunStatus
  ended?: Readonly<Record<string, Ended>>
  superseded_by?: string | undefined
  canceled?: { reason: string }
  asks?: DistributiveOmit<Declaration, keyof Shared>
}
type Shared = Pick<
  Declaration,
  "version" | "origin" | "title" | "note" | "source" | "sections" | "extensions"
>
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

export function run(given: Given): RunRecord {
  const run_id = given.run_id ?? "run_1"
  const whole = graph(given.actions, given.graph)
  const states: Record<string, ActionRun> = {}
  const observations: Record<string, Observation> = {}
  for (const { id } of given.actions) {
    const ended = given.ended?.[id] ?? {}
    states[id] = state(id, ended)
    if (ended.observed ?? (ended.status ?? "completed") === "completed")
      observations[id] = observed(id, ended)
  }
  for (const [id, ended] of Object.entries(given.ended ?? {}))
    if (!Object.hasOwn(states, id)) observations[id] = observed(id, ended)
  const shared: Shared = {
    version: "1",
    origin: given.origin ?? given.actions[0]?.origin ?? "dsl",
    source: given.source ?? "{}",
    sections: given.sections ?? [],
    extensions: {},
    ...(given.title !== undefined && { title: given.title }),
    ...(given.note !== undefined && { note: given.note }),
  }
  return {
    run_id,
    declaration: { ...shared, ...(given.asks ?? { intent: "execute", graph: whole }) },
    graph: whole,
    state: {
      run_id,
      status: given.status ?? "completed",
      actions: states,
      accepted_at: 0,
      spent: { tokens: 0, cost: 0, retries: 0 },
      ...(given.canceled !== undefined && { canceled: given.canceled }),
    },
    observations,
    ...(given.superseded_by !== undefined && { superseded_by: given.superseded_by }),
  }
}

function state(id: string, ended: Ended): ActionRun {
  const status = ended.status ?? "completed"
  const before = (ended.failed_before ?? []).map((reason, at) => ({
    started: at,
    outcome: { status: "failed" as const, reason, output: `raw ${reason.message}` },
  }))
  const last =
    status === "completed"
      ? [{ started: 9, outcome: { status: "completed" as const, output: ended.content ?? `${id} done.` } }]
      : status === "failed" && ended.reason !== undefined
        ? [{ started: 9, outcome: { status: "failed" as const, reason: ended.reason } }]
        : []
  return {
    id,
    status,
    attempts: [...before, ...last],
    passes: 0,
    ...(ended.reason !== undefined && { reason: ended.reason }),
  }
}

function observed(id: string, ended: Ended): Observation {
  const content = ended.content ?? `${id} done.`
  return {
    action_id: id,
    status: ended.status ?? "completed",
    policy: ended.policy ?? "summary",
    content,
    summary: ended.summary ?? content,
    summary_level: "final_output",
    refs: ended.refs ?? [],
    tokens: content.length,
    ...ended.observation,
  }
}

export const user = (text: string): HistoryEntry => ({ kind: "user", text })
export const answer = (text: string): HistoryEntry => ({ kind: "answer", text })
export const ran = (given: Given): HistoryEntry => ({ kind: "run", run: run(given) })

/** One token a character: what adds up in text adds up in tokens. */
export const characters = { count: (text: string): number => text.length }
