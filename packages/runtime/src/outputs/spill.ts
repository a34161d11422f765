import { hash } from "node:crypto"
import type { Preview, Ref } from "@factum/facts"
import type { BlobStore } from "../ports/log.ts"
import type { ToolFact } from "../ports/tool.ts"
import type { Redactor } from "../redact.ts"
import { decoded, head, mediaTypeOf, textOf } from "./text.ts"

export type SpillOptions = {
  /** Text of up to so many bytes stays where it is; at most 8,192. */
  limit?: number
  preview_bytes?: number
  media_type?: string
  /** Masks secrets before anything is kept. */
  redactor?: Redactor
  where?: "output" | "arguments" | "input" | "model"
}

export type Spilled = {
  preview: Preview
  /** Missing when the content stayed inline, or could not be stored. */
  ref?: Ref
  bytes: number
  digest: string
  binary: boolean
  /** To be recorded with the content's owner. */
  facts: readonly ToolFact[]
}

const mostInline = 8_192
const shortPreview = 2_048

/** Keeps content under a ref when it is too large or no text; a store that fails costs the bytes, not the outcome. */
export async function spill(
  content: Uint8Array | string,
  blobs: BlobStore,
  options: SpillOptions = {},
): Promise<Spilled> {
  const given = typeof content === "string" ? Buffer.from(content) : content
  const { bytes, facts } = masked(given, options)
  const text = textOf(bytes)
  const digest = `sha256:${hash("sha256", bytes)}`
  const known = { bytes: bytes.byteLength, digest, binary: text === undefined }
  const limit = Math.min(options.limit ?? mostInline, mostInline)
  if (text !== undefined && bytes.byteLength <= limit) {
    return { ...known, preview: { text, whole: true }, facts }
  }
  const media_type = options.media_type ?? (text === undefined ? mediaTypeOf(bytes) : "text/plain")
  const room = Math.min(options.preview_bytes ?? shortPreview, mostInline)
  const preview: Preview = {
    text: text === undefined ? `[${media_type}, ${bytes.byteLength} bytes]` : head(text, room),
    whole: false,
  }
  const stored = await blobs.put(bytes)
  if ("ok" in stored) {
    const kept = text === undefined ? 0 : Buffer.byteLength(preview.text)
    return { ...known, preview, facts: [...facts, ...notStored(stored.reason, kept, bytes.byteLength)] }
  }
  const ref = blobRef(stored, media_type)
  const cause = text === undefined ? "binary" : "size"
  const spilled: ToolFact = {
    type: "output.spilled",
    payload: { ref, bytes: stored.bytes, digest: stored.digest, preview, cause },
  }
  return { ...known, preview, ref, facts: [...facts, spilled] }
}

export const blobRef = (stored: { digest: string; bytes: number }, media_type: string): Ref => ({
  uri: `blob:${stored.digest}`,
  kind: "output",
  digest: stored.digest,
  bytes: stored.bytes,
  media_type,
})

export type Unavailable = {
  ok: false
  status: "unavailable"
  cause: "missing" | "damaged" | "unreadable"
  last_digest: string
  message: string
}

/** What a ref stands for. Only digests are looked up, so a ref cannot reach outside the store. */
export function readRef(
  ref: Ref,
  blobs: BlobStore,
  range?: { from: number; to: number },
): { ok: true; bytes: Uint8Array } | Unavailable {
  const digest = /^blob:(sha256:[0-9a-f]{64})$/.exec(ref.uri)?.[1]
  const last_digest = ref.digest ?? digest ?? "unknown"
  const gone = (cause: Unavailable["cause"], message: string): Unavailable => ({
    ok: false,
    status: "unavailable",
    cause,
    last_digest,
    message,
  })
  if (digest === undefined) return gone("missing", `${ref.uri} names nothing in the output store.`)
  if (ref.digest !== undefined && ref.digest !== digest) {
    return gone("damaged", "The ref's address and digest name different contents.")
  }
  const bytes = blobs.get(digest, range)
  if (bytes === undefined) return gone("unreadable", `${digest} is not there or damaged.`)
  return { ok: true, bytes }
}

/** The fact that a ref stopped resolving. */
export function expired(ref: Ref, found: Unavailable): ToolFact {
  const digest = /^sha256:[0-9a-f]{64}$/.test(found.last_digest) ? found.last_digest : "unknown"
  return {
    type: "output.expired",
    payload: { ref, bytes: ref.bytes ?? "unknown", last_digest: digest, cause: found.cause },
  }
}

/** Bytes without the secrets in them, and the facts that say so. Bytes that are no text are searched as they are. */
export function masked(
  bytes: Uint8Array,
  { redactor, where = "output" }: { redactor?: Redactor | undefined; where?: SpillOptions["where"] },
): { bytes: Uint8Array; facts: readonly ToolFact[] } {
  if (redactor === undefined) return { bytes, facts: [] }
  const text = decoded(bytes)
  const encoding = text === undefined ? "latin1" : "utf8"
  const { value, hits } = redactor.text(text ?? Buffer.from(bytes).toString("latin1"))
  const facts = Object.entries(hits).map(
    ([rule, count]): ToolFact => ({
      type: "output.redacted",
      payload: { rule, count, bytes: "unknown", where, cause: "secret" },
    }),
  )
  return facts.length === 0 ? { bytes, facts } : { bytes: Buffer.from(value, encoding), facts }
}

function notStored(reason: string, kept: number, bytes: number): readonly ToolFact[] {
  const cause = `the output store refused it: ${reason}`
  return [
    {
      type: "output.truncated",
      payload: { kept_bytes: kept, dropped_bytes: bytes - kept, cause },
    },
    {
      type: "runtime.warning",
      payload: {
        code: "spill_failed",
        message: `Output of ${bytes} bytes was not kept: ${reason}`,
        affected: [],
        next: "Free space in the data directory, then run the call again if its output is needed.",
      },
    },
  ]
}
