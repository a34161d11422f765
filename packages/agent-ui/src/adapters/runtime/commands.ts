import type { CommandInput, CommandName, InputPart, Ref } from "@factum/facts"
import type { InputPartView } from "../../events/index.ts"
import type { OwnerPorts, Parent, PortAnswer, PortCalls, Target } from "../../ports.ts"
import { given } from "../../surfaces/who.ts"

/** How a client sends a command to a host; a refusal is an answer, not an exception. */
export type SendCommand = <N extends CommandName>(name: N, input: CommandInput<N>) => Promise<PortAnswer>

const unavailable = (what: string): Promise<PortAnswer> =>
  Promise.resolve({ ok: false, code: "unavailable", message: `The runtime has no command for ${what}.` })
const incomplete = (what: string): Promise<PortAnswer> =>
  Promise.resolve({ ok: false, code: "invalid_input", message: `It is not known which ${what} is meant.` })

/** The owners' ports as commands of the runtime. What it has no command for is not among them. */
export function runtimePorts(
  send: SendCommand,
  /** Puts a secret where the owner can fetch it; without it credentials cannot be given here. */
  keepSecret?: (secret: string) => Promise<Ref>,
): OwnerPorts {
  return {
    "runtime.submit": (call) => send("submit_turn", submission(call)),
    "runtime.queue": (call) => send("submit_turn", { ...submission(call), when: "queue" }),
    "runtime.steer": (call) =>
      send("submit_turn", { ...submission(call), turn_id: call.turnId ?? call.runId, when: "steer" }),
    "runtime.interrupt": ({ sessionId, threadId, runId, turnId, reason }) =>
      send("interrupt_turn", {
        session_id: sessionId,
        reason,
        ...given({ thread_id: threadId, turn_id: turnId ?? runId }),
      }),
    "runtime.respond": async ({ actionId, decision, sessionId, payload, secret, note }) => {
      if (secret !== undefined && !keepSecret) return unavailable("keeping a secret")
      const ref = secret === undefined ? undefined : await keepSecret?.(secret)
      return send("respond_action", {
        action_id: actionId,
        decision,
        ...given({ session_id: sessionId, payload, payload_ref: ref, note }),
      })
    },
    "runtime.retry": (call) => retry(send, call),
    "runtime.stop": ({ target, reason }) => stop(send, target, reason),
    "evidence.export": ({ sessionId, threadId, kind }) =>
      send(`export_${kind}`, { session_id: sessionId, ...given({ thread_id: threadId }) }),
    "session.read": ({ target, before }) => read(send, target, before),
    "team.delegate": ({ parent, agent, objective, inputs }) =>
      from(parent, (at) =>
        send("spawn_subagent", { ...at, agent, objective, ...given({ input: inputs?.flatMap(inputPart) }) }),
      ),
    "team.assign": ({ workItemId, assignee, sessionId }) =>
      send("update_task", {
        task_id: workItemId,
        changes: { assignee },
        ...given({ session_id: sessionId }),
      }),
    "team.continue": ({ agentId, parent, inputs }) =>
      from(parent, (at) =>
        send("send_subagent_input", { ...at, subagent_id: agentId, input: inputs.flatMap(inputPart) }),
      ),
    "team.wait": ({ agentIds, parent, timeLimitMs }) =>
      from(parent, (at) =>
        send("wait_subagents", {
          ...at,
          subagent_ids: [...agentIds],
          ...given({ time_limit_ms: timeLimitMs }),
        }),
      ),
    // A child is stopped by closing it: the runtime has no way to halt one and keep it.
    "team.stop": ({ agentId, parent, reason }) =>
      from(parent, (at) => send("close_subagent", { ...at, subagent_id: agentId, reason })),
    "team.close": ({ agentId, parent, reason }) =>
      from(parent, (at) => send("close_subagent", { ...at, subagent_id: agentId, reason })),
    "team.retry": ({ agentId, parent, reason }) =>
      from(parent, (at) => send("resume_subagent", { ...at, subagent_id: agentId, reason })),
  }
}

type Submission = Pick<
  PortCalls["runtime.submit"],
  "sessionId" | "threadId" | "inputs" | "mode" | "model" | "clientId"
>

/** Where no session or thread is named, one is made for the input. */
function submission({
  sessionId,
  threadId,
  inputs,
  mode,
  model,
  clientId,
}: Submission): CommandInput<"submit_turn"> {
  const create = sessionId === undefined ? "session" : threadId === undefined ? "thread" : undefined
  const options = given({ mode, model })
  return {
    input: inputs.flatMap(inputPart),
    metadata: { client_id: clientId },
    ...given({ session_id: sessionId, thread_id: threadId, create }),
    ...(Object.keys(options).length > 0 && { options }),
  }
}

function inputPart(input: InputPartView): InputPart[] {
  if (input.kind === "text") return input.text === "" ? [] : [{ kind: "text", text: input.text }]
  const kind = input.kind === "file" ? "document" : input.kind === "capability" ? "business" : input.kind
  return [{ kind, ref: refOf(input) }]
}

function refOf(input: Exclude<InputPartView, { kind: "text" }>): Ref {
  const media_type = "mediaType" in input ? input.mediaType : undefined
  return { kind: refKind(input), uri: input.ref, ...given({ media_type }) }
}
/** What a product keeps is a record of its own; anything else was uploaded. */
const refKind = ({ kind }: InputPartView): Ref["kind"] =>
  kind === "business" || kind === "capability" ? "record" : "blob"

/** A child is addressed through the turn of its parent. */
function from(
  { sessionId, threadId, turnId }: Parent,
  send: (at: { session_id: string; thread_id: string; turn_id: string }) => Promise<PortAnswer>,
): Promise<PortAnswer> {
  if (threadId === undefined || turnId === undefined) return incomplete("turn of the parent")
  return send({ session_id: sessionId, thread_id: threadId, turn_id: turnId })
}

/** A task is tried again; a turn is asked again; a single call is the agent's to repeat. */
function retry(
  send: SendCommand,
  { target, reason, inputs, clientId }: PortCalls["runtime.retry"],
): Promise<PortAnswer> {
  const { kind, id, sessionId, threadId } = target
  if (kind === "task") return send("retry_task", { task_id: id, reason, ...given({ session_id: sessionId }) })
  if (kind !== "run") return unavailable(`retrying a ${kind}`)
  if (!inputs || sessionId === undefined) return incomplete("input")
  return send(
    "submit_turn",
    submission({ sessionId, inputs, clientId: clientId ?? `retry-${id}`, ...given({ threadId }) }),
  )
}

function stop(
  send: SendCommand,
  { kind, id, sessionId, threadId }: Target,
  reason: string,
): Promise<PortAnswer> {
  const scope = given({ session_id: sessionId })
  if (kind === "task") return send("cancel_task", { task_id: id, reason, ...scope })
  if (kind === "job") return send("cancel_job", { job_id: id, reason, ...scope })
  if (kind === "process") return send("terminate_process", { process_id: id, reason, ...scope })
  if (sessionId === undefined) return incomplete("session")
  if (kind === "run") {
    return send("interrupt_turn", {
      session_id: sessionId,
      turn_id: id,
      reason,
      ...given({ thread_id: threadId }),
    })
  }
  if (kind === "queued_turn" && threadId !== undefined) {
    return send("remove_queued_turn", { queued_turn_id: id, session_id: sessionId, thread_id: threadId })
  }
  return unavailable(`stopping a ${kind}`)
}

/** Reading changes nothing. */
function read(send: SendCommand, { kind, id, sessionId }: Target, before?: string): Promise<PortAnswer> {
  const scope = given({ session_id: sessionId })
  if (kind === "task") return send("get_task", { task_id: id, ...scope })
  if (kind === "job") return send("get_job", { job_id: id, ...scope })
  const session = kind === "session" || kind === "transcript" ? id : sessionId
  return session === undefined
    ? incomplete("session")
    : send("get_session", { session_id: session, ...given({ before }) })
}
