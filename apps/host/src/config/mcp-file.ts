import { isAbsolute, resolve } from "node:path"
import type { McpServer } from "@factum/runtime"
import { checked } from "./check.ts"
import { type Environment, expanded } from "./expand.ts"
import type { ConfigProblem } from "./problem.ts"
import { type McpEntry, McpFile, mcpServerSchema } from "./schema.ts"
import type { Source } from "./source.ts"

export type McpRead = { servers: McpServer[]; names: string[]; problems: ConfigProblem[] }

/** The servers of a `.mcp.json`, with variables expanded. */
export function readMcp(
  file: string,
  folder: string,
  source: Extract<Source, { ok: true }>,
  env: Environment,
): McpRead {
  const shape = checked(file, source, McpFile)
  if (!shape.ok) return { servers: [], names: [], problems: [...shape.problems] }
  const read: McpRead = { servers: [], names: [], problems: [] }
  for (const [name, entry] of Object.entries(shape.value.mcpServers)) {
    const at = ["mcpServers", name]
    const { value, names, problems } = expanded(entry, env, { file, at, place: source.place })
    read.names.push(...names)
    read.problems.push(...problems)
    const server = checked<McpEntry>(file, source, mcpServerSchema(entry), { value, at })
    if (!server.ok) read.problems.push(...server.problems)
    else if ("url" in server.value && !isWeb(server.value.url)) {
      const place = source.place([...at, "url"])
      const said = { message: `"url" is no address.`, fix: "Write it with http:// or https://." }
      read.problems.push({ file, ...place, ...said })
    } else read.servers.push(serverOf(name, server.value, folder))
  }
  return read.problems.length === 0 ? read : { ...read, servers: [] }
}

function serverOf(name: string, entry: McpEntry, folder: string): McpServer {
  const { connect_timeout_ms, call_timeout_ms } = entry
  const shared = {
    name,
    ...(connect_timeout_ms === undefined ? {} : { connect_timeout_ms }),
    ...(call_timeout_ms === undefined ? {} : { call_timeout_ms }),
  }
  if ("url" in entry) {
    const { url, headers } = entry
    return { ...shared, transport: "http", url, ...(headers === undefined ? {} : { headers }) }
  }
  const { command, args, env, cwd = "." } = entry
  return {
    ...shared,
    transport: "stdio",
    command,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    cwd: isAbsolute(cwd) ? cwd : resolve(folder, cwd),
  }
}

function isWeb(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
