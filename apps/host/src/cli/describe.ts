import type { ToolInventorySnapshot } from "@factum/facts"
import { mcpTools } from "@factum/runtime"
import { readSecrets } from "../access/secrets.ts"
import { defaultUserFolder, loadConfig, told } from "../config/index.ts"
import type { Options } from "../options.ts"
import { type Command, exits, refused, Stopped } from "./command.ts"
import { harmless, oneLine, table } from "./paint.ts"
import { reachHost } from "./reach.ts"

/** What is configured for a project, with the problems on stderr. */
export function configured({ project, secrets }: Options) {
  const read = readSecrets(secrets)
  if (!read.ok) throw new Stopped(read.message, exits.usage)
  const env = { ...read.values, ...process.env }
  return { env, ...loadConfig(project, defaultUserFolder(env), { env }) }
}

export const agents: Command = {
  name: "agents",
  summary: "list the agents of the project and of the user",
  atHost: true,
  async run(_, options) {
    const { config, problems } = configured(options)
    for (const problem of problems) console.error(harmless(told(problem)))
    const rows = config.agents.map(({ name, layer, model = "", description }) => [
      name,
      layer,
      model,
      oneLine(description, 80),
    ])
    for (const line of table(rows)) console.log(line)
    if (rows.length === 0)
      console.log("No agent is described in .factum/agents: factum init writes a first one.")
    return 0
  },
}

export const tools: Command = {
  name: "tools",
  summary: "list the tools that the last turn of a session had, and why others were withheld",
  atHost: true,
  flags: { session: { type: "string", value: "id", help: "of this session (the newest)" } },
  async run(given, options) {
    const reached = await reachHost(options)
    try {
      const { client } = reached
      const newest = await client.sessions({ limit: 1 })
      if (!newest.ok) throw refused(newest.refusal)
      const session_id = given.text("session") ?? newest.result.sessions[0]?.session_id
      if (session_id === undefined)
        throw new Stopped('Tools are chosen when a turn begins, and there was none: factum run "<task>"')
      const path = `/v1/sessions/${session_id}/snapshots/tool_inventory_snapshot`
      const read = await client.command("get_session", { session_id, limit: 1 })
      if (!read.ok) throw refused(read.refusal)
      const thread_id = read.result.snapshot.threads.at(-1)?.thread_id ?? ""
      const reply = await client.ask<ToolInventorySnapshot>(`${path}?thread_id=${thread_id}`)
      if (!reply.ok) throw refused(reply.refusal)
      const rows = reply.result.tools.map(({ name, owner = "", available, reason, description }) => [
        available ? name : `(${name})`,
        owner,
        oneLine(available ? (description ?? "") : (reason ?? "not available"), 80),
      ])
      for (const line of table(rows)) console.log(line)
      return 0
    } finally {
      await reached.close()
    }
  },
}

export const mcp: Command = {
  name: "mcp",
  summary: "connect to the configured MCP servers and list their tools",
  atHost: true,
  async run(_, options) {
    const { config } = configured(options)
    const servers = mcpTools(config.mcp)
    try {
      await servers.ready
      const missing = servers.unavailable()
      for (const { name, transport } of config.mcp) {
        const own = servers.tools().filter(({ owner }) => owner === `mcp:${name}`)
        const why = missing.find(({ owner }) => owner === `mcp:${name}`)?.reason
        const state = why === undefined || own.length > 0 ? `${own.length} tools` : why
        console.log(harmless(`${name} (${transport}) ${state}`))
        for (const { name: tool, description } of own)
          console.log(`  ${harmless(tool)}  ${oneLine(description, 80)}`)
      }
      const held = config.held.filter(({ what }) => what === "mcp server")
      for (const { name } of held) console.log(harmless(`${name} is held back until this folder is trusted`))
      if (config.mcp.length + held.length === 0)
        console.log("No server is configured: name one in .mcp.json.")
      return missing.length === 0 ? 0 : 1
    } finally {
      await servers.close()
    }
  },
}
