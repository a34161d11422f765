import type { Action } from "../action.ts"
import { type Assignment, workerOutcome } from "../assignment.ts"
import type { WorkerOutcome } from "../declaration/normalized.ts"
import type { Executor } from "../executor.ts"
import type { NodeRequest } from "../node-request.ts"
import type { ActionOutcome } from "../run.ts"
import { runtimeOperation, runtimeOperations } from "../runtime-operations.ts"
import type { Clock } from "./clock.ts"

/** All that an executor is given. */
export type Call = {
  action: Action
  attempt: number
  input: Readonly<Record<string, unknown>>
  request: NodeRequest
  signal: AbortSignal
  /** Only for agents. */
  assignment?: Assignment
}

export type Produced = { name: string; text: string; private?: boolean }
export type Outcome = ActionOutcome & {
  produced?: readonly Produced[]
  spent?: { tokens?: number; cost?: number }
}
export type Reply = string | Outcome | WorkerOutcome
export type Work = (call: Call) => Reply | Promise<Reply>

/** A bare function is a tool. A human has no work; a pipeline has steps instead. */
export type FakeExecutor =
  | Work
  | (Partial<Omit<Executor, "name">> & {
      work?: Work
      steps?: readonly { name: string; work: Work }[]
    })

export function registered(name: string, fake: FakeExecutor): Executor {
  if (typeof fake === "function") return { name, type: "tool", description: name, capabilities: [] }
  const { work: _, steps: __, ...rest } = fake
  return { type: "tool", description: name, capabilities: [], ...rest, name }
}

export function workOf(fake: FakeExecutor): Work {
  if (typeof fake === "function") return fake
  if (fake.steps !== undefined) return pipeline(fake.steps)
  return fake.work ?? (() => failed("It cannot do anything."))
}

/** Executors come from elsewhere, so that what they give is looked at before it is believed. */
export function outcomeOf(reply: Reply | undefined): Outcome {
  if (typeof reply === "string") return { status: "completed", output: reply }
  if (typeof reply !== "object" || reply === null || !statuses.has(reply.status))
    return failed("It gave no outcome.")
  return reply.status === "completed" || reply.status === "failed" ? reply : workerOutcome(reply)
}

const statuses: ReadonlySet<string> = new Set([
  "completed",
  "failed",
  "success",
  "failure",
  "error",
  "reply",
  "skipped",
])

export const failed = (
  message: string,
  code: "executor_failed" | "executor_threw" | "timed_out" = "executor_failed",
) => ({ status: "failed", reason: { code, message } }) as const

/** One step after the other, each with what the step before gave; the first failure is the end. */
function pipeline(steps: readonly { name: string; work: Work }[]): Work {
  return async (call) => {
    let last: Outcome = { status: "completed", output: "" }
    for (const { name, work } of steps) {
      const input = { ...call.input, previous: last.output ?? "" }
      try {
        last = outcomeOf(await work({ ...call, input }))
      } catch (error) {
        last = failed(String(error), "executor_threw")
      }
      if (last.status === "failed")
        return { ...last, reason: { ...last.reason, message: `Step ${name}: ${last.reason.message}` } }
    }
    return last
  }
}

export const runtimeExecutor: Executor = {
  name: "runtime",
  type: "runtime",
  description: "Control operations of the runtime itself.",
  capabilities: [...runtimeOperations],
  side_effects: ["read"],
  idempotent: true,
}

/** The runtime's own operations, on the context that the action names. */
export function runtimeWork(clock: Clock, completed: () => readonly string[]): Work {
  return ({ action, input, request, signal }) => {
    const texts = request.context.map(({ text }) => text)
    switch (runtimeOperation(action)) {
      case "wait": {
        const ms = typeof input.ms === "number" ? input.ms : 0
        return new Promise((resolve) => {
          const stop = clock.after(ms, () => resolve(`Waited ${ms} ms.`))
          signal.addEventListener("abort", () => {
            stop()
            resolve(failed("The wait was stopped."))
          })
        })
      }
      case "merge":
        return texts.join("\n\n")
      case "checkpoint":
        return `Completed so far: ${completed().join(", ") || "nothing"}.`
      case "summarize":
        return texts.map((text) => text.split("\n", 1)[0]).join("\n")
      case "expand_references":
        return request.context.map(({ ref, text }) => `${ref}\n${text}`).join("\n\n")
      case undefined:
        return failed(`The runtime does not offer ${action.operation}.`)
    }
  }
}
