import type { ToolCall } from "@factum/facts"
import type { BlobStore } from "../ports/log.ts"
import { readRef } from "./spill.ts"
import { decoded, unfinished } from "./text.ts"

/** Of one output no more than this is read for a model; the rest stays behind its ref. */
const most = 64 * 1024

/** What a call gave, as text for a model: whole when it is short, else its beginning and how to get the rest. */
export function outputText(call: ToolCall, blobs: BlobStore): string {
  const { preview, output_refs } = call
  const [ref] = output_refs
  if (preview === undefined) return ""
  if (preview.whole || ref === undefined) return preview.text
  const found = readRef(ref, blobs, { from: 0, to: Math.min(ref.bytes ?? most, most) })
  if (!found.ok) return `${preview.text}\n[The rest is unavailable: ${found.message}]`
  const { bytes } = found
  const text = decoded(bytes.subarray(0, bytes.length - unfinished(bytes)))
  // No bytes enter a prompt, only what they are.
  if (text === undefined || text.includes("\0")) return preview.text
  const left = (ref.bytes ?? bytes.length) - bytes.length
  return left <= 0 ? text : `${text}\n[${left} more bytes: ${ref.uri}]`
}
