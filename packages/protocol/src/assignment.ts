import { z } from "zod"
import type { Action } from "./action.ts"
import { outputRef } from "./artifacts.ts"
import type { WorkerOutcome } from "./declaration/normalized.ts"
import type { Authority, Executor } from "./executor.ts"
import { type Checked, issue, refuse } from "./issues.ts"
import { intersect } from "./policy.ts"
import type { ActionOutcome } from "./run.ts"

/** Who does an action, with what authority, from what context, and where the result goes. */
export type Assignment = {
  id: string
  run_id: string
  action_id: string
  executor: string
  authority: Authority
  /** All that the agent is given: nothing of the conversation comes along. */
  context_bundle: string
  input: Readonly<Record<string, unknown>>
  expected_result: { description: string; return_to_model: Action["result_policy"]["return_to_model"] }
  artifacts: readonly string[]
  trace: { run_id: string; action_id: string; attempt: number; assigned_by: string; depth: number }
}

export type AssignmentRequest = {
  run_id: string
  action: Action
  attempt: number
  executor: Executor
  /** The agent that declared the action. */
  by: Authority
  /** What the assigned agent may do by itself; absent: whatever its declarer may. */
  own?: Authority
  context_bundle: string
  max_depth: number
}

export function assign(request: AssignmentRequest): Checked<Assignment> {
  const { run_id, action, attempt, executor, by, own, context_bundle, max_depth } = request
  const authority = intersect(by, own ?? { ...by, agent: executor.name })
  if (authority.depth > max_depth) {
    const message = `${executor.name} would work at depth ${authority.depth}; the limit is ${max_depth}.`
    return refuse(issue("not_permitted", "executor", message, "Do the work without a further delegation."))
  }
  return {
    ok: true,
    value: {
      id: `${run_id}/${action.id}/${attempt}`,
      run_id,
      action_id: action.id,
      executor: executor.name,
      authority: { ...authority, agent: executor.name },
      context_bundle,
      input: action.input,
      expected_result: {
        description: action.description ?? action.title ?? action.operation ?? action.id,
        return_to_model: action.result_policy.return_to_model,
      },
      artifacts: [outputRef(run_id, action.id)],
      trace: { run_id, action_id: action.id, attempt, assigned_by: by.agent, depth: authority.depth },
    },
  }
}

/** Only `success` is completion. A reply or a skip is told as what it is, and nothing that depends on it starts. */
export function workerOutcome({ action_id, status, message, output }: WorkerOutcome): ActionOutcome {
  const text =
    typeof output === "string" ? output : output === undefined ? (message ?? "") : JSON.stringify(output)
  const data = typeof output === "object" && output !== null ? { data: output } : {}
  if (status === "success")
    return {
      status: "completed",
      output: text,
      ...data,
      ...(message === undefined ? {} : { summary: message }),
    }
  const said = message === undefined ? "" : `: ${message}`
  const told = {
    failure: `The worker failed${said}`,
    error: `The worker met an error${said}`,
    reply: `The worker replied without finishing${said}`,
    skipped: `The worker skipped the work${said}`,
  }[status]
  const of = action_id === undefined ? {} : { action_id }
  return {
    status: "failed",
    reason: { code: "executor_failed", message: told, ...of },
    output: text,
    ...data,
  }
}

const text = z.string().min(1)
const party = z.strictObject({ kind: z.enum(["session", "person", "executor"]), id: text })

export const handoffSchema = z.strictObject({
  from: party,
  to: party,
  result_summary: text,
  evidence: z.array(z.strictObject({ claim: text, refs: z.array(text), evidenced: z.boolean() })),
  artifact_refs: z.array(text),
  risks: z.array(text),
  unresolved_issues: z.array(text),
  next: z.strictObject({ goal: text, constraints: z.array(text), dependencies: z.array(text) }),
})
export type Handoff = z.infer<typeof handoffSchema>
export type HandoffRequest = Omit<Handoff, "evidence"> & {
  claims: readonly { claim: string; refs: readonly string[] }[]
}

/** Passes work on. It carries no authority: the receiver has only its own. */
export function handOff({ claims, ...rest }: HandoffRequest): Checked<Handoff> {
  if (rest.from.kind === rest.to.kind && rest.from.id === rest.to.id) {
    const message = "The work stays where it is."
    return refuse(
      issue("invalid_field", "to", message, "Hand off only to another session, person or executor."),
    )
  }
  const evidence = claims.map(({ claim, refs }) => ({ claim, refs: [...refs], evidenced: refs.length > 0 }))
  const checked = handoffSchema.safeParse({ ...rest, evidence })
  if (checked.success) return { ok: true, value: checked.data }
  const faults = checked.error.issues.map(({ path, message }) =>
    issue("invalid_field", path.join("."), message, "Give every part of the handoff."),
  )
  return refuse(...faults)
}
