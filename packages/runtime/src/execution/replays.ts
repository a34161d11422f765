import type { ModelRequest, Ref } from "@factum/facts"
import type { Draft } from "../decision.ts"
import { readRef } from "../outputs/spill.ts"
import type { BlobStore } from "../ports/log.ts"
import type { ModelChunk, ModelMessage } from "../ports/model.ts"
import type { Redactor } from "../redact.ts"
import { isSame, type Offer } from "../routing/index.ts"

/** The answers of the turn so far that their own model wants back as it gave them, by the message that tells them. */
export type Replays = ReadonlyMap<ModelMessage, ModelRequest>

/** What was kept of an answer for its own model, or why it was not. */
export type Kept = { replay_ref?: Ref; warning?: string }

type Finish = Extract<ModelChunk, { kind: "finish" }>

/** Signed text cannot be masked: one with a secret in it is given up, and the model then hears the masked parts. */
export async function keepReplay({ replay }: Finish, blobs: BlobStore, redactor: Redactor): Promise<Kept> {
  if (replay === undefined || holdsSecret(replay, redactor)) return {}
  const stored = await blobs.put(Buffer.from(replay))
  if ("ok" in stored) return { warning: stored.reason }
  const { digest, bytes } = stored
  const media_type = "application/json"
  return { replay_ref: { uri: `blob:${digest}`, kind: "provider", digest, bytes, media_type } }
}

export const notKept = (request: ModelRequest, scope: { session_id: string }, reason: string): Draft => ({
  type: "runtime.warning",
  ...scope,
  payload: {
    code: "replay_not_kept",
    message: `What ${request.model} wants to hear again was not kept, so it goes on without its reasoning: ${reason}`,
    affected: [],
    next: "Free space in the data directory.",
  },
})

/** To the model that gave them; another one, after a change of model, hears what everybody can read. */
export function withReplays(
  messages: readonly ModelMessage[],
  replays: Replays,
  offer: Offer,
  blobs: BlobStore,
): readonly ModelMessage[] {
  return messages.map((message) => {
    const request = replays.get(message)
    if (request?.replay_ref === undefined || !isSame(request, offer)) return message
    const found = readRef(request.replay_ref, blobs)
    return found.ok ? { ...message, replay: Buffer.from(found.bytes).toString() } : message
  })
}

/** Looked for in its texts, not in their written form, which writes some characters in another way. */
function holdsSecret(replay: string, redactor: Redactor): boolean {
  const { hits } = redactor.deep(written(replay))
  return Object.keys(hits).length > 0
}

function written(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
