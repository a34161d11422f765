import { chainOf, push } from "./chain.ts"
import { change, type Draft, open, track } from "./draft.ts"
import type { InputPartView } from "./events/index.ts"
import { given } from "./given.ts"
import { normalize } from "./normalize.ts"
import { draftOf } from "./reduce.ts"
import { adopt, dropMessage, firstMessage } from "./reducers/message.ts"
import { openSession } from "./reducers/session.ts"
import type { AgentUiState, MessagePart, RunEntity } from "./state.ts"
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

export type SentSteer = Pick<Sent, "clientId" | "sessionId" | "inputs"> & { runId: string }

/** Shows what a person has just said into a run, at its place there, before the runtime says so. */
export function showSteer(
  state: AgentUiState,
  { clientId, sessionId, runId, inputs = [] }: SentSteer,
): AgentUiState {
  const known = state.runs.get(runId)
  if (!known || known.ended || known.steered.some((one) => one.clientId === clientId)) return state
  const text = inputs.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n")
  const { event } = normalize({ type: "queue.changed", sessionId, runId, payload: { text } })
  const said = event?.payload?.text
  if (!event || typeof said !== "string") return state
  return draftOf(state, (draft) => {
    draft.event = event
    const run = change(draft, "runs", runId)
    if (!run) return
    run.steered = [...run.steered, { state: sendingSteer, clientId, text: said }]
    track(draft, "steer", clientId)
  })
}

/** Of what this client said into a run and the runtime has not told of yet. */
export const sendingSteer = "sending"

/** It was refused: the person's words go back to the person. */
export function withdrawSteer(state: AgentUiState, clientId: string): AgentUiState {
  const others = (steered: RunEntity["steered"]) =>
    steered.filter((one) => one.clientId !== clientId || one.state !== sendingSteer)
  const found = [...state.runs.values()].find(({ steered }) => others(steered).length < steered.length)
  if (!found) return state
  return draftOf(state, (draft) => {
    const run = change(draft, "runs", found.runId)
    if (!run) return
    run.steered = others(run.steered)
    run.process = chainOf([...run.process].filter(({ id }) => id !== clientId))
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
