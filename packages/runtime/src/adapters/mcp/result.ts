import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import type { ToolOutcome } from "../../ports/tool.ts"

type Block = CallToolResult["content"][number]
type Bytes = { bytes: Uint8Array; media_type: string }

const mostMessage = 500

/** What a server returned, as an outcome. Bytes that are no text never become text. */
export function outcomeOf(result: CallToolResult): ToolOutcome {
  const { content, structuredContent: data, isError } = result
  const [only] = content
  const alone = content.length === 1 && only !== undefined ? bytesOf(only) : undefined
  const text = content.map(textOf).join("\n")
  if (isError) {
    const message = text.trim().slice(0, mostMessage) || "The tool reported an error and gave no reason."
    return { ok: false, category: "tool_error", message, output: text }
  }
  const structured = data === undefined ? {} : { data }
  if (alone !== undefined)
    return { ok: true, output: alone.bytes, media_type: alone.media_type, ...structured }
  const output = text === "" && data !== undefined ? JSON.stringify(data) : text
  return { ok: true, output, ...structured }
}

function textOf(block: Block): string {
  if (block.type === "text") return block.text
  if (block.type === "resource" && "text" in block.resource) return block.resource.text
  if (block.type === "resource_link") return `[resource ${block.name}: ${block.uri}]`
  const binary = bytesOf(block)
  if (binary === undefined) return "[content that is not shown]"
  return `[${binary.media_type}, ${binary.bytes.length} bytes, not shown]`
}

function bytesOf(block: Block): Bytes | undefined {
  if (block.type === "image" || block.type === "audio") return decoded(block.data, block.mimeType)
  if (block.type !== "resource" || !("blob" in block.resource)) return undefined
  return decoded(block.resource.blob, block.resource.mimeType ?? "application/octet-stream")
}

function decoded(base64: string, media_type: string): Bytes {
  return { bytes: new Uint8Array(Buffer.from(base64, "base64")), media_type }
}
