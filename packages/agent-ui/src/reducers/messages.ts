import { type Chain, chainOf, push, unshift } from "../chain.ts"
import { change, type Draft } from "../draft.ts"
import type { MessageSnapshot, MessageSnapshotPart, MessagesSnapshotPayload } from "../events/index.ts"
import { given } from "../given.ts"
import type { MessageEntity, MessagePart } from "../state.ts"
import { setIn } from "../table.ts"
import { noText, readText, textFrom } from "../text.ts"
import { fresh, ownList } from "../vector.ts"
import type { Reducers } from "./index.ts"
import { adopt, firstMessage, messageKey } from "./message.ts"
import { openSession, sessionIdOf } from "./session.ts"
import { finish } from "./text.ts"

export const messagesReducers: Reducers<"messages.snapshot"> = {
  "messages.snapshot": (draft, payload) => {
    const sessionId = sessionIdOf(draft)
    const listed = payload.messages ?? []
    const keys = listed.map((message) => restore(draft, message, sessionId, payload))
    const session = openSession(draft, sessionId)
    session.messageIds = place(draft, session.messageIds, keys, payload)
    if (payload.earlier !== undefined) session.earlier = payload.earlier
    if (payload.from !== undefined || payload.to !== undefined) {
      session.window = {
        ...given({ from: payload.from, to: payload.to }),
        count: listed.length,
      }
    }
  },
}

function restore(
  draft: Draft,
  shot: MessageSnapshot,
  sessionId: string,
  payload: MessagesSnapshotPayload,
): string {
  const key = messageKey(draft, shot.messageId, sessionId)
  if (shot.clientId !== undefined) adopt(draft, shot.clientId, key)
  const known = change(draft, "messages", key)
  const at = shot.sequence ?? payload.to ?? draft.sequence
  if (known) repair(draft, known, shot, at)
  else
    draft.state.messages = setIn(draft.state.messages, key, made(draft, shot, key, sessionId, at), draft.edit)
  return key
}

function made(
  draft: Draft,
  shot: MessageSnapshot,
  key: string,
  sessionId: string,
  at?: number,
): MessageEntity {
  const { event } = draft
  const origin: MessageEntity["origin"] = {
    owner: event.owner ?? "unknown",
    scope: "message",
    phase: event.phase ?? "unknown",
    sessionId,
    ...(at === undefined ? { assigned: true } : { sequence: at }),
  }
  const { agentId, turnId, runId, timestamp } = shot
  Object.assign(origin, given({ agentId, turnId, runId, timestamp }))
  const message = firstMessage({ origin, opened: ++draft.state.opened }, key)
  describe(message, shot)
  message.parts = (shot.parts ?? []).flatMap((part) =>
    part.retracted ? [] : (restorePart(draft, part) ?? []),
  )
  return fresh(message, draft.edit)
}

function describe(message: MessageEntity, shot: MessageSnapshot): void {
  const { role, author, clientId, inputs } = shot
  Object.assign(message, given({ role, author, clientId, inputs }))
}

function restorePart(draft: Draft, shot: MessageSnapshotPart): MessagePart | undefined {
  const { partId, kind, text = "", state = "final", ref } = shot
  if (typeof partId !== "string") return undefined
  const opened = ++draft.state.opened
  if (kind === "text") return { kind, partId, text: textFrom(text), state, opened }
  if (kind === "reasoning") return { kind, partId, detail: noText, summary: text, state, opened }
  if (ref === undefined || !isRefKind(kind)) return undefined
  return { kind, partId, ref, opened }
}
const refKinds = ["tool", "artifact", "evidence", "diagnostic", "plan", "input"] as const
const isRefKind = (kind: string): kind is (typeof refKinds)[number] => refKinds.some((one) => one === kind)

/** Corrects a message by the ids of its parts. What a later event said stays, and so does what is not mentioned. */
function repair(draft: Draft, message: MessageEntity, shot: MessageSnapshot, at: number | undefined): void {
  const applied = message.origin.sequence
  if (at !== undefined && applied !== undefined && at < applied) return
  describe(message, shot)
  const parts = ownList(message.parts, draft.edit)
  message.parts = parts
  for (const part of shot.parts ?? []) {
    const place = parts.findIndex((one) => one.partId === part.partId)
    const known = parts[place]
    if (part.retracted) {
      if (known) parts.splice(place, 1)
    } else if (!known) parts.push(...[restorePart(draft, part) ?? []].flat())
    else if (known.kind === "text" && part.kind === "text") parts[place] = repairText(known, part)
  }
}

function repairText(known: Extract<MessagePart, { kind: "text" }>, shot: MessageSnapshotPart): MessagePart {
  const text = { ...known }
  if (shot.state !== "streaming") finish(text, shot.text)
  // A part that streams on has at least what the snapshot saw, or it missed something.
  else if (
    known.state === "streaming" &&
    shot.text !== undefined &&
    !readText(known.text).startsWith(shot.text)
  )
    text.text = textFrom(shot.text)
  return text
}

/** Where the messages of a window stand: beside those that it shares, else before what is known, else after. */
function place(
  draft: Draft,
  ids: Chain<string>,
  keys: readonly string[],
  payload: MessagesSnapshotPayload,
): Chain<string> {
  const { edit } = draft
  const wanted = new Set(keys)
  const shared = new Set<string>()
  for (const id of ids) if (wanted.has(id)) shared.add(id)
  const added = [...wanted].filter((key) => !shared.has(key))
  if (added.length === 0) return ids
  const first = ids.at(0)
  const lead = [...wanted].findIndex((key) => shared.has(key))
  if (
    shared.size === 0
      ? isOlder(draft, added.at(-1), first, payload)
      : lead === added.length && keys[lead] === first
  ) {
    return added.reduceRight((chain, key) => unshift(chain, key, edit), ids)
  }
  if (shared.size === 0) return added.reduce((chain, key) => push(chain, key, edit), ids)
  return chainOf(weave([...ids], [...wanted], shared))
}

function isOlder(
  draft: Draft,
  last: string | undefined,
  first: string | undefined,
  payload: MessagesSnapshotPayload,
) {
  if (first === undefined || last === undefined) return false
  const known = draft.state.messages.get(first)?.origin.sequence
  const shot = draft.state.messages.get(last)?.origin.sequence
  if (known !== undefined && shot !== undefined) return shot < known
  return payload.purpose !== "repair"
}

/** Each new one goes where the window has it: after the shared one before it, or before the first shared one. */
function weave(ids: readonly string[], window: readonly string[], shared: ReadonlySet<string>): string[] {
  const after = new Map<string | undefined, string[]>()
  let anchor: string | undefined
  for (const key of window) {
    if (shared.has(key)) anchor = key
    else after.set(anchor, [...(after.get(anchor) ?? []), key])
  }
  const firstShared = window.find((key) => shared.has(key))
  return ids.flatMap((id) => [
    ...(id === firstShared ? (after.get(undefined) ?? []) : []),
    id,
    ...(after.get(id) ?? []),
  ])
}
