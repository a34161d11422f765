import type { CommandResult, SessionState } from "@factum/facts"
import { realPath } from "./adapters/tools/paths.ts"
import type { Agent } from "./agent.ts"
import type { Command } from "./commands.ts"
import { onward } from "./control/actions.ts"
import { actionScope, callScope, permissionFor, permissionScope, versionOf } from "./control/calls.ts"
import { misplaced } from "./control/thread-view.ts"
import { accept, type Decision, type Draft, type Given, type Refused, reject } from "./decision.ts"
import { recordedInput } from "./execution/call-facts.ts"
import { judgeCall } from "./execution/gate.ts"
import { argumentsOf } from "./execution/plan.ts"
import { readRef } from "./outputs/spill.ts"
import { type Explanation, policyIn, type Voice } from "./policy/index.ts"
import type { Ids } from "./ports/clock.ts"
import type { BlobStore } from "./ports/log.ts"
import type { Tool, Touch, Workspace } from "./ports/tool.ts"
import { noSession } from "./reads.ts"

export type PermissionCommand = Extract<Command, { name: "evaluate_permission" | "resolve_permission" }>
type Evaluate = Extract<PermissionCommand, { name: "evaluate_permission" }>["input"]
type Resolve = Extract<PermissionCommand, { name: "resolve_permission" }>["input"]

export type JudgingPorts = {
  /** Who works in the session. */
  agent: (state: SessionState) => Promise<Agent>
  blobs: BlobStore
  ids: Ids
}

/** How the operation that a command is about is judged under the policy of the moment. */
export type JudgedNow = { ok: true; session_id: string; explained: Explanation; evaluation_id: string }

export async function judgeFor(
  command: PermissionCommand,
  ports: JudgingPorts,
  peek: (session_id: string) => SessionState,
  given: Given,
): Promise<JudgedNow | Refused> {
  const scope = command.name === "evaluate_permission" ? command.input : locate(command.input, given)
  if ("ok" in scope) return scope
  const { session_id } = scope
  const state = peek(session_id)
  if (state.entities.sessions[session_id] === undefined) return noSession(session_id)
  const agent = await ports.agent(state)
  const subject =
    command.name === "evaluate_permission"
      ? (outside(command.input, state, given) ?? (await subjectOf(command.input, state, agent, ports)))
      : requested(command.input, state, agent, ports)
  if ("ok" in subject) return subject
  const { tool, input, kind, voices } = subject
  const policy = policyIn(agent.policy, state, subject.turn_id, given.now())
  const { explained } = await judgeCall(tool, input, { ...agent, policy }, given.mask, { kind, voices })
  return { ok: true, session_id, explained, evaluation_id: ports.ids.next("evaluation") }
}

export function decidePermission(
  command: PermissionCommand,
  state: SessionState,
  judged: JudgedNow,
  given: Given,
): Decision {
  return command.name === "evaluate_permission"
    ? evaluated(command.input, state, judged)
    : resolvePermission(command.input, state, judged, given)
}

/** A verdict on record; it opens no request and lets nothing run. */
function evaluated(
  { session_id, thread_id, turn_id, tool_call_id, action_id }: Evaluate,
  state: SessionState,
  { explained, evaluation_id }: JudgedNow,
): Decision<CommandResult<"evaluate_permission">> {
  const call = state.entities.toolCalls[tool_call_id ?? ""]
  const ids = call === undefined ? { session_id, ...defined({ thread_id, turn_id }) } : callScope(state, call)
  const payload = { evaluation_id, ...explained }
  const fact: Draft = { type: "permission.evaluated", ...ids, ...defined({ action_id }), payload }
  return accept({ verdict: explained.verdict, explanation: payload }, [fact])
}

/** An authority that is no person decides an open request that waits for it. */
function resolvePermission(
  { request_id, decision, authority, reason, grant }: Resolve,
  state: SessionState,
  { explained }: JudgedNow,
  given: Given,
): Decision<CommandResult<"resolve_permission">> {
  const request = state.entities.permissionRequests[request_id]
  const more = { field: "request_id", id: request_id }
  if (request?.asked === undefined) return reject("not_found", `No request ${request_id} is known.`, more)
  if (request.status !== "pending") {
    const message = "The request was decided before."
    return reject("already_resolved", message, { ...more, state: request.status })
  }
  const { waits_for, deadline } = request.asked
  if (waits_for === "human") {
    const fix = `Let a person answer ${request.action_id} with respond_action.`
    const message = `This waits for a person, who answers ${request.action_id}.`
    return reject("wrong_state", message, { ...more, state: "waits_for_human", fix })
  }
  if (waits_for !== authority.kind) {
    const message = `This waits for the ${waits_for}, not for the ${authority.kind}.`
    return reject("not_permitted", message, { field: "authority.kind", state: waits_for })
  }
  if (deadline !== undefined && given.now() >= Date.parse(deadline))
    return reject("already_resolved", "The time for a decision is over.", { ...more, state: "expired" })
  if (decision === "allow" && explained.verdict === "deny") {
    const message = `It is denied by ${explained.winner.source}: ${explained.winner.rule}.`
    return reject("not_permitted", message, { field: "decision", fix: "Change the policy, or deny." })
  }
  const action = state.entities.actions[request.action_id ?? ""]
  if (action === undefined) return reject("not_found", "Its action is not known any more.", more)
  const decider = { kind: authority.kind, id: authority.id }
  const outcome = decision === "allow" ? "allowed" : "denied"
  const scope = actionScope(state, action)
  const told = defined({ note: reason })
  const open = permissionFor(state, action) ?? request
  return accept({ request_id, outcome }, [
    { type: "action.resolved", ...scope, payload: { reason: "answered", decision, decider, ...told } },
    {
      type: "permission.resolved",
      ...permissionScope(state, action),
      payload: {
        ...{ request_id, outcome, decider, policy_version: versionOf(state, open) },
        ...defined({ reason, grant }),
      },
    },
    ...onward(state, [action]),
  ])
}

function locate({ request_id, session_id }: Resolve, given: Given): { session_id: string } | Refused {
  const place = given.place(request_id)
  const more = { field: "request_id", id: request_id }
  if (place?.kind !== "request") return reject("not_found", `No request ${request_id} is known.`, more)
  if (session_id === undefined || session_id === place.session_id) return { session_id: place.session_id }
  return reject("scope_mismatch", `${request_id} does not belong to the session that was named.`, more)
}

/** An id of the scope that lives elsewhere, or nowhere. */
function outside(
  { session_id, thread_id, turn_id, tool_call_id, action_id }: Evaluate,
  state: SessionState,
  given: Given,
): Refused | undefined {
  const named = [
    [thread_id, "thread_id"],
    [turn_id, "turn_id"],
    [action_id, "action_id"],
  ] as const
  for (const [id, field] of named) {
    const wrong = id === undefined ? undefined : misplaced(given, id, field, { session_id })
    if (wrong !== undefined) return wrong
  }
  if (tool_call_id === undefined || state.entities.toolCalls[tool_call_id] !== undefined) return undefined
  const message = `No call ${tool_call_id} is known in this session.`
  return reject("not_found", message, { field: "tool_call_id", id: tool_call_id })
}

type Judgeable = Pick<Tool, "name" | "owner" | "side_effects" | "touches">
type Subject = {
  tool: Judgeable
  input: Readonly<Record<string, unknown>>
  kind: Explanation["operation"]["kind"]
  turn_id: string
  voices: readonly Voice[]
}

/** The operation as the request was made for it: the call's own input. */
function requested(
  { request_id }: Resolve,
  state: SessionState,
  agent: Agent,
  { blobs }: JudgingPorts,
): Subject | Refused {
  const request = state.entities.permissionRequests[request_id]
  const call = state.entities.toolCalls[request?.tool_call_id ?? ""]
  const tool = agent.tools.find(({ name }) => name === call?.tool)
  const input = call === undefined ? undefined : recordedInput(call, blobs)
  const turn_id = request?.turn_id ?? ""
  const name = request?.asked?.operation.name ?? "unknown"
  if (tool === undefined || input === undefined)
    return { tool: unseen(name), input: {}, kind: "tool", turn_id, voices: [incomplete] }
  return { tool, input, kind: "tool", turn_id, voices: [] }
}

/** What is not given whole cannot be allowed. */
const incomplete: Voice = {
  source: "host",
  verdict: "error",
  rule: "the operation was not given whole",
}

const unseen = (name: string, touches: readonly Touch[] = []): Judgeable => ({
  name,
  owner: "unknown",
  side_effects: ["write"],
  touches: async () => touches,
})

async function subjectOf(
  { operation, tool_call_id, turn_id = "" }: Evaluate,
  state: SessionState,
  agent: Agent,
  { blobs }: JudgingPorts,
): Promise<Subject | Refused> {
  const { kind, name, summary, input_ref } = operation
  const voices = summary.whole ? [] : [incomplete]
  const text = summary.text
  if (kind === "process" || kind === "file" || kind === "network") {
    const touches = [await touchOf(kind, text, agent.workspace)]
    return { tool: unseen(name, touches), input: { [kind]: text }, kind, turn_id, voices }
  }
  const tool = agent.tools.find((one) => one.name === name)
  if (tool === undefined) {
    if (kind !== "tool") return { tool: unseen(name), input: { text }, kind, turn_id, voices }
    return reject("not_found", `There is no tool ${name}.`, { field: "operation.name", id: name })
  }
  const call = state.entities.toolCalls[tool_call_id ?? ""]
  const found = input_ref === undefined ? undefined : readRef(input_ref, blobs)
  if (found !== undefined && !found.ok)
    return reject("not_found", found.message, { field: "operation.input_ref" })
  const given = found?.ok ? argumentsOf(Buffer.from(found.bytes).toString("utf8")) : undefined
  const input = given ?? (call === undefined ? undefined : recordedInput(call, blobs))
  if (input === undefined) return { tool: unseen(name), input: {}, kind, turn_id, voices: [incomplete] }
  const [problem] = tool.check(input)
  if (problem === undefined) return { tool, input, kind, turn_id, voices: [] }
  const message = `The input does not fit ${name}: ${problem.path} ${problem.message}`
  return reject("invalid_input", message, { field: "operation.input_ref" })
}

async function touchOf(
  kind: "process" | "file" | "network",
  text: string,
  { cwd }: Workspace,
): Promise<Touch> {
  if (kind === "process") return { kind: "command", command: text, cwd }
  if (kind === "network") return { kind: "network", url: text }
  return { kind: "write", path: await realPath(text, cwd) }
}

function defined<T extends Record<string, unknown>>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}
