import type { DraftOf, Envelope, IdKind, Refusal, RuntimeEvent } from "@factum/facts"
import type { Claim } from "./ports/log.ts"

export type Draft = DraftOf<RuntimeEvent>

/** What a decider may use beside the state: fresh identity, and where ids of the command live. */
export type Given = {
  id: (kind: IdKind) => string
  /** The place of an id that is known to the store, whichever session it belongs to. */
  place: (id: string) => Place | undefined
  /** The text without the secrets in it. */
  mask: (text: string) => string
  now: () => number
  /** Whose a credential in keeping is; nothing when there is none under this address. */
  credential: (uri: string) => { session_id: string; name: string } | undefined
  /** Whether a blob with this digest is kept. */
  kept: (digest: string) => boolean
  /** Stored facts of a session after a sequence, at most `limit` of them. */
  factsAfter: (session_id: string, after: number, limit: number) => Envelope[]
  /** What a peer has acknowledged since the last fact of its channel. */
  acknowledged: (channel_id: string) => number | undefined
  /** Where the sessions that are created belong. */
  workspace: string | undefined
  /** What of a value does not fit a JSON Schema, or nothing. */
  fits: (
    schema: Readonly<Record<string, unknown>>,
    value: unknown,
  ) => { path: string; message: string } | undefined
}

export type Place = {
  kind: "thread" | "turn" | "queued" | "action" | "process" | "request" | "channel"
  session_id: string
  thread_id: string
  /** Of an action in a child session: where it can be answered, too. */
  parent_session_id?: string
  /** Of the token that resumes a channel, or of what a turn was asked. */
  digest?: string
}

export type Accepted<R> = { ok: true; result: R; facts: readonly Draft[]; claims: readonly Claim[] }
export type Refused = { ok: false; refusal: Refusal }
export type Decision<R = unknown> = Accepted<R> | Refused

export function accept<R>(
  result: R,
  facts: readonly Draft[] = [],
  claims: readonly Claim[] = [],
): Accepted<R> {
  return { ok: true, result, facts, claims }
}

export function reject(
  code: Refusal["code"],
  message: string,
  more: Omit<Refusal, "code" | "message"> = {},
): Refused {
  return { ok: false, refusal: { code, message, ...more } }
}

export const placeKey = (id: string): string => `place:${id}`
export const commandKey = (id: string): string => `command:${id}`

/** Claims an id for its place, so that it is never used twice and a foreign use is told from a false one. */
export function claimPlace(id: string, place: Place): Claim {
  return { key: placeKey(id), value: JSON.stringify(place) }
}
