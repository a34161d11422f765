import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider"
import type { ModelCall, ModelMessage, ModelPart, ToolDefinition } from "../../ports/model.ts"
import { type Author, type Content, replayed } from "./replay.ts"

/** Our call in the form that every provider package takes. */
export function callOptions(call: ModelCall, author: Author): LanguageModelV4CallOptions {
  const { system, tools = [], tool_choice: choice, output_schema } = call
  const prompt = call.messages.flatMap((message) => messagesOf(message, author))
  return {
    prompt: system === undefined ? prompt : [{ role: "system", content: system }, ...prompt],
    abortSignal: call.signal,
    ...(call.max_output_tokens === undefined ? {} : { maxOutputTokens: call.max_output_tokens }),
    ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
    ...(call.reasoning === undefined ? {} : { reasoning: call.reasoning }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf), toolChoice: choiceOf(choice) }),
    ...(output_schema === undefined
      ? {}
      : { responseFormat: { type: "json" as const, schema: schemaOf(output_schema), name: "answer" } }),
  }
}

function toolOf({ name, description, input_schema }: ToolDefinition): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: schemaOf(input_schema) }
}

type Schema = LanguageModelV4FunctionTool["inputSchema"]
/** Providers pass a schema on; they do not look into it. */
const schemaOf = (schema: Readonly<Record<string, unknown>>): Schema => schema as Schema

function choiceOf(choice: ModelCall["tool_choice"] = "auto") {
  return typeof choice === "string" ? { type: choice } : { type: "tool" as const, toolName: choice.tool }
}

function messagesOf(message: ModelMessage, author: Author): LanguageModelV4Message[] {
  const parts: readonly ModelPart[] =
    typeof message.parts === "string" ? [{ kind: "text", text: message.parts }] : message.parts
  if (message.role === "assistant") {
    const content = replayed(message.replay, author) ?? parts.flatMap(spoken)
    return content.length === 0 ? [] : [{ role: "assistant", content }]
  }
  if (message.role === "tool") {
    const content = parts.flatMap((part) => (part.kind === "tool_result" ? [resultOf(part)] : []))
    return content.length === 0 ? [] : [{ role: "tool", content }]
  }
  const content = parts.flatMap(asked)
  return content.length === 0 ? [] : [{ role: "user", content }]
}

function spoken(part: ModelPart): Content {
  if (part.kind === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }]
  if (part.kind !== "tool_call") return []
  const { call_id: toolCallId, tool: toolName } = part
  return [{ type: "tool-call", toolCallId, toolName, input: inputOf(part.arguments) }]
}

/** Arguments that are no JSON were answered with an error; the call is still told, in a form that providers take. */
export function inputOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch {}
  return text.trim() === "" ? {} : { unreadable: text }
}

function asked(part: ModelPart): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (part.kind === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }]
  if (part.kind === "file") return [fileOf(part)]
  if (part.kind === "tool_call" || part.kind === "tool_result") return []
  const { title, media_type } = part.ref
  const named = [part.kind, title, media_type].filter((word) => word !== undefined).join(", ")
  return [{ type: "text", text: `[attached, but not readable here: ${named}]` }]
}

type File = { media_type: string; bytes: Uint8Array; name?: string }

function fileOf({ media_type, bytes, name }: File) {
  return {
    type: "file" as const,
    mediaType: media_type,
    data: { type: "data" as const, data: bytes },
    ...(name === undefined ? {} : { filename: name }),
  }
}

function resultOf(part: Extract<ModelPart, { kind: "tool_result" }>): LanguageModelV4ToolResultPart {
  const { call_id: toolCallId, tool: toolName, output: value, failed = false, files = [] } = part
  const base = { type: "tool-result" as const, toolCallId, toolName }
  if (failed) return { ...base, output: { type: "error-text", value } }
  if (files.length === 0) return { ...base, output: { type: "text", value } }
  const content = [{ type: "text" as const, text: value }, ...files.map(fileOf)]
  return { ...base, output: { type: "content", value: content } }
}
