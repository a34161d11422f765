import { answerProblems } from "./answer-schema.ts"
import type { ActionOption, InputPartView } from "./events/index.ts"
import type { Intent, IntentRefusal } from "./intents.ts"
import type { ActionAnswer, Parent, PortCalls, PortName, Target } from "./ports.ts"
import type { ActionEntity, AgentEntity, AgentUiState } from "./state.ts"
import { given } from "./surfaces/who.ts"

/** A call for one port. */
export type Routed<P extends PortName = PortName> = { [K in P]: { port: K; call: PortCalls[K] } }[P]
type Routing = readonly Routed[] | IntentRefusal

const refuse = (code: IntentRefusal["code"]): IntentRefusal => ({ status: "refused", code })
const one = <P extends PortName>(port: P, call: PortCalls[P]): readonly Routed<P>[] => [
  { port, call } as Routed<P>,
]

/** Whose port takes an intent, and with what; the first of them that exists is called. */
export function route(intent: Intent, state: AgentUiState): Routing {
  switch (intent.control) {
    case "send": {
      const { control: _, ...call } = intent
      return one("runtime.submit", call)
    }
    case "queue": {
      const { control: _, ...call } = intent
      return one("runtime.queue", call)
    }
    case "steer": {
      const { control: _, ...call } = intent
      const run = state.runs.get(intent.runId)
      return !run || run.ended
        ? refuse("no_target")
        : one("runtime.steer", { ...call, ...given({ turnId: run.origin.turnId }) })
    }
    case "interrupt": {
      const { control: _, reason = "user", ...call } = intent
      return one("runtime.interrupt", { ...call, reason })
    }
    case "delegate": {
      const run = state.runs.get(intent.runId)
      const parent = run && parentOf(run.origin)
      if (!parent) return refuse("no_target")
      const { agent, objective, inputs } = intent
      return one("team.delegate", { parent, agent, objective, ...given({ inputs }) })
    }
    case "assign": {
      const { workItemId, assignee } = intent
      const task = state.tasks.get(workItemId)
      return task
        ? one("team.assign", { workItemId, assignee, ...given({ sessionId: task.origin.sessionId }) })
        : refuse("no_target")
    }
    case "continue_agent":
      return forAgent(state, intent.agentId, (parent) =>
        one("team.continue", { agentId: intent.agentId, parent, inputs: intent.inputs }),
      )
    case "wait":
      return waitFor(state, intent.agentIds, intent.timeLimitMs)
    case "stop": {
      const { target, reason = "user" } = intent
      if (target.kind !== "agent")
        return one(`${ownerOf(target)}.stop`, { target: placed(state, target), reason })
      return forAgent(state, target.id, (parent) => one("team.stop", { agentId: target.id, parent, reason }))
    }
    case "close": {
      const { agentId, reason = "user" } = intent
      return forAgent(state, agentId, (parent) => one("team.close", { agentId, parent, reason }))
    }
    case "request_review": {
      const { target, reviewer, note } = intent
      return one("evidence.review", { target, ...given({ reviewer, note }) })
    }
    case "approve":
      return respond(state, intent, approving)
    case "reject":
      return respond(state, intent, rejecting)
    case "answer":
      return respond(state, intent, answering)
    case "edit": {
      if ("actionId" in intent) return respond(state, intent, editing)
      const { control: _, ...call } = intent
      return state.artifacts.has(call.artifactId)
        ? one("artifact.edit", { ...call, ...sessionOf(state, call.artifactId) })
        : refuse("no_target")
    }
    case "retry":
      return retry(state, intent)
    case "rollback": {
      if ("messageId" in intent)
        return one("session.rollback", { sessionId: intent.sessionId, messageId: intent.messageId })
      const { artifactId, versionId } = intent
      const known = state.artifacts
        .get(artifactId)
        ?.versions.some((version) => version.versionId === versionId)
      return known
        ? one("artifact.rollback", { artifactId, versionId, ...sessionOf(state, artifactId) })
        : refuse("no_target")
    }
    case "export": {
      const { control: _, ...call } = intent
      if ("kind" in call) return one("evidence.export", call)
      return state.artifacts.has(call.artifactId)
        ? one("artifact.export", { ...call, ...sessionOf(state, call.artifactId) })
        : refuse("no_target")
    }
    case "open_detail": {
      const { target, before } = intent
      if (target.kind === "artifact") return one("artifact.read", { target })
      if (target.kind === "evidence") return one("evidence.read", { target })
      return one("session.read", { target: placed(state, target), ...given({ before }) })
    }
  }
}

/** Calls, tasks and jobs have ports of their own; the runtime has the rest. */
const ownerOf = ({ kind }: Target) =>
  kind === "tool" || kind === "task" || kind === "job" ? kind : "runtime"

const sessionOf = (state: AgentUiState, artifactId: string) =>
  given({ sessionId: state.artifacts.get(artifactId)?.origin.sessionId })

function parentOf(origin: AgentEntity["origin"]): Parent | undefined {
  const sessionId = origin.parentSessionId ?? origin.sessionId
  const threadId = origin.parentThreadId ?? origin.threadId
  return sessionId === undefined
    ? undefined
    : { sessionId, ...given({ threadId, turnId: origin.turnId ?? origin.runId }) }
}

function forAgent(state: AgentUiState, agentId: string, make: (parent: Parent) => Routing): Routing {
  const agent = state.agents.get(agentId)
  const parent = agent && parentOf(agent.origin)
  return parent ? make(parent) : refuse("no_target")
}

/** Several teammates are waited for through the parent that they share. */
function waitFor(state: AgentUiState, agentIds: readonly string[], timeLimitMs: number | undefined): Routing {
  const parents = agentIds.map((id) => state.agents.get(id)).map((agent) => agent && parentOf(agent.origin))
  const [parent] = parents
  if (!parent || parents.some((other) => other?.sessionId !== parent.sessionId)) return refuse("no_target")
  return one("team.wait", { agentIds, parent, ...given({ timeLimitMs }) })
}

/** The session and thread of a target, where only its id was given. */
function placed(state: AgentUiState, target: Target): Target {
  const tables = { task: state.tasks, job: state.tasks, tool: state.tools, run: state.runs } as const
  const origin =
    target.kind in tables ? tables[target.kind as keyof typeof tables].get(target.id)?.origin : undefined
  return { ...given({ sessionId: origin?.sessionId, threadId: origin?.threadId }), ...target }
}

function retry(
  state: AgentUiState,
  { target, reason = "user", clientId }: Extract<Intent, { control: "retry" }>,
): Routing {
  if (target.kind === "artifact")
    return one("artifact.retry", { artifactId: target.id, ...sessionOf(state, target.id) })
  if (target.kind === "agent") {
    return forAgent(state, target.id, (parent) => one("team.retry", { agentId: target.id, parent, reason }))
  }
  const inputs = target.kind === "run" ? inputsOf(state, target.id) : undefined
  return one(`${ownerOf(target)}.retry`, {
    target: placed(state, target),
    reason,
    ...given({ inputs, clientId }),
  })
}

/** What the person asked in a run: its own messages, text and refs. */
function inputsOf(state: AgentUiState, runId: string): InputPartView[] | undefined {
  const ids = state.runs.get(runId)?.messageIds ?? []
  const asked = ids.flatMap((id) => state.messages.get(id) ?? []).filter(({ role }) => role === "user")
  const inputs = asked.flatMap((message) => {
    const text = message.parts.flatMap((part) => (part.kind === "text" ? part.text.blocks : [])).join("")
    const refs = message.inputs.filter(({ kind }) => kind !== "text" || text === "")
    return [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...refs]
  })
  return inputs.length > 0 ? inputs : undefined
}

const approving = ["approve", "allow", "accept", "approved", "yes"]
const rejecting = ["reject", "deny", "decline", "refuse", "rejected", "no"]
const answering = ["answer", "submit", "provide"]
const editing = ["edit", "request_edits", "request_changes", "revise"]

type Response = Extract<Intent, { actionId: string }>

/** An answer goes to whoever asked, under the request's own id, and only while it is open. */
function respond(state: AgentUiState, intent: Response, words: readonly string[]): Routing {
  const action = state.actions.get(intent.actionId)
  if (!action) return refuse("no_target")
  if (action.state !== "pending") return refuse("not_open")
  const data = "data" in intent ? intent.data : undefined
  const secret = "secret" in intent ? intent.secret : undefined
  const decision = decide(action.options ?? [], "option" in intent ? intent.option : undefined, words)
  if (decision === undefined) return refuse("not_offered")
  const checks = words === answering && action.schema !== undefined && secret === undefined
  const problems = checks ? answerProblems(action.schema, data ?? {}) : []
  if (problems.length > 0) return { status: "refused", code: "invalid_answer", problems }
  const call: ActionAnswer = {
    actionId: intent.actionId,
    decision,
    ...destination(action),
    ...given({ payload: data, secret, note: intent.note }),
  }
  const byRuntime = one("runtime.respond", call)
  const mayPolicy = action.origin.owner === "policy" && (words === approving || words === rejecting)
  return mayPolicy ? [...one("policy.respond", call), ...byRuntime] : byRuntime
}

function destination({ respondTo, requestedBy, origin }: ActionEntity) {
  return given({
    sessionId: respondTo?.sessionId ?? requestedBy?.sessionId ?? origin.sessionId,
    threadId: respondTo?.threadId ?? requestedBy?.threadId ?? origin.threadId,
    agentId: respondTo?.agentId ?? requestedBy?.agentId ?? origin.agentId,
  })
}

/** The word that the owner has for a control: one of its options, or the control's own where it gave none. */
function decide(
  options: readonly ActionOption[],
  wanted: string | undefined,
  words: readonly string[],
): string | undefined {
  if (options.length === 0) return wanted ?? words[0]
  if (wanted !== undefined) return options.find(({ id }) => id === wanted)?.id
  const fits = ({ id, description }: ActionOption) => words.includes(id) || words.includes(description ?? "")
  const found = options.find(fits)?.id
  if (found !== undefined || words !== answering) return found
  return options.find(
    (option) => !rejecting.includes(option.id) && !rejecting.includes(option.description ?? ""),
  )?.id
}
