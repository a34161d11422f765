import type { Action, ActionGraph } from "../action.ts"
import { type Admission, admissionIssues, governGraph, type Roster } from "../admit.ts"
import type { Assignment } from "../assignment.ts"
import { runOf } from "../conditions.ts"
import type { Declaration } from "../declaration/normalized.ts"
import type { Authority } from "../executor.ts"
import { applyEvent, foldRun } from "../fold-run.ts"
import type { Observation } from "../observation.ts"
import { asAsked, isObserved } from "../observe-run.ts"
import { inputHash } from "../policy.ts"
import type { ReferenceScope } from "../resolve.ts"
import { observe } from "../result-policy.ts"
import type { RunEvent, RunRecord, RunState } from "../run.ts"
import { nextSteps, type Step } from "../schedule.ts"
import type { StoredRun } from "./store.ts"
import type { World } from "./world.ts"

export type Flight = { controller: AbortController; signaled: boolean }

/** One run: its events, what they add up to, and what is under way. */
export class Running {
  readonly run_id: string
  readonly owner: string
  readonly authority: Authority
  readonly declaration: Declaration
  readonly graph: ActionGraph
  readonly events: RunEvent[] = []
  readonly flights = new Map<string, Flight>()
  readonly observations: Record<string, Observation> = {}
  readonly assignments: Assignment[] = []
  /** Approvals that stand from the run that this one replaces. */
  approvals: readonly { action_id: string; input_hash: string }[] = []
  state: RunState
  superseded_by?: string
  stored = false
  private readonly world: World
  private work: Promise<unknown> = Promise.resolve()
  private waiters: (() => void)[] = []
  private governed: { of: string; graph: ActionGraph } | undefined

  constructor(world: World, run: Omit<StoredRun, "events">) {
    this.world = world
    this.run_id = run.run_id
    this.owner = run.authority.agent
    this.authority = run.authority
    this.declaration = run.declaration
    this.graph = run.graph
    this.state = foldRun(run.graph, [])
  }

  get registry(): Roster {
    return { ...this.world.registry(), authority: this.authority }
  }

  /** The graph as it is treated now. Executors come and go, so it is made anew when the registry has changed. */
  treated(): ActionGraph {
    const { registry } = this
    const of = JSON.stringify([registry.executors, registry.policy])
    if (this.governed?.of !== of) this.governed = { of, graph: governGraph(this.graph, registry) }
    return this.governed.graph
  }

  issues(of: Admission) {
    return admissionIssues(this.graph, this.registry, of)
  }

  record(): RunRecord {
    return {
      run_id: this.run_id,
      declaration: this.declaration,
      graph: asAsked(this.treated(), this.graph),
      state: this.state,
      observations: { ...this.observations },
      ...(this.superseded_by === undefined ? {} : { superseded_by: this.superseded_by }),
    }
  }

  scope(): ReferenceScope {
    return this.world.scope(this, this.treated().actions)
  }

  /** Takes events in: first the store, then the state. If the store is gone nothing starts, and the run ends. */
  async commit(...events: readonly RunEvent[]): Promise<boolean> {
    const clean = this.world.redact(events)
    const stored = await this.world.persist(this, clean)
    if (!stored) {
      this.stored = false
      this.take({ type: "run.canceled", at: this.world.clock.now(), reason: "The run could not be stored." })
    }
    for (const event of clean) if (stored || event.type !== "action.started") this.take(event)
    return stored
  }

  /** Takes in an event that is stored already, or never will be. */
  take(event: RunEvent): void {
    this.events.push(event)
    this.state = applyEvent(this.graph, this.state, event)
    if (!("id" in event)) return
    const action = this.treated().actions.find(({ id }) => id === event.id)
    const run = runOf(this.state, event.id)
    if (action === undefined || run === undefined || !isObserved(run)) return
    const { artifacts, tokenizer, budget } = this.world
    this.observations[action.id] = observe({ run_id: this.run_id, action, run, artifacts, tokenizer, budget })
    this.world.trace({ action_id: action.id, step: "observed" })
  }

  /** One thing at a time: no step is decided from a state that another one is changing. */
  enqueue(task: () => Promise<unknown>): Promise<void> {
    const next = this.work.then(async () => {
      if (this.world.crashed()) return
      await task()
      await this.advance()
    })
    this.work = next
    return next
  }

  /** When nothing more will happen by itself. */
  async rest(): Promise<void> {
    await this.work
    if (this.resting()) return
    await new Promise<void>((resolve) => this.waiters.push(resolve))
  }

  private async advance(): Promise<void> {
    for (let steps = this.steps(); steps.length > 0; steps = this.steps())
      for (const step of steps) await this.world.perform(this, step)
    if (!this.resting()) return
    for (const wake of this.waiters.splice(0)) wake()
  }

  private steps(): readonly Step[] {
    const { clock, limits } = this.world
    const in_flight = [...this.flights].flatMap(([id, { signaled }]) => (signaled ? [] : [id]))
    const scope = this.scope()
    const input_hash = (action: Action) => inputHash(action, this.world.prompt(action, scope))
    const { approvals } = this
    const now = clock.now()
    return nextSteps(this.treated(), this.state, { now, limits, approvals, in_flight, input_hash }).steps
  }

  private resting(): boolean {
    return this.steps().length === 0 && ![...this.flights.values()].some(({ signaled }) => !signaled)
  }
}
