import { type Chain, chainOf, push, setAt } from "../chain.ts"
import { change, type Draft, open, track } from "../draft.ts"
import type { Entity, MessageEntity, MessagePart } from "../state.ts"
import { removeFrom, setIn } from "../table.ts"
import { added, fresh, ownList } from "../vector.ts"
import { joinRun } from "./run.ts"
import { openSession, sessionIdOf } from "./session.ts"

/** Two sessions may use the same message id: the second one is kept apart under its session's name. */
export function messageKey(draft: Draft, messageId: string, sessionId: string): string {
  const known = draft.state.messages.get(messageId)
  const owner = known?.origin.sessionId
  return owner === undefined || owner === sessionId ? messageId : `${sessionId}/${messageId}`
}

const none: readonly never[] = []

/** Every field by name: what a spread adds to would be kept in a second object. */
export function firstMessage({ origin, opened }: Entity, messageId: string): MessageEntity {
  return { origin, opened, messageId, role: "unknown", optimistic: false, parts: none, inputs: none }
}

/** The message of the event, opened at the end of its session when it is new. */
export function openMessage(draft: Draft, clientId?: string): MessageEntity | undefined {
  const { messageId } = draft.event
  if (messageId === undefined) return undefined
  const sessionId = sessionIdOf(draft)
  const key = messageKey(draft, messageId, sessionId)
  if (clientId !== undefined) adopt(draft, clientId, key)
  const isNew = !draft.state.messages.has(key)
  const message = open(draft, "messages", key, (base) => firstMessage(base, key))
  if (isNew) {
    message.origin.sessionId ??= sessionId
    const session = openSession(draft, sessionId)
    session.messageIds = push(session.messageIds, key, draft.edit)
    joinMessage(draft, key)
  }
  return message
}

function joinMessage(draft: Draft, key: string): void {
  const run = joinRun(draft)
  if (run && !run.messageIds.includes(key)) run.messageIds = [...run.messageIds, key]
}

/** The bubble that this client showed first takes the owner's id; no second one appears. */
export function adopt(draft: Draft, clientId: string, key: string): void {
  const { state, edit } = draft
  const shown = state.clientIds.get(clientId)
  if (shown === key) return
  const sent = shown === undefined ? undefined : state.messages.get(shown)
  state.clientIds = setIn(state.clientIds, clientId, key, edit)
  if (shown === undefined || !sent?.optimistic || state.messages.has(key)) return
  const message = fresh({ ...sent, messageId: key, optimistic: false, parts: [] }, edit)
  state.messages = setIn(removeFrom(state.messages, shown, edit), key, message, edit)
  const session = change(draft, "sessions", sent.origin.sessionId ?? sessionIdOf(draft))
  if (session) session.messageIds = replace(session.messageIds, shown, key, draft)
  joinMessage(draft, key)
}

function replace(ids: Chain<string>, from: string, to: string, draft: Draft): Chain<string> {
  // What was sent just now is near the end.
  for (let at = ids.length - 1; at >= 0; at--) if (ids.at(at) === from) return setAt(ids, at, to, draft.edit)
  return push(ids, to, draft.edit)
}

export function dropMessage(draft: Draft, key: string): void {
  const sessionId = draft.state.messages.get(key)?.origin.sessionId
  draft.state.messages = removeFrom(draft.state.messages, key, draft.edit)
  const session = sessionId === undefined ? undefined : change(draft, "sessions", sessionId)
  if (session) session.messageIds = chainOf([...session.messageIds].filter((id) => id !== key))
}

type Kind = MessagePart["kind"]
type PartOf<K extends Kind> = Extract<MessagePart, { kind: K }>

/** The place of the part that an event means: by its id, else the last one when it is of that kind. */
export function findPart(message: MessageEntity, kind: Kind, partId: string | undefined): number {
  const { parts } = message
  if (partId === undefined) return parts.at(-1)?.kind === kind ? parts.length - 1 : -1
  for (let at = parts.length - 1; at >= 0; at--) {
    if (parts[at]?.partId === partId && parts[at]?.kind === kind) return at
  }
  return -1
}

/** The part of a message, ready to be changed; opened at the end when it is new. */
export function openPart<K extends "text" | "reasoning">(
  draft: Draft,
  message: MessageEntity,
  kind: K,
  first: (partId: string, opened: number) => PartOf<K>,
): PartOf<K> {
  const at = findPart(message, kind, draft.event.partId)
  const known = at < 0 ? undefined : (message.parts[at] as PartOf<K>)
  if (known && draft.edit.has(known)) return known
  const partId = draft.event.partId ?? `${message.messageId}/${message.parts.length}`
  const part = fresh(known ? { ...known } : first(partId, ++draft.state.opened), draft.edit)
  if (at < 0) message.parts = added<MessagePart>(message.parts, part, draft.edit)
  else {
    const parts = ownList(message.parts, draft.edit)
    parts[at] = part
    message.parts = parts
  }
  if (!known && message.role !== "user") track(draft, kind, message.messageId, { partId })
  return part
}

/** A part that refers to an entity of its own. */
export function addRefPart(
  draft: Draft,
  kind: "tool" | "artifact" | "evidence" | "diagnostic" | "plan",
  ref: string,
): void {
  const message = openMessage(draft)
  if (!message || message.parts.some((part) => part.kind === kind && part.ref === ref)) return
  if (message.role === "unknown") message.role = "assistant"
  const partId = draft.event.partId ?? `${message.messageId}/${message.parts.length}`
  const part: MessagePart = { kind, partId, ref, opened: ++draft.state.opened }
  message.parts = added(message.parts, part, draft.edit)
}
