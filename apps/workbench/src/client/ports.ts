import type { ActionAnswer, AgentUiState, InputPartView, OwnerPorts, PortAnswer } from "@factum/agent-ui"
import { attachment, runtimePorts, type SendCommand } from "@factum/agent-ui/adapters/runtime"
import type { Client, Outbox, Pending } from "@factum/client"
import type { CommandInput, Ref } from "@factum/facts"
import { answer, artifactPorts } from "./artifact-ports.ts"

type Parts = {
  client: Client
  outbox: Outbox
  state: () => AgentUiState
  /** The commands that the host carries out, once known. */
  carriedOut?: ReadonlySet<string> | undefined
}

/** The owners' ports of one page. What a person writes goes through the outbox, which survives a reload. */
export function pagePorts({ client, outbox, state, carriedOut }: Parts): OwnerPorts {
  const send: SendCommand = async (name, input) => {
    if (name !== "submit_turn") return answer(await client.command(name, input))
    const { when, ...submission } = input as CommandInput<"submit_turn"> & { when?: "queue" | "steer" }
    // Steering means now or never: a reload must not bring it to a later run.
    if (when === "steer") return answer(await client.command(name, input))
    return answer(await outbox.send(repeatable(submission), when === "queue"))
  }
  const ports = runtimePorts(send, undefined, carriedOut)
  return {
    ...ports,
    ...artifactPorts(client),
    ...(ports["runtime.respond"] && {
      "runtime.respond": async (call) =>
        call.secret === undefined ? respond(client, call) : giveSecret(client, call, call.secret, state()),
    }),
  }
}

/** The client's own id of a message is its turn's: sent twice, it is one turn. */
function repeatable({ create, ...input }: CommandInput<"submit_turn">): CommandInput<"submit_turn"> {
  const id = input.metadata?.client_id
  return {
    ...input,
    source: "workbench",
    // A session has a thread of its own; another one is not made for want of its name.
    ...(create === "session" && { create }),
    ...(typeof id === "string" && id.startsWith("trn_") && { turn_id: id }),
  }
}

/** What a person gave with a message that the host does not have, as it would be given again. */
export const inputsIn = ({ input }: Pending): InputPartView[] =>
  input.input.flatMap((part) =>
    part.kind === "text" ? [{ kind: "text" as const, text: part.text }] : attachment(part),
  )

/** A refusal names the part of the answer that it is about, where there is one. */
async function respond(client: Client, call: ActionAnswer): Promise<PortAnswer> {
  const { actionId, decision, sessionId, payload, note } = call
  const reply = await client.command("respond_action", {
    action_id: actionId,
    decision,
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(payload !== undefined && { payload: { ...payload } }),
    ...(note !== undefined && { note }),
  })
  const told = answer(reply)
  if (reply.ok || told.ok) return told
  const { field, message } = reply.refusal
  const about = field?.includes("payload") ? `${field.startsWith("input.") ? "" : "input."}${field}: ` : ""
  return { ...told, message: about === "" && told.code in ownWords ? told.code : about + message }
}

/** Refusals of an answer that the page says in its own words. */
const ownWords = { unreachable: true, already_resolved: true, action_expired: true }

/** The value goes to the host's keeping alone; the answer to the action names the ref that comes back. */
async function giveSecret(
  client: Client,
  { actionId, decision, sessionId }: ActionAnswer,
  value: string,
  state: AgentUiState,
): Promise<PortAnswer> {
  const name = state.actions.get(actionId)?.policyScope
  const body = JSON.stringify({ session_id: sessionId, name, value })
  const kept = await client.ask<{ ref: Ref }>("/v1/credentials", { method: "POST", body })
  if (!kept.ok) return answer(kept)
  const payload_ref = kept.result.ref
  return answer(
    await client.command("respond_action", {
      action_id: actionId,
      decision,
      payload_ref,
      ...(sessionId !== undefined && { session_id: sessionId }),
    }),
  )
}
