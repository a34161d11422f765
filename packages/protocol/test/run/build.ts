import {
  type Action,
  type ActionGraph,
  type ActionOutcome,
  type ActionStatus,
  type Declaration,
  eventOf,
  foldRun,
  nextSteps,
  type RunEvent,
  type RunState,
  type Situation,
  type Step,
} from "../../src/index.ts"
import { plainAction, plainGraph } from "../../src/plain.ts"

export const act = (id: string, over: Partial<Action> = {}): Action => ({
  id,
  executor: { type: "tool", target: "work", capabilities: [] },
  ...plainAction,
  ...over,
})

export const graphOf = (actions: readonly Action[], over: Partial<ActionGraph> = {}): ActionGraph => ({
  ...plainGraph,
  actions,
  ...over,
})

const declared = {
  version: "1",
  origin: "dsl",
  source: "{}",
  sections: [],
  extensions: {},
} as const satisfies Partial<Declaration>

export const execute = (graph: ActionGraph, over: Partial<Declaration> = {}): Declaration =>
  ({ ...declared, intent: "execute", graph, ...over }) as Declaration

export const ask = (body: Partial<Declaration>): Declaration => ({ ...declared, ...body }) as Declaration

export const done = (output = "ok", data?: unknown): ActionOutcome => ({
  status: "completed",
  output,
  ...(data === undefined ? {} : { data }),
})
export const broken = (message = "It broke."): ActionOutcome => ({
  status: "failed",
  reason: { code: "executor_failed", message },
})

/** A run driven by hand: takes every step, and ends actions when it is told to. */
export class Drive {
  readonly events: RunEvent[] = [{ type: "run.accepted", run_id: "run_1", at: 0 }]
  readonly starts: string[] = []
  readonly steps: Step[] = []
  state: RunState
  now = 0
  readonly graph: ActionGraph
  private readonly situation: Partial<Situation>

  constructor(graph: ActionGraph, situation: Partial<Situation> = {}) {
    this.graph = graph
    this.situation = situation
    this.state = foldRun(graph, this.events)
    this.settle()
  }

  get running(): readonly string[] {
    return Object.values(this.state.actions).flatMap(({ id, status }) => (status === "running" ? [id] : []))
  }

  status(id: string): ActionStatus | undefined {
    return this.state.actions[id]?.status
  }

  statuses(): Record<string, ActionStatus> {
    return Object.fromEntries(Object.values(this.state.actions).map(({ id, status }) => [id, status]))
  }

  take(...events: RunEvent[]): this {
    this.events.push(...events)
    this.state = foldRun(this.graph, this.events)
    this.settle()
    return this
  }

  end(id: string, outcome: ActionOutcome = done()): this {
    const attempt = this.state.actions[id]?.attempts.length ?? 0
    return this.take({ type: "action.ended", id, attempt, at: this.now, outcome })
  }

  private settle(): void {
    for (let turn = 0; turn < 1000; turn++) {
      const { steps } = nextSteps(this.graph, this.state, { now: this.now, ...this.situation })
      const moves = steps.filter((step) => step.type !== "signal")
      this.steps.push(...steps)
      if (moves.length === 0) return
      for (const step of moves) {
        if (step.type === "start") this.starts.push(step.id)
        this.events.push(eventOf(step, this.now))
      }
      this.state = foldRun(this.graph, this.events)
    }
    throw new Error("The schedule does not come to rest.")
  }
}
