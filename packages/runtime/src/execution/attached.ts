import type { InputPart } from "@factum/facts"
import { readRef } from "../outputs/spill.ts"
import { textOf } from "../outputs/text.ts"
import type { BlobStore } from "../ports/log.ts"
import type { Model, ModelMessage, ModelPart } from "../ports/model.ts"

/** What may go to a provider in one request; what is older is only named. */
const mostBytes = 33_554_432
const longestDocument = 131_072

/** Bytes for refs that the model accepts, newest first; texts for documents that are text; the others stay refs. */
export function withFiles(
  messages: readonly ModelMessage[],
  { accepts = () => false }: Pick<Model, "accepts">,
  blobs: BlobStore,
): readonly ModelMessage[] {
  let room = mostBytes
  const filled = messages.toReversed().map((message): ModelMessage => {
    if (message.role !== "user" || typeof message.parts === "string") return message
    return { ...message, parts: message.parts.map(fill) }
  })
  return filled.toReversed()

  function fill(part: ModelPart): ModelPart {
    if (!isAttached(part) || part.sensitive === true || (part.ref.bytes ?? 0) > room) return part
    const { media_type = "application/octet-stream", title } = part.ref
    const isText = part.kind === "document" && /^(?:text\/|application\/(?:json|xml|yaml))/.test(media_type)
    if (!accepts(media_type) && !isText) return part
    const found = readRef(part.ref, blobs)
    if (!found.ok || found.bytes.byteLength > room) return part
    const { bytes } = found
    const text = isText && bytes.byteLength <= longestDocument ? textOf(bytes) : undefined
    if (text !== undefined) return { kind: "text", text: `[document: ${title ?? media_type}]\n${text}` }
    if (!accepts(media_type)) return part
    room -= bytes.byteLength
    return { kind: "file", media_type, bytes, ...(title === undefined ? {} : { name: title }) }
  }
}

const kinds: ReadonlySet<string> = new Set(["image", "audio", "video", "document", "business"])
export const isAttached = (part: ModelPart): part is Exclude<InputPart, { kind: "text" }> =>
  kinds.has(part.kind)
