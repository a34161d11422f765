import { runOf } from "../conditions.ts"
import { cancelRun, decideRun, findRun, type Revision, reviseRun } from "../control.ts"
import type { Declaration, Declared } from "../declaration/normalized.ts"
import type { Authority } from "../executor.ts"
import { expandRefs } from "../expand.ts"
import { type Workflow, workflowAdapter } from "../flow.ts"
import { type Checked, issue, type ProtocolIssue, refuse } from "../issues.ts"
import { orderOf } from "../order.ts"
import { placeOf } from "../place.ts"
import { mayResume } from "../policy.ts"
import { declarationArtifact } from "../replay.ts"
import { buildReport } from "../report.ts"
import type { ReferenceScope } from "../resolve.ts"
import type { RunEvent } from "../run.ts"
import { type Answer, everyone, type HarnessOptions } from "./options.ts"
import { Running } from "./running.ts"
import { World } from "./world.ts"

export type Harness = ReturnType<typeof createHarness>

/** A runtime in memory: it accepts declarations, runs their graphs and answers. */
export function createHarness(options: HarnessOptions) {
  const world = new World(options)
  const { runs, clock } = world
  const self = options.authority ?? everyone
  const nextId = options.run_id ?? ((count) => `run_${count}`)

  /** Checks, stores and starts; gives the run as soon as it is under way. */
  async function begin(
    asked: Declaration,
    as: Authority = self,
    before: Partial<Revision> & { approvals?: Running["approvals"] } = {},
    /** What has to be stored before the run starts. */
    first: (run: Running) => Promise<unknown> = async () => {},
  ): Promise<Checked<Running>> {
    if (!("graph" in asked)) return refuse(notRunnable)
    const declaration = world.redact(asked)
    const graph = world.redact(before.graph ?? declaration.graph)
    const run_id = nextId(runs.size + 1)
    const run = new Running(world, { run_id, authority: as, declaration, graph })
    run.approvals = before.approvals ?? []
    const issues = run.issues({ place: placeOf(asked.graph), ...before })
    if (issues.length > 0) return { ok: false, issues }
    const opening: RunEvent[] = [{ type: "run.accepted", run_id, at: clock.now() }, ...(before.carried ?? [])]
    if (!(await store(run, opening))) return refuse(notStored)
    runs.set(run_id, run)
    world.artifacts.put(declarationArtifact(run.record()))
    for (const event of opening) run.take(event)
    await first(run)
    if (declaration.intent !== "plan") void run.enqueue(async () => undefined)
    return { ok: true, value: run }
  }

  /** A durable run is stored before anything starts. A run that is not leaves only its name. */
  async function store(run: Running, events: readonly RunEvent[]): Promise<boolean> {
    const durable = run.graph.persist || run.graph.actions.some(({ persist }) => persist)
    const { run_id, authority, declaration, graph } = run
    try {
      await options.store?.create({ run_id, authority, declaration, graph, events })
      run.stored = options.store !== undefined && durable
      return true
    } catch {
      return !durable
    }
  }

  /** Does what a declaration asks and answers when nothing more will happen by itself. */
  async function run(declaration: Declaration, as: Authority = self): Promise<Answer> {
    if (!as.enabled)
      return refuse(issue("not_enabled", "", `${as.agent} may not use the protocol.`, "Answer in text."))
    switch (declaration.intent) {
      case "execute":
      case "plan": {
        if ("report" in declaration) {
          const text = buildReport(declaration.report, outside(as, declaration))
          return text.ok ? { ok: true, kind: "report", text: text.value } : text
        }
        return settled(await begin(declaration, as))
      }
      case "revise":
        return revise(declaration, as)
      case "expand_ref": {
        const limits = { tokenizer: world.tokenizer, budget: world.budget }
        return {
          ok: true,
          kind: "expansion",
          expansions: expandRefs(declaration.refs, outside(as, declaration), limits),
        }
      }
      case "decide": {
        const { decision } = declaration
        return change(decision.run_id, as, (found) => decideRun(found, decision))
      }
      case "cancel": {
        const { run_id, reason } = declaration.decision
        return cancel(run_id, reason, as)
      }
      case "answer":
        return { ok: true, kind: "message", text: declaration.message }
      case "done":
        return { ok: true, kind: "message", text: declaration.message ?? "" }
      case "outcome":
        return { ok: true, kind: "message", text: declaration.outcome.message ?? "" }
    }
  }

  async function settled(begun: Checked<Running>): Promise<Answer> {
    if (!begun.ok) return begun
    if (begun.value.declaration.intent !== "plan") await begun.value.rest()
    return { ok: true, kind: "run", record: begun.value.record() }
  }

  async function change(
    run_id: string,
    as: Authority,
    decided: (run: Running) => Checked<readonly RunEvent[]>,
  ): Promise<Answer> {
    const found = findRun(runs.values(), run_id, as.agent)
    if (!found.ok) return found
    let issues: readonly ProtocolIssue[] | undefined
    await found.value.enqueue(async () => {
      const events = decided(found.value)
      if (events.ok) await found.value.commit(...events.value)
      else issues = events.issues
    })
    return issues === undefined ? settled(found) : { ok: false, issues }
  }

  const cancel = (run_id: string, reason = "It was canceled.", as: Authority = self): Promise<Answer> =>
    change(run_id, as, (found) => cancelRun(found, clock.now(), reason))

  async function revise(
    declaration: Extract<Declaration, { intent: "revise" }>,
    as: Authority,
  ): Promise<Answer> {
    const found = findRun(runs.values(), declaration.run_id, as.agent)
    if (!found.ok) return found
    const old = found.value
    let begun: Checked<Running> = refuse(notStored)
    // In the line of the old run, so that nothing of it starts or ends between the check and its end.
    await old.enqueue(async () => {
      begun = await replace(old, declaration, as)
    })
    return settled(begun)
  }

  async function replace(
    old: Running,
    declaration: Extract<Declaration, { intent: "revise" }>,
    as: Authority,
  ): Promise<Checked<Running>> {
    const revision = reviseRun(old, old.events, declaration.graph)
    if (!revision.ok) return revision
    const approvals = Object.values(old.state.actions).flatMap(({ id, approved, input_hash, attempts }) =>
      approved === true && input_hash !== undefined && attempts.length === 0
        ? [{ action_id: id, input_hash }]
        : [],
    )
    return begin(declaration, as, { ...revision.value, approvals }, ({ run_id }) => {
      old.superseded_by = run_id
      return old.commit({ type: "run.revised", kept: revision.value.kept })
    })
  }

  /** What a person says: an answer to a question, or yes or no to exactly what was shown. */
  async function answer(run_id: string, id: string, said: string | boolean): Promise<Answer> {
    return change(run_id, self, (found) => {
      const action = runOf(found.state, id)
      if (action?.status !== "waiting")
        return refuse(issue("wrong_run_state", "", `${id} waits for nobody.`, "Answer only what was asked."))
      const given =
        typeof said === "string" ? { output: said } : { approved: said, input_hash: action.input_hash ?? "" }
      return { ok: true, value: [{ type: "action.answered", id, at: clock.now(), answer: given }] }
    })
  }

  /** After a crash, over the same store: durable runs go on, others are said to have ended. */
  async function resume(): Promise<void> {
    for (const stored of (await options.store?.load()) ?? []) {
      const run = new Running(world, stored)
      runs.set(run.run_id, run)
      world.artifacts.put(declarationArtifact(run.record()))
      run.stored = run.graph.persist
      for (const event of stored.events) run.take(event)
      const lost = maybeStarted(run)
      await run.enqueue(async () => {
        const reason = "The runtime was restarted, and this run was not stored."
        if (!run.graph.persist) await run.commit({ type: "run.canceled", at: clock.now(), reason })
        else if (lost.length > 0) await run.commit(...lost)
      })
      await run.rest()
    }
  }

  /** Actions that are not stored may have run before the crash: what is not safe to repeat needs a decision. */
  function maybeStarted(run: Running): readonly RunEvent[] {
    const graph = run.treated()
    const { needs } = orderOf(graph)
    return graph.actions.flatMap((action): RunEvent[] => {
      const open = runOf(run.state, action.id)?.status === "pending" && !action.persist && !mayResume(action)
      const ready = needs.get(action.id)?.every((id) => runOf(run.state, id)?.status === "completed")
      const message = `Whether ${action.id} ran before the restart is not known.`
      const reason = { code: "outcome_unknown", message, action_id: action.id } as const
      return open && ready === true ? [{ type: "action.waiting", id: action.id, reason }] : []
    })
  }

  /** References of a declaration that has no run of its own: the newest run of the agent is the current one. */
  function outside(as: Authority, declared: Declared): ReferenceScope {
    const own = [...runs.values()].filter(({ owner }) => owner === as.agent)
    const current = own.at(-1)
    const owns = (run_id: string) => own.some((candidate) => candidate.run_id === run_id)
    const none = {
      run_id: "",
      sections: declared.sections,
      actions: [],
      runs: {},
      artifacts: world.artifacts,
      owns,
    }
    return current === undefined ? none : { ...current.scope(), sections: declared.sections, owns }
  }

  return {
    run,
    begin,
    answer,
    cancel,
    resume,
    crash: () => world.crash(),
    /** The only way that a workflow starts. */
    runWorkflow: async (workflow: Workflow): Promise<Answer> => {
      const graph = (options.workflows ?? workflowAdapter).toGraph(workflow)
      const declared = { version: "1", origin: "workflow", source: "", sections: [], extensions: {} } as const
      return settled(await begin({ ...declared, intent: "execute", graph }))
    },
    rest: async (run_id: string) => runs.get(run_id)?.rest(),
    record: (run_id: string) => runs.get(run_id)?.record(),
    events: (run_id: string) => runs.get(run_id)?.events ?? [],
    assignments: (run_id: string) => runs.get(run_id)?.assignments ?? [],
    artifacts: world.artifacts,
  }
}

const notRunnable = issue(
  "unsupported_payload",
  "payload",
  "There is no graph to run.",
  "Give an action_graph.",
)
const notStored = issue(
  "not_permitted",
  "persist",
  "The run could not be stored, so nothing was started.",
  "Try again.",
)
