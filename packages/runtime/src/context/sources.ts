import { resolve } from "node:path"
import type { ContextWish, InputPart, Ref, RuntimeEvent, Turn } from "@factum/facts"
import { readRef } from "../outputs/spill.ts"
import { decoded } from "../outputs/text.ts"
import type { BlobStore } from "../ports/log.ts"
import type { Workspace } from "../ports/tool.ts"
import type { Redactor } from "../redact.ts"
import { readWithin } from "./instructions.ts"
import { tokensOf } from "./window.ts"

type Resolved = Extract<RuntimeEvent, { type: "context.resolved" }>["payload"]
export type Sources = Pick<Resolved, "selected" | "missing" | "warnings">

export type SourcePorts = { workspace: Workspace; blobs: BlobStore; redactor: Redactor; tokens: number }

export const usualContextTokens = 16_000
/** A file of more bytes is not even looked at. */
const mostBytes = 4 * 1024 * 1024

type Found = { ok: true; text: string } | { ok: false; reason: string }

/** Reads what a submission asked for, in its order, until the budget is used up. Does not throw. */
export async function resolveSources(wishes: readonly ContextWish[], ports: SourcePorts): Promise<Sources> {
  const found: Sources = { selected: [], missing: [], warnings: [] }
  let left = ports.tokens
  for (const wish of wishes) {
    const name = "path" in wish ? wish.path : (wish.ref.title ?? wish.ref.uri)
    const read = "path" in wish ? await readPath(wish.path, ports.workspace) : readBlob(wish.ref, ports.blobs)
    if (!read.ok) {
      found.missing.push({ name, reason: read.reason })
      continue
    }
    const text = ports.redactor.text(read.text).value
    const tokens = tokensOf(text)
    if (tokens > left) {
      const reason = `It takes about ${tokens} tokens, and ${left} of the budget for context are left.`
      found.missing.push({ name, reason })
      continue
    }
    // Kept as it was read: the file may be another one tomorrow.
    const stored = await ports.blobs.put(Buffer.from(text))
    if ("ok" in stored) {
      found.missing.push({ name, reason: `It could not be kept: ${stored.reason}.` })
      continue
    }
    left -= tokens
    const { digest, bytes } = stored
    const title = name.slice(0, 500)
    const ref: Ref = {
      uri: `blob:${digest}`,
      kind: "context",
      digest,
      bytes,
      media_type: "text/plain",
      title,
    }
    found.selected.push({ kind: "source", ref })
  }
  return found
}

/** Links are followed, and must not lead out of the workspace. */
async function readPath(path: string, { cwd, roots }: Workspace): Promise<Found> {
  let reason = "It is not in the workspace."
  for (const root of roots) {
    const read = await readWithin(resolve(cwd, path), root, mostBytes)
    if (read.ok) return read.size > mostBytes ? tooLarge(read.size) : textual(read.bytes)
    reason = read.reason
  }
  return { ok: false, reason }
}

function readBlob(ref: Ref, blobs: BlobStore): Found {
  if ((ref.bytes ?? 0) > mostBytes) return tooLarge(ref.bytes ?? 0)
  const found = readRef(ref, blobs)
  return found.ok ? textual(found.bytes) : { ok: false, reason: found.message }
}

const tooLarge = (bytes: number): Found => ({
  ok: false,
  reason: `Its ${bytes} bytes are more than is read for a turn.`,
})

function textual(bytes: Uint8Array): Found {
  const text = decoded(bytes)
  return text === undefined || text.includes("\0")
    ? { ok: false, reason: "It is no text in UTF-8." }
    : { ok: true, text }
}

/** What was read for a turn, as the model is told it with the turn's input. */
export function sourceParts({ sources }: Turn, blobs: BlobStore): InputPart[] {
  return sources.map((ref) => {
    const found = readRef(ref, blobs)
    const name = JSON.stringify(ref.title ?? ref.uri)
    const text = found.ok ? Buffer.from(found.bytes).toString("utf8") : `[unavailable: ${found.message}]`
    return { kind: "text", text: `<context name=${name}>\n${text}\n</context>` }
  })
}
