import type { Count, ToolEffect } from "@factum/facts"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { CallToolResultSchema, ErrorCode, McpError, type Progress } from "@modelcontextprotocol/sdk/types.js"
import type { ToolFact, ToolOutcome, ToolRun } from "../../ports/tool.ts"
import type { Connection, Linked } from "./connection.ts"
import { outcomeOf } from "./result.ts"
import { defaultCallMs } from "./server.ts"

type Call = { tool: string; input: Readonly<Record<string, unknown>>; effect: ToolEffect; run: ToolRun }
type Client = Extract<Linked, { ok: true }>["client"]
type Sent = ToolOutcome | "not_taken"

/** One call of a tool, with one more attempt where the server surely has not taken the first. Does not throw. */
export async function callTool(connection: Connection, call: Call): Promise<ToolOutcome> {
  for (let attempt = 1; ; attempt++) {
    const linked = await connection.connected()
    if (!linked.ok) return unreachable(connection, linked.reason)
    const sent = await send(connection, linked.client, call)
    if (sent !== "not_taken") return sent
    await connection.lose(linked.client)
    if (attempt === 2) return unreachable(connection, "It took no call.")
  }
}

function unreachable({ server }: Connection, reason: string): ToolOutcome {
  const message = `The server ${server.name} cannot be reached: ${reason}`
  return { ok: false, category: "tool_error", message, next: "Work without this tool, or try again later." }
}

async function send(connection: Connection, client: Client, call: Call): Promise<Sent> {
  const { run } = call
  const stop = new AbortController()
  const signal = AbortSignal.any([run.signal, stop.signal])
  const progress = latestProgress(run, () => stop.abort())
  const timeout = connection.server.call_timeout_ms ?? defaultCallMs
  try {
    const result = await client.request(
      { method: "tools/call", params: { name: call.tool, arguments: { ...call.input } } },
      CallToolResultSchema,
      { signal, timeout, onprogress: progress.take },
    )
    await progress.settled()
    return outcomeOf(result)
  } catch (error) {
    await progress.settled()
    if (signal.aborted) return interrupted(call.effect)
    return failureOf(error, connection, call.effect)
  }
}

function interrupted(effect: ToolEffect): ToolOutcome {
  const known = effect === "none" ? "" : " What it had done by then is not known."
  return { ok: false, category: "interrupted", message: `The server was told to stop.${known}` }
}

function failureOf(error: unknown, { server }: Connection, effect: ToolEffect): Sent {
  if (notTaken(error)) return "not_taken"
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof McpError ? error.code : undefined
  if (code === ErrorCode.RequestTimeout) {
    const limit = server.call_timeout_ms ?? defaultCallMs
    const late = `The server gave no answer within ${limit} ms.`
    if (effect === "once") return { ok: false, category: "outcome_unknown", message: late, next: lookFirst }
    return { ok: false, category: "time_limit", message: late }
  }
  if (code === ErrorCode.MethodNotFound) return { ok: false, category: "unknown_tool", message }
  if (code === ErrorCode.InvalidParams) {
    const category = /not found|unknown tool/i.test(message) ? "unknown_tool" : "invalid_args"
    return { ok: false, category, message }
  }
  if (error instanceof McpError && code !== ErrorCode.ConnectionClosed) {
    return { ok: false, category: "tool_error", message }
  }
  return broken(message, effect)
}

/** The call was sent and no answer will come. */
function broken(reason: string, effect: ToolEffect): ToolOutcome {
  if (effect === "none" || effect === "repeatable") {
    const message = `The connection broke during the call: ${reason}`
    return { ok: false, category: "tool_error", message, next: "It is safe to call it again." }
  }
  const message = `The connection broke during the call, so it is not known whether it was done: ${reason}`
  return { ok: false, category: "outcome_unknown", message, next: lookFirst }
}

const lookFirst = "Look whether it was done before calling it again."

/** A refused connection, or a session that the server does not know any more. */
function notTaken(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) {
    return error.code === 404 || (error.code === 400 && /session/i.test(error.message))
  }
  if (!(error instanceof Error)) return false
  if (error.message === "Not connected") return true
  const cause = error.cause
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED"
}

/** Keeps only the newest report while an older one is being written, so that a flood does not pile up. */
function latestProgress(run: ToolRun, over: () => void) {
  let waiting: ToolFact | undefined
  let writing: Promise<void> | undefined
  async function write(): Promise<void> {
    for (let fact = waiting; fact !== undefined; fact = waiting) {
      waiting = undefined
      if (!(await run.record([fact]))) return over()
    }
  }
  return {
    take(progress: Progress) {
      waiting = progressFact(progress)
      writing ??= write().finally(() => {
        writing = undefined
      })
    },
    settled: () => writing ?? Promise.resolve(),
  }
}

function progressFact({ progress, total, message }: Progress): ToolFact {
  const payload = {
    done: counted(progress),
    ...(total === undefined ? {} : { total: counted(total) }),
    ...(message === undefined ? {} : { note: message }),
  }
  return { type: "tool.progress", payload }
}

const counted = (value: number): Count => (Number.isSafeInteger(value) && value >= 0 ? value : "unknown")
