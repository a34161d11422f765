import type { Action } from "../action.ts"
import { memoryArtifacts } from "../artifacts.ts"
import { assign } from "../assignment.ts"
import { runOf } from "../conditions.ts"
import type { Executor } from "../executor.ts"
import { sha256 } from "../hash.ts"
import { expandAction } from "../node-request.ts"
import { govern, redactor } from "../policy.ts"
import { type ReferenceScope, resolveReference } from "../resolve.ts"
import type { Reason, RunEvent } from "../run.ts"
import { eventOf, type Step } from "../schedule.ts"
import { selectExecutor } from "../select.ts"
import { type Located, locate, type Workspace } from "../workspace.ts"
import {
  type Call,
  failed,
  outcomeOf,
  registered,
  runtimeExecutor,
  runtimeWork,
  workOf,
} from "./executors.ts"
import { characterTokens, everyone, type HarnessOptions, type Trace } from "./options.ts"
import type { Running } from "./running.ts"

/** Everything outside of a run: executors, permission, files, time and the store. */
export class World {
  readonly clock
  readonly artifacts
  readonly tokenizer
  readonly budget
  readonly contextBudget
  readonly limits
  readonly redact
  readonly runs = new Map<string, Running>()
  private readonly options: HarnessOptions
  private dead = false

  constructor(options: HarnessOptions) {
    this.options = options
    this.clock = options.clock
    this.artifacts = options.artifacts ?? memoryArtifacts()
    this.tokenizer = options.tokenizer ?? characterTokens
    this.budget = options.budget ?? 4000
    this.contextBudget = options.context_budget ?? 16_000
    this.limits = options.limits ?? {}
    this.redact = redactor(options.secrets ?? [])
  }

  crash(): void {
    this.dead = true
  }

  crashed(): boolean {
    return this.dead
  }

  trace(entry: Trace): void {
    this.options.trace?.(entry)
  }

  registry() {
    const executors = Object.entries(this.options.executors).map(([name, fake]) => registered(name, fake))
    const policy = this.options.selection ?? {}
    return {
      executors: [...executors, runtimeExecutor],
      authority: this.options.authority ?? everyone,
      policy,
    }
  }

  scope(run: Running, actions: readonly Action[]): ReferenceScope {
    const { goal } = this.options
    return {
      run_id: run.run_id,
      ...(goal === undefined ? {} : { goal }),
      sections: run.declaration.sections,
      actions,
      runs: run.state.actions,
      artifacts: this.artifacts,
      owns: (run_id) => this.runs.get(run_id)?.owner === run.owner,
    }
  }

  /** The text of the prompt, as far as it is known: an approval is for these words. */
  prompt(action: Action, scope: ReferenceScope): string {
    if (action.prompt_ref === undefined) return ""
    const found = resolveReference(action.prompt_ref, scope)
    return found.ok ? found.text : ""
  }

  async persist(run: Running, events: readonly RunEvent[]): Promise<boolean> {
    const { store } = this.options
    const durable = new Set(run.graph.actions.flatMap(({ id, persist }) => (persist ? [id] : [])))
    const kept = events.filter((event) => ("id" in event ? durable.has(event.id) : run.graph.persist))
    if (store === undefined || !run.stored || kept.length === 0) return true
    try {
      await store.append(run.run_id, kept)
      return true
    } catch {
      return false
    }
  }

  async perform(run: Running, step: Step): Promise<void> {
    switch (step.type) {
      case "signal": {
        const flight = run.flights.get(step.id)
        if (flight === undefined) return
        flight.signaled = true
        flight.controller.abort()
        return
      }
      case "settle":
      case "wait":
        await run.commit(eventOf(step, this.clock.now()))
        return
      case "start":
        await this.start(run, step)
    }
  }

  /** Everything is checked again here: what was true when the graph was accepted may have changed. */
  private async start(run: Running, { id, attempt }: Extract<Step, { type: "start" }>): Promise<void> {
    const action = run.graph.actions.find((candidate) => candidate.id === id)
    if (action === undefined) return
    const selected = selectExecutor(action, run.registry.executors, run.authority, this.options.selection)
    if (!selected.ok) {
      const [first] = selected.issues
      const code = first?.code === "not_permitted" ? "not_permitted" : "no_executor"
      return this.settle(run, id, "failed", { code, message: first?.message ?? "", action_id: id })
    }
    this.trace({ action_id: id, step: "validated" })
    const { chosen, requested, reason } = selected.value
    const denied = this.denial(action, chosen)
    if (denied !== undefined)
      return this.settle(run, id, "failed", { code: "not_permitted", message: denied, action_id: id })
    this.trace({ action_id: id, step: "permitted" })
    const expanded = expandAction(action, this.withFiles(run.scope(), action, chosen), {
      tokenizer: this.tokenizer,
      budget: this.contextBudget,
    })
    if (!expanded.ok) return this.settle(run, id, "blocked", expanded.reason)
    this.trace({ action_id: id, step: "expanded" })
    const controller = new AbortController()
    const call: Call = {
      action,
      attempt,
      input: action.input,
      request: expanded.request,
      signal: controller.signal,
    }
    if (chosen.type === "agent") {
      const own = this.options.agents?.[chosen.name]
      const context_bundle = expanded.request.text
      const assigned = assign({
        run_id: run.run_id,
        action,
        attempt,
        executor: chosen,
        by: run.authority,
        ...(own === undefined ? {} : { own }),
        context_bundle,
        max_depth: this.options.max_depth ?? 3,
      })
      if (!assigned.ok) {
        const message = assigned.issues[0]?.message ?? ""
        return this.settle(run, id, "failed", { code: "not_permitted", message, action_id: id })
      }
      run.assignments.push(assigned.value)
      call.assignment = assigned.value
      this.trace({ action_id: id, step: "assigned" })
    }
    const executor = { requested, chosen: chosen.name, reason }
    const at = this.clock.now()
    if (!(await run.commit({ type: "action.started", id, attempt, at, executor }))) return
    this.trace({ action_id: id, step: "logged" })
    run.flights.set(id, { controller, signaled: false })
    this.fly(run, chosen, call, controller)
  }

  private fly(run: Running, executor: Executor, call: Call, controller: AbortController): void {
    const { action, attempt } = call
    const { id } = action
    let over = false
    const end = (reply: ReturnType<typeof outcomeOf>): void => {
      if (over) return
      const { produced, spent, ...outcome } = reply
      const names = (produced ?? []).map((made) => this.keep(run, govern(action, executor), made))
      over = true
      stop?.()
      const told =
        outcome.status === "completed" && names.length > 0 ? { ...outcome, artifacts: names } : outcome
      void run.enqueue(async () => {
        run.flights.delete(id)
        if (spent !== undefined) await run.commit({ type: "run.spent", ...spent })
        await run.commit({ type: "action.ended", id, attempt, at: this.clock.now(), outcome: told })
      })
    }
    const limit = executor.time_limit_ms
    const stop =
      limit === undefined
        ? undefined
        : this.clock.after(limit, () => {
            controller.abort()
            end(failed(`${executor.name} did not answer within ${limit} ms.`, "timed_out"))
          })
    this.trace({ action_id: id, step: "called" })
    const fake = this.options.executors[executor.name]
    const work = fake === undefined ? runtimeWork(this.clock, () => completed(run)) : workOf(fake)
    // In a task of its own, so that also an executor that throws at once only fails its action.
    Promise.resolve()
      .then(() => work(call))
      .then(
        (reply) => end(outcomeOf(reply)),
        (error: unknown) => end(failed(messageOf(error), "executor_threw")),
      )
      .catch((error: unknown) => end(failed(messageOf(error))))
  }

  private keep(
    run: Running,
    action: Action,
    made: { name: string; text: string; private?: boolean },
  ): string {
    const { redact, artifacts } = this
    const text = redact(made.text)
    const ref = `artifact:${made.name}`
    const hidden = made.private === true || action.private
    const { visibility } = action
    const of = { run_id: run.run_id, action_id: action.id, name: made.name }
    artifacts.put({ ...of, ref, text, hash: sha256(text), private: hidden, visibility })
    return ref
  }

  private settle(run: Running, id: string, status: "failed" | "blocked", reason: Reason): Promise<void> {
    return run.commit({ type: "action.settled", id, status, reason }).then(() => undefined)
  }

  private denial(action: Action, executor: Executor): string | undefined {
    const { workspace } = this.options
    const denied = this.forbids({ action, executor })
    if (denied !== undefined) return denied
    for (const field of executor.files ?? []) {
      const path = action.input[field]
      if (typeof path !== "string") continue
      if (workspace === undefined) return `${path} is refused: there is no workspace.`
      const found = located(path, workspace)
      if (!found.ok) return `${path} is refused: ${found.message}.`
      const refused = this.forbids({ action, executor, path: found.path })
      if (refused !== undefined) return refused
    }
  }

  /** Who cannot say yes has not said it. */
  private forbids(asked: Parameters<NonNullable<HarnessOptions["permission"]>>[0]): string | undefined {
    try {
      return this.options.permission?.(asked)
    } catch {
      return "The permission could not be judged."
    }
  }

  private withFiles(scope: ReferenceScope, action: Action, executor: Executor): ReferenceScope {
    const { workspace } = this.options
    if (workspace === undefined) return scope
    return {
      ...scope,
      readFile: (path) => {
        const found = located(path, workspace)
        if (!found.ok) return found
        const denied = this.forbids({ action, executor, path: found.path })
        if (denied !== undefined) return { ok: false, message: denied }
        try {
          return { ok: true, text: this.redact(workspace.read(found.path)) }
        } catch {
          return unreadable
        }
      },
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const unreadable = { ok: false, message: "it cannot be read" } as const

function located(path: string, workspace: Workspace): Located {
  try {
    return locate(path, workspace)
  } catch {
    return unreadable
  }
}

const completed = (run: Running): readonly string[] =>
  run.graph.actions.flatMap(({ id }) => (runOf(run.state, id)?.status === "completed" ? [id] : []))
