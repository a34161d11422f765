import type { ModelRequest, SessionState, Turn } from "@factum/facts"
import {
  type Artifacts,
  buildReport,
  type Checked,
  type Declared,
  declarationArtifact,
  expandRefs,
  expansionRecord,
  type HistoryEntry,
  memoryArtifacts,
  observeRun,
  type ProtocolIssue,
  type ReferenceScope,
  type RunRecord,
  reportRecord,
  type Tokenizer,
} from "@factum/protocol"
import type { Agent } from "../agent.ts"
import type { BlobStore } from "../ports/log.ts"
import { planOf } from "./plan.ts"
import { decisionOn, type Run, type RunMeans, runAt, runNamed, settledRun, spokenAfter } from "./runs.ts"
import { shownText } from "./spoken.ts"

/** What one result may take of the model's context, in tokens. */
const budget = 16_000

export type Means = { state: SessionState; agent: Agent; blobs: BlobStore; tokenizer: Tokenizer }

/** What a finished answer of an agent that declares came to, as the model is told of it. */
export function entryOf(means: Means, request: ModelRequest, artifacts: Artifacts): HistoryEntry {
  const { agent, tokenizer } = means
  const plan = planOf(request, agent)
  const limits = { tokenizer, budget }
  switch (plan.kind) {
    case "answer":
    case "stop":
      return { kind: "answer", text: plan.text }
    case "cut":
      return { kind: "answer", text: shownText(request) }
    case "refused":
      return { kind: "refused", issues: plan.issues }
    case "expand": {
      const scope = outside(means, request, plan.declaration, artifacts)
      const found = expandRefs(plan.declaration.refs, scope, limits)
      return withDeclaration(expansionRecord(request.request_id, plan.declaration, found), artifacts)
    }
    case "report": {
      const built = buildReport(plan.report, outside(means, request, plan.declaration, artifacts))
      if (!built.ok) return { kind: "refused", issues: built.issues }
      const report = reportRecord(request.request_id, plan.declaration, built.value, tokenizer)
      return withDeclaration(report, artifacts)
    }
    case "decide":
      return told(means, decidedRun(means, request), request, artifacts)
    case "run":
    case "plan":
      return told(means, runAt(runMeans(means), request), request, artifacts)
  }
}

/** The run that a decision is about, if the decision is one that it allows. */
export function decidedRun(means: Means, request: ModelRequest): Checked<Run> {
  const plan = planOf(request, means.agent)
  const about = runMeans(means)
  if (plan.kind !== "decide") return runNamed(about, request, "")
  const run = runNamed(about, request, plan.declaration.decision.run_id)
  if (!run.ok) return run
  const now = { ...run.value, state: settledRun(about, run.value, run.value.state) }
  const decided = decisionOn(now, plan, 0)
  return decided.ok ? run : decided
}

/** Why nothing came of a declaration that could be read. */
export function refusalOf(means: Means, request: ModelRequest): readonly ProtocolIssue[] | undefined {
  const plan = planOf(request, means.agent)
  if (plan.kind === "refused") return plan.issues
  if (plan.kind !== "decide" && (plan.kind !== "run" || plan.revises === undefined)) return undefined
  const found = plan.kind === "decide" ? decidedRun(means, request) : runAt(runMeans(means), request)
  return found.ok ? undefined : found.issues
}

/** The run as it stood when the model was told of it: until it was decided on, or until now. */
function told(means: Means, found: Checked<Run>, teller: ModelRequest, artifacts: Artifacts): HistoryEntry {
  if (!found.ok) return { kind: "refused", issues: found.issues }
  const { request } = found.value
  const next = spokenAfter(runMeans(means), request, teller)
  const run = runAt(runMeans(means), request, next?.opened)
  const all = runAt(runMeans(means), request)
  if (!run.ok || !all.ok || run.value.declaration === undefined)
    return { kind: "answer", text: shownText(request) }
  const { superseded_by } = all.value
  const record = observed(means, run.value, artifacts)
  return withDeclaration(superseded_by === undefined ? record : { ...record, superseded_by }, artifacts)
}

function observed(means: Means, run: Run, artifacts: Artifacts): RunRecord {
  const { declaration, graph, run_id } = run
  if (declaration === undefined) throw new Error(`${run_id} was not declared`)
  const state = settledRun(runMeans(means), run, run.state)
  const { tokenizer } = means
  return observeRun({ run_id, declaration, graph, state }, { artifacts, tokenizer, budget })
}

/** A run that is told in short names its declaration, so it must be found. */
function withDeclaration(run: RunRecord, artifacts: Artifacts): HistoryEntry {
  artifacts.put(declarationArtifact(run))
  return { kind: "run", run }
}

/** The newest run of the thread is the current one for a declaration that has none of its own. */
function outside(
  means: Means,
  request: ModelRequest,
  { sections }: Declared,
  artifacts: Artifacts,
): ReferenceScope {
  const { state, agent } = means
  const last = requestsBefore(means, request).findLast((one) => planOf(one, agent).kind === "run")
  const run = last === undefined ? undefined : runAt(runMeans(means), last)
  const goal = goalOf(state.entities.turns[request.turn_id])
  const current = run?.ok
    ? { run_id: run.value.run_id, actions: run.value.graph.actions, runs: run.value.state.actions }
    : { run_id: request.request_id, actions: [], runs: {} }
  return { ...current, goal, sections, artifacts, owns: () => true }
}

export const runMeans = (means: Means): RunMeans => ({ ...means, reach: reachOf(means) })

/** What the references of a run may name. Results of earlier runs are looked up only when one is asked for. */
function reachOf(means: Means): NonNullable<RunMeans["reach"]> {
  return ({ request, declaration, graph }, state) => ({
    run_id: request.request_id,
    goal: goalOf(means.state.entities.turns[request.turn_id]),
    sections: declaration?.sections ?? [],
    actions: graph.actions,
    runs: state.actions,
    artifacts: earlierResults(means, request),
    owns: () => true,
  })
}

function earlierResults(means: Means, request: ModelRequest): Artifacts {
  let found: Artifacts | undefined
  const all = (): Artifacts => {
    const artifacts = memoryArtifacts()
    for (const one of requestsBefore(means, request)) {
      // Without references: what is looked for here cannot depend on what is looked for there.
      const run = runAt({ ...means }, one)
      if (run.ok && run.value.declaration !== undefined) {
        const { run_id, graph, state, declaration } = run.value
        const about = { run_id, declaration, graph, state }
        withDeclaration(observeRun(about, { artifacts, tokenizer: means.tokenizer, budget }), artifacts)
      }
    }
    return artifacts
  }
  return {
    get(ref) {
      found ??= all()
      return found.get(ref)
    },
    put: () => {},
  }
}

/** The finished answers of the thread up to a request, that one included. */
function requestsBefore({ state }: Means, request: ModelRequest): ModelRequest[] {
  const { modelRequests, turns } = state.entities
  const thread_id = turns[request.turn_id]?.thread_id
  return Object.values(modelRequests)
    .filter(
      (one) =>
        one.status === "completed" &&
        one.opened <= request.opened &&
        turns[one.turn_id]?.thread_id === thread_id,
    )
    .sort((a, b) => a.opened - b.opened)
}

export const goalOf = (turn: Turn | undefined): string =>
  (turn?.input ?? [])
    .map((part) => (part.kind === "text" ? part.text : `[${part.kind}: ${part.ref.uri}]`))
    .join("\n")
