import { push } from "./chain.ts"
import { change, type Draft, open } from "./draft.ts"
import type { InputPartView } from "./events/index.ts"
import { given } from "./given.ts"
import { normalize } from "./normalize.ts"
import { draftOf } from "./reduce.ts"
import { adopt, dropMessage, firstMessage } from "./reducers/message.ts"
import { openSession } from "./reducers/session.ts"
import type { AgentUiState, MessagePart } from "./state.ts"
import { setIn } from "./table.ts"
import { textFrom } from "./text.ts"

export type Sent = {
  /** Made by this client; the runtime gives it back with the message. */
  clientId: string
  sessionId: string
  text?: string
  inputs?: readonly InputPartView[]
}

/** Shows what a person has just sent, before the runtime says so. Nothing else is ever shown in advance. */
export function showSent(state: AgentUiState, sent: Sent): AgentUiState {
  const { clientId, sessionId } = sent
  if (state.clientIds.has(clientId)) return state
  const id = `client:${clientId}`
  const inputs: readonly InputPartView[] = [
    ...(sent.text === undefined ? [] : [{ kind: "text" as const, text: sent.text }]),
    ...(sent.inputs ?? []),
  ]
  const event = {
    type: "text.final",
    sessionId,
    messageId: id,
    owner: "session",
    scope: "message",
    phase: "submitted",
  }
  // By the same gate as events: no bytes, no local paths, no secrets.
  const { event: clean, findings } = normalize({ ...event, payload: { clientId, role: "user", inputs } })
  if (!clean) return state
  return draftOf(state, (draft) => {
    draft.event = clean
    const message = open(draft, "messages", id, (base) => firstMessage(base, id))
    Object.assign(message, { role: "user", optimistic: true, clientId })
    // The gate returns inputs of the declared form.
    message.inputs = (clean.payload?.inputs ?? []) as readonly InputPartView[]
    const text = message.inputs.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n")
    message.parts = [
      { kind: "text", partId: `${id}/0`, text: textFrom(text), state: "final", opened: message.opened },
    ]
    const session = openSession(draft, sessionId)
    session.messageIds = push(session.messageIds, id, draft.edit)
    draft.state.clientIds = setIn(draft.state.clientIds, clientId, id, draft.edit)
    for (const finding of findings) draft.state.findings = push(draft.state.findings, finding, draft.edit)
  })
}

/** The runtime answered the submission with its own ids: the bubble takes them. */
export function confirmSent(
  state: AgentUiState,
  clientId: string,
  ids: { messageId: string; runId?: string; turnId?: string },
): AgentUiState {
  const shown = state.clientIds.get(clientId)
  const sent = shown === undefined ? undefined : state.messages.get(shown)
  if (!sent?.optimistic) return state
  return draftOf(state, (draft) => {
    draft.event = { type: "text.final", ...ids, ...sessionOf(sent.origin.sessionId) }
    const { parts } = sent
    adopt(draft, clientId, ids.messageId)
    keepParts(draft, ids.messageId, parts)
  })
}
const sessionOf = (sessionId: string | undefined) => given({ sessionId })

function keepParts(draft: Draft, messageId: string, parts: readonly MessagePart[]): void {
  const message = change(draft, "messages", messageId)
  if (message && message.parts.length === 0) message.parts = parts
}

/** The submission was refused: the bubble goes, and the person keeps the draft. */
export function withdrawSent(state: AgentUiState, clientId: string): AgentUiState {
  const shown = state.clientIds.get(clientId)
  if (shown === undefined || !state.messages.get(shown)?.optimistic) return state
  return draftOf(state, (draft) => dropMessage(draft, shown))
}
