import { createHash } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Refusal } from "@factum/facts"
import type { Outcome, Runtime } from "@factum/runtime"

/** Whoever sent the request. */
export type Sender = {
  /** Why it may not do this, or nothing: asked before anything is looked for on its behalf. */
  forbidden(name: string, body: unknown): Refusal | undefined
  execute(name: string, body: unknown): Promise<Outcome>
}
export type Submitted =
  | { ok: true; session: string; turn: string; after: number }
  | { ok: false; refusal: Refusal }

/**
 * The session of another protocol's thread. A session's own id is taken as it is; any other id always leads to the
 * same session, so that no table has to be kept.
 */
export function sessionOf(runtime: Runtime, protocol: string, thread: string): string {
  return isSession(runtime, thread) ? thread : `ses_${protocol}_${digest(thread)}`
}

export const isSession = (runtime: Runtime, id: string): boolean =>
  id !== runtime.runtime_id && runtime.log.head(id) > 0

/** Submits what a person said. The same message of the same thread is submitted once, however often it is sent. */
export async function submit(
  runtime: Runtime,
  sender: Sender,
  said: { session: string; text: string; source: string; messageId?: string | undefined },
): Promise<Submitted> {
  const { session, text, source, messageId } = said
  const isNew = !isSession(runtime, session)
  const turn_id = messageId === undefined ? undefined : `trn_${digest(`${session} ${messageId}`)}`
  const command = {
    input: {
      session_id: session,
      ...(isNew && { create: "session" }),
      ...(turn_id && { turn_id }),
      ...(messageId && { metadata: { client_id: messageId } }),
      input: [{ kind: "text", text }],
      source,
    },
  }
  const refusal = sender.forbidden("submit_turn", command)
  if (refusal !== undefined) return { ok: false, refusal }
  const after =
    turn_id === undefined ? runtime.log.head(session) : (await beginOf(runtime, session, turn_id)) - 1
  const outcome = await sender.execute("submit_turn", command)
  if (!outcome.ok) return outcome
  const { turn_id: turn } = outcome.result as { turn_id: string }
  return { ok: true, session, turn, after }
}

/** The sequence of the first fact of a turn; of one that is not known, where it would be. */
export async function beginOf(runtime: Runtime, session: string, turn: string): Promise<number> {
  const next = runtime.log.head(session) + 1
  if (runtime.log.claimed(`place:${turn}`) === undefined) return next
  const isFirst = (fact: Fact) => fact.type === "turn.submitted" && fact.turn_id === turn
  return (await newest(runtime, session, isFirst))?.sequence ?? next
}

export type Fact = {
  type: string
  sequence: number
  turn_id?: string
  action_id?: string
  payload: Record<string, unknown>
}

const PAGE = 200

/** The newest fact of a session for which this holds. Others get their turn while a long session is looked through. */
export async function newest(
  runtime: Runtime,
  session: string,
  holds: (fact: Fact) => boolean,
): Promise<Fact | undefined> {
  for (let before = runtime.log.head(session) + 1; before > 1; ) {
    const page = runtime.log.readBefore(session, before, PAGE)
    const found = page.map(({ text }): Fact => JSON.parse(text)).findLast(holds)
    if (found !== undefined) return found
    before = page[0]?.sequence ?? 0
    await nextTurn()
  }
  return undefined
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 26)
