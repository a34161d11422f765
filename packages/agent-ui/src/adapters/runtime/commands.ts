import type { CommandInput, CommandName, InputPart, Ref } from "@factum/facts"
import type { InputPartView } from "../../events/index.ts"
import type { OwnerPorts, Parent, PortAnswer, PortCalls, PortName, Target } from "../../ports.ts"
import { given } from "../../surfaces/who.ts"

/** How a client sends a command to a host; a refusal is an answer, not an exception. */
export type SendCommand = <N extends CommandName>(name: N, input: CommandInput<N>) => Promise<PortAnswer>

const unavailable = (what: string): Promise<PortAnswer> =>
  Promise.resolve({ ok: false, code: "unavailable", message: `The runtime has no command for ${what}.` })
const incomplete = (what: string): Promise<PortAnswer> =>
  Promise.resolve({ ok: false, code: "invalid_input", message: `It is not known which ${what} is meant.` })

/** Sending of some commands alone. */
type Sending<N extends CommandName> = <M extends N>(name: M, input: CommandInput<M>) => Promise<PortAnswer>

/**
 * The owners' ports as commands of the runtime. What it has no command for, and what `carriedOut` lacks, is not among
 * them; where it is not known what a host carries out, each command is thought to be.
 */
export function runtimePorts(
  send: SendCommand,
  /** Puts a secret where the owner can fetch it; without it credentials cannot be given here. */
  keepSecret?: (secret: string) => Promise<Ref>,
  carriedOut?: ReadonlySet<string>,
): OwnerPorts {
  const can = (name: CommandName) => carriedOut?.has(name) ?? true
  /** A port that sends these commands and no other, where all of them are carried out. */
  function port<P extends PortName, N extends CommandName>(
    name: P,
    commands: readonly N[],
    perform: (send: Sending<N>, call: PortCalls[P]) => Promise<PortAnswer>,
  ): OwnerPorts {
    return commands.every(can) ? { [name]: (call: PortCalls[P]) => perform(send, call) } : {}
  }
  return {
    ...port("runtime.submit", ["submit_turn"], (send, call) => send("submit_turn", submission(call))),
    ...port("runtime.queue", ["submit_turn"], (send, call) =>
      send("submit_turn", { ...submission(call), when: "queue" }),
    ),
    ...port("runtime.steer", ["submit_turn"], (send, call) =>
      send("submit_turn", { ...submission(call), turn_id: call.turnId ?? call.runId, when: "steer" }),
    ),
    ...port("runtime.interrupt", ["interrupt_turn"], (send, { sessionId, threadId, runId, turnId, reason }) =>
      send("interrupt_turn", {
        session_id: sessionId,
        reason,
        ...given({ thread_id: threadId, turn_id: turnId ?? runId }),
      }),
    ),
    ...port("runtime.respond", ["respond_action"], async (send, answer) => {
      const { actionId, decision, sessionId, payload, secret, note } = answer
      if (secret !== undefined && !keepSecret) return unavailable("keeping a secret")
      const ref = secret === undefined ? undefined : await keepSecret?.(secret)
      return send("respond_action", {
        action_id: actionId,
        decision,
        ...given({ session_id: sessionId, payload, payload_ref: ref, note }),
      })
    }),
    ...port("runtime.retry", ["submit_turn"], (send, call) => askAgain(send, call)),
    ...port("runtime.stop", ["interrupt_turn", "remove_queued_turn", "terminate_process"], stop),
    ...port("task.retry", ["retry_task"], (send, { target: { id, sessionId }, reason }) =>
      send("retry_task", { task_id: id, reason, ...given({ session_id: sessionId }) }),
    ),
    ...port("task.stop", ["cancel_task"], (send, { target: { id, sessionId }, reason }) =>
      send("cancel_task", { task_id: id, reason, ...given({ session_id: sessionId }) }),
    ),
    ...port("job.stop", ["cancel_job"], (send, { target: { id, sessionId }, reason }) =>
      send("cancel_job", { job_id: id, reason, ...given({ session_id: sessionId }) }),
    ),
    ...port(
      "evidence.export",
      ["export_evidence", "export_replay", "export_review"],
      (send, { sessionId, threadId, kind }) =>
        send(`export_${kind}`, { session_id: sessionId, ...given({ thread_id: threadId }) }),
    ),
    ...port("session.read", ["get_session"], (_, { target, before }) => read(send, can, target, before)),
    ...port("team.delegate", ["spawn_subagent"], (send, { parent, agent, objective, inputs }) =>
      from(parent, (at) =>
        send("spawn_subagent", { ...at, agent, objective, ...given({ input: inputs?.flatMap(inputPart) }) }),
      ),
    ),
    ...port("team.assign", ["update_task"], (send, { workItemId, assignee, sessionId }) =>
      send("update_task", {
        task_id: workItemId,
        changes: { assignee },
        ...given({ session_id: sessionId }),
      }),
    ),
    ...port("team.continue", ["send_subagent_input"], (send, { agentId, parent, inputs }) =>
      from(parent, (at) =>
        send("send_subagent_input", { ...at, subagent_id: agentId, input: inputs.flatMap(inputPart) }),
      ),
    ),
    ...port("team.wait", ["wait_subagents"], (send, { agentIds, parent, timeLimitMs }) =>
      from(parent, (at) =>
        send("wait_subagents", {
          ...at,
          subagent_ids: [...agentIds],
          ...given({ time_limit_ms: timeLimitMs }),
        }),
      ),
    ),
    // A child is stopped by closing it: the runtime has no way to halt one and keep it.
    ...port("team.stop", ["close_subagent"], (send, { agentId, parent, reason }) =>
      from(parent, (at) => send("close_subagent", { ...at, subagent_id: agentId, reason })),
    ),
    ...port("team.close", ["close_subagent"], (send, { agentId, parent, reason }) =>
      from(parent, (at) => send("close_subagent", { ...at, subagent_id: agentId, reason })),
    ),
    ...port("team.retry", ["resume_subagent"], (send, { agentId, parent, reason }) =>
      from(parent, (at) => send("resume_subagent", { ...at, subagent_id: agentId, reason })),
    ),
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

/** A turn that failed is asked again. */
function askAgain(
  send: Sending<"submit_turn">,
  { target, inputs, clientId }: PortCalls["runtime.retry"],
): Promise<PortAnswer> {
  const { kind, id, sessionId, threadId } = target
  if (kind !== "run") return unavailable(`retrying a ${kind}`)
  if (!inputs || sessionId === undefined) return incomplete("input")
  return send(
    "submit_turn",
    submission({ sessionId, inputs, clientId: clientId ?? `retry-${id}`, ...given({ threadId }) }),
  )
}

function stop(
  send: Sending<"interrupt_turn" | "remove_queued_turn" | "terminate_process">,
  { target: { kind, id, sessionId, threadId }, reason }: PortCalls["runtime.stop"],
): Promise<PortAnswer> {
  const scope = given({ session_id: sessionId })
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

/** Reading changes nothing. What has no read of its own is read with its session. */
function read(
  send: Sending<"get_session" | "get_task" | "get_job">,
  can: (name: CommandName) => boolean,
  { kind, id, sessionId }: Target,
  before?: string,
): Promise<PortAnswer> {
  const scope = given({ session_id: sessionId })
  if (kind === "task" && can("get_task")) return send("get_task", { task_id: id, ...scope })
  if (kind === "job" && can("get_job")) return send("get_job", { job_id: id, ...scope })
  const session = kind === "session" || kind === "transcript" ? id : sessionId
  return session === undefined
    ? incomplete("session")
    : send("get_session", { session_id: session, ...given({ before }) })
}
