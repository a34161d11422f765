import type { ProviderConfig } from "../../src/adapters/models/providers.ts"

/** What a model says, before it is put into a provider's wire format. */
export type Said =
  | { reasoning: readonly string[] }
  /** Reasoning that is not shown at all; only Anthropic has it. */
  | { hidden: string }
  | { text: readonly string[] }
  | { call: string; tool: string; pieces: readonly string[] }
  /** Pieces of several calls, one after the other in turns. */
  | { calls: readonly { call: string; tool: string; pieces: readonly string[] }[] }

export type Ending = "length" | "content_filter"

export type Dialect = {
  name: string
  path: RegExp
  config: (base_url: string) => ProviderConfig
  /** With another ending: how the dialect says that the answer is cut, or withheld. */
  frames: (said: readonly Said[], ending?: Ending) => string[]
  /** The frames without what ends an answer. */
  unfinished: (said: readonly Said[]) => string[]
  refusal: (message: string) => unknown
  key: (headers: Readonly<Record<string, string | string[] | undefined>>) => unknown
  reasons: boolean
  summarises: boolean
}

export const key = "test-key-0123456789"

type Json = Record<string, unknown>
const data = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`
const named = (value: Json & { type: string }): string => `event: ${value.type}\n${data(value)}`

const chatChunk = (delta: Json, finish: string | null = null): string =>
  data({
    id: "chat_1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

function chat(said: readonly Said[]): string[] {
  let index = -1
  const opened = (call: string, tool: string, at: number) =>
    chatChunk({
      tool_calls: [{ index: at, id: call, type: "function", function: { name: tool, arguments: "" } }],
    })
  const piece = (text: string, at: number) =>
    chatChunk({ tool_calls: [{ index: at, function: { arguments: text } }] })
  const out = [chatChunk({ role: "assistant", content: "" })]
  for (const what of said) {
    if ("hidden" in what) continue
    if ("reasoning" in what) out.push(...what.reasoning.map((text) => chatChunk({ reasoning_content: text })))
    else if ("text" in what) out.push(...what.text.map((content) => chatChunk({ content })))
    else if ("call" in what) {
      index++
      out.push(opened(what.call, what.tool, index), ...what.pieces.map((text) => piece(text, index)))
    } else {
      const first = index + 1
      index += what.calls.length
      out.push(...what.calls.map(({ call, tool }, at) => opened(call, tool, first + at)))
      const longest = Math.max(...what.calls.map(({ pieces }) => pieces.length))
      for (let at = 0; at < longest; at++) {
        for (const [n, { pieces }] of what.calls.entries()) {
          const text = pieces[at]
          if (text !== undefined) out.push(piece(text, first + n))
        }
      }
    }
  }
  return out
}

const called = (said: readonly Said[]): boolean => said.some((what) => "call" in what || "calls" in what)

function chatFrames(said: readonly Said[], ending?: Ending): string[] {
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 9,
    total_tokens: 29,
    prompt_tokens_details: { cached_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 4 },
  }
  const end = { id: "chat_1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" }
  return [
    ...chat(said),
    chatChunk({}, ending ?? (called(said) ? "tool_calls" : "stop")),
    data({ ...end, choices: [], usage }),
    "data: [DONE]\n\n",
  ]
}

/** Blocks of an answer one after the other; calls that a dialect cannot interleave follow each other. */
function blocks(said: readonly Said[]) {
  return said.flatMap((what) => ("calls" in what ? [...what.calls] : [what]))
}

function anthropic(said: readonly Said[]): string[] {
  const usage = {
    input_tokens: 13,
    cache_creation_input_tokens: 2,
    cache_read_input_tokens: 5,
    output_tokens: 1,
  }
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] }
  const start = { ...message, stop_reason: null, stop_sequence: null, usage }
  const out = [named({ type: "message_start", message: start }), named({ type: "ping" })]
  for (const [index, what] of blocks(said).entries()) {
    const block = (content_block: Json) => named({ type: "content_block_start", index, content_block })
    const delta = (value: Json) => named({ type: "content_block_delta", index, delta: value })
    if ("hidden" in what) out.push(block({ type: "redacted_thinking", data: what.hidden }))
    else if ("reasoning" in what) {
      out.push(block({ type: "thinking", thinking: "", signature: "" }))
      out.push(...what.reasoning.map((thinking) => delta({ type: "thinking_delta", thinking })))
      out.push(delta({ type: "signature_delta", signature: "signed" }))
    } else if ("text" in what) {
      out.push(block({ type: "text", text: "" }))
      out.push(...what.text.map((text) => delta({ type: "text_delta", text })))
    } else {
      out.push(block({ type: "tool_use", id: what.call, name: what.tool, input: {} }))
      out.push(delta({ type: "input_json_delta", partial_json: "" }))
      out.push(...what.pieces.map((partial_json) => delta({ type: "input_json_delta", partial_json })))
    }
    out.push(named({ type: "content_block_stop", index }))
  }
  return out
}

const stopReasons = { length: "max_tokens", content_filter: "refusal" } as const

function anthropicFrames(said: readonly Said[], ending?: Ending): string[] {
  const usual = called(said) ? "tool_use" : "end_turn"
  const delta = { stop_reason: ending === undefined ? usual : stopReasons[ending], stop_sequence: null }
  return [
    ...anthropic(said),
    named({ type: "message_delta", delta, usage: { output_tokens: 9 } }),
    named({ type: "message_stop" }),
  ]
}

function responses(said: readonly Said[]): string[] {
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    model: "m",
    status: "in_progress",
  }
  const out = [named({ type: "response.created", response: { ...response, output: [] } })]
  for (const [output_index, what] of blocks(said).entries()) {
    const item_id = `item_${output_index}`
    const on = { item_id, output_index }
    if ("hidden" in what) continue
    if ("reasoning" in what) {
      const item = { id: item_id, type: "reasoning", summary: [], encrypted_content: "sealed" }
      const summary = { ...on, summary_index: 0 }
      out.push(named({ type: "response.output_item.added", output_index, item }))
      out.push(named({ type: "response.reasoning_summary_part.added", ...summary }))
      out.push(
        ...what.reasoning.map((delta) =>
          named({ type: "response.reasoning_summary_text.delta", ...summary, delta }),
        ),
      )
      out.push(named({ type: "response.reasoning_summary_part.done", ...summary }))
      out.push(named({ type: "response.output_item.done", output_index, item }))
    } else if ("text" in what) {
      const item = { id: item_id, type: "message", status: "in_progress", role: "assistant", content: [] }
      out.push(named({ type: "response.output_item.added", output_index, item }))
      out.push(
        ...what.text.map((delta) =>
          named({ type: "response.output_text.delta", ...on, content_index: 0, delta }),
        ),
      )
      const content = [{ type: "output_text", text: what.text.join(""), annotations: [] }]
      const done = { ...item, status: "completed", content }
      out.push(named({ type: "response.output_item.done", output_index, item: done }))
    } else {
      const item = { id: item_id, type: "function_call", call_id: what.call, name: what.tool, arguments: "" }
      out.push(named({ type: "response.output_item.added", output_index, item }))
      out.push(
        ...what.pieces.map((delta) =>
          named({ type: "response.function_call_arguments.delta", ...on, delta }),
        ),
      )
      const done = { ...item, arguments: what.pieces.join(""), status: "completed" }
      out.push(named({ type: "response.function_call_arguments.done", ...on, arguments: done.arguments }))
      out.push(named({ type: "response.output_item.done", output_index, item: done }))
    }
  }
  return out
}

const incomplete = { length: "max_output_tokens", content_filter: "content_filter" } as const

function responsesFrames(said: readonly Said[], ending?: Ending): string[] {
  const usage = {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 5 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 29,
  }
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    model: "m",
    status: "completed",
  }
  if (ending !== undefined) {
    const cut = { status: "incomplete", incomplete_details: { reason: incomplete[ending] } }
    const ended = { ...response, ...cut, output: [], usage }
    return [...responses(said), named({ type: "response.incomplete", response: ended })]
  }
  return [
    ...responses(said),
    named({ type: "response.completed", response: { ...response, output: [], usage } }),
  ]
}

const googleChunk = (parts: readonly Json[], more: Json = {}, usageMetadata?: Json): string =>
  data({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    modelVersion: "m",
    responseId: "g1",
    ...(usageMetadata === undefined ? {} : { usageMetadata }),
  })

function google(said: readonly Said[]): string[] {
  return blocks(said).flatMap((what) => {
    if ("hidden" in what) return []
    if ("reasoning" in what) return what.reasoning.map((text) => googleChunk([{ text, thought: true }]))
    if ("text" in what) return what.text.map((text) => googleChunk([{ text }]))
    const args: unknown = JSON.parse(what.pieces.join("") || "{}")
    const functionCall = { id: what.call, name: what.tool, args }
    return [googleChunk([{ functionCall, thoughtSignature: "signed" }])]
  })
}

const finishReasons = { length: "MAX_TOKENS", content_filter: "SAFETY" } as const

function googleFrames(said: readonly Said[], ending?: Ending): string[] {
  const usage = {
    promptTokenCount: 20,
    cachedContentTokenCount: 5,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 4,
    totalTokenCount: 29,
  }
  return [
    ...google(said),
    googleChunk([], { finishReason: ending === undefined ? "STOP" : finishReasons[ending] }, usage),
  ]
}

const openaiError = (message: string) => ({ error: { message, type: "some_error", code: null, param: null } })

export const dialects: readonly Dialect[] = [
  {
    name: "anthropic messages",
    path: /\/v1\/messages$/,
    config: (base_url) => ({ provider: "anthropic", model: "m", base_url, api_key: key }),
    frames: anthropicFrames,
    unfinished: anthropic,
    refusal: (message) => ({ type: "error", error: { type: "some_error", message } }),
    key: (headers) => headers["x-api-key"],
    reasons: true,
    summarises: false,
  },
  {
    name: "openai responses",
    path: /\/v1\/responses$/,
    config: (base_url) => ({ provider: "openai", model: "m", base_url, api_key: key }),
    frames: responsesFrames,
    unfinished: responses,
    refusal: openaiError,
    key: (headers) => headers.authorization?.slice(7),
    reasons: true,
    summarises: true,
  },
  {
    name: "openai chat",
    path: /\/v1\/chat\/completions$/,
    config: (base_url) => ({ provider: "openai", model: "m", base_url, api_key: key, api: "chat" }),
    frames: chatFrames,
    unfinished: chat,
    refusal: openaiError,
    key: (headers) => headers.authorization?.slice(7),
    reasons: false,
    summarises: false,
  },
  {
    name: "openai-compatible chat",
    path: /\/v1\/chat\/completions$/,
    config: (base_url) => ({ provider: "openai-compatible", model: "m", base_url, api_key: key }),
    frames: chatFrames,
    unfinished: chat,
    refusal: openaiError,
    key: (headers) => headers.authorization?.slice(7),
    reasons: true,
    summarises: false,
  },
  {
    name: "google",
    path: /:streamGenerateContent\?alt=sse$/,
    config: (base_url) => ({ provider: "google", model: "m", base_url, api_key: key }),
    frames: googleFrames,
    unfinished: google,
    refusal: (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
    key: (headers) => headers["x-goog-api-key"],
    reasons: true,
    summarises: true,
  },
]
