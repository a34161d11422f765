import type { ToolEffect } from "@factum/facts"
import type { SideEffect } from "@factum/protocol"
import type { Tool as WireTool } from "@modelcontextprotocol/sdk/types.js"
import type { UnavailableTool } from "../../catalog.ts"
import type { Tool } from "../../ports/tool.ts"
import { callTool } from "./call.ts"
import { inputCheck } from "./check.ts"
import { Connection } from "./connection.ts"
import { toolNames } from "./names.ts"
import { defaultCallMs, type McpServer } from "./server.ts"

export type { McpServer } from "./server.ts"

export type McpTools = {
  /** Resolved when every server has answered or failed. Never rejected. */
  readonly ready: Promise<void>
  /** What can be called now. The list and its tools stay as they are when the servers change theirs. */
  tools(): readonly Tool[]
  /** Servers and tools that cannot be called now, with the reason. */
  unavailable(): readonly UnavailableTool[]
  /** Told after each change of what can be called; gives the way to end it. */
  onChange(listener: () => void): () => void
  /** The processes of the servers that run here, by the name of the server. */
  processes(): ReadonlyMap<string, number>
  close(): Promise<void>
}

const retryMs = [500, 2000, 8000, 30_000]

/** Connects to all servers at once. A server that fails makes its tools unavailable, nothing else. */
export function mcpTools(
  servers: readonly McpServer[],
  { retry_ms = retryMs }: { retry_ms?: readonly number[] } = {},
): McpTools {
  const listeners = new Set<() => void>()
  const onChange = () => {
    for (const listener of listeners) listener()
  }
  const connections = servers.map((server) => new Connection(server, { onChange, retry_ms }))
  const ready = Promise.all(connections.map((connection) => connection.connected())).then(() => {})
  return {
    ready,
    tools: () => listed(connections).flatMap(({ tool }) => (tool === undefined ? [] : [tool])),
    unavailable: () => [
      ...connections.flatMap(unreached),
      ...listed(connections).flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable])),
    ],
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    processes: () =>
      new Map(connections.flatMap(({ server, pid }) => (pid === undefined ? [] : [[server.name, pid]]))),
    async close() {
      listeners.clear()
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}

const ownerOf = (connection: Connection): string => `mcp:${connection.server.name}`

/** A server that never said what it has stands for its tools itself. */
function unreached(connection: Connection): UnavailableTool[] {
  const { problem, tools } = connection
  if (problem === undefined || tools.length > 0) return []
  return [{ name: ownerOf(connection), owner: ownerOf(connection), reason: problem }]
}

type Listed = { tool?: Tool; unavailable?: UnavailableTool }

/** Names are given over all servers, also those that are away: they do not change when one comes back. */
function listed(connections: readonly Connection[]): Listed[] {
  const entries = connections.flatMap((connection) =>
    connection.tools.map((item) => {
      const tool = item.ok ? item.tool.name : item.name
      return { connection, item, server: connection.server.name, tool }
    }),
  )
  const names = toolNames(entries)
  return entries.map((entry): Listed => {
    const { connection, item } = entry
    const name = names.get(entry) ?? entry.tool
    const owner = ownerOf(connection)
    const reason = connection.problem ?? (item.ok ? undefined : item.reason)
    if (reason !== undefined) return { unavailable: { name, owner, reason } }
    return item.ok ? { tool: toolOf(connection, name, item.tool) } : {}
  })
}

function toolOf(connection: Connection, name: string, wire: WireTool): Tool {
  const effect = effectOf(wire)
  const input_schema = wire.inputSchema
  return {
    name,
    description: wire.description ?? wire.annotations?.title ?? wire.title ?? wire.name,
    owner: ownerOf(connection),
    input_schema,
    effect,
    side_effects: sideEffectsOf(wire),
    capabilities: [ownerOf(connection)],
    time_limit_ms: connection.server.call_timeout_ms ?? defaultCallMs,
    check: inputCheck(input_schema),
    // What a foreign tool touches only it knows; one that reads by its own word is taken as looking.
    touches: async () => (effect === "none" ? [] : [{ kind: "other", name }]),
    run: (input, run) => callTool(connection, { tool: wire.name, input, effect, run }),
  }
}

function effectOf({ annotations }: WireTool): ToolEffect {
  if (annotations?.readOnlyHint) return "none"
  return annotations?.idempotentHint ? "repeatable" : "once"
}

/** What a server does not say is taken as it would be worst, but for deletion, which has to be said. */
function sideEffectsOf({ annotations = {} }: WireTool): SideEffect[] {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations
  if (readOnlyHint) return ["read"]
  const effects: SideEffect[] = ["write"]
  if (destructiveHint) effects.push("delete")
  if (openWorldHint !== false) effects.push("external")
  return effects
}
