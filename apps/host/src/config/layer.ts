import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { McpServer } from "@factum/runtime"
import { type AgentFile, readAgents } from "./agents.ts"
import { checked } from "./check.ts"
import { type Environment, expanded } from "./expand.ts"
import { readMcp } from "./mcp-file.ts"
import type { ConfigProblem, Place } from "./problem.ts"
import { ConfigFile } from "./schema.ts"
import { jsonSource, type Source } from "./source.ts"

export const configName = "factum.config.json"
export const mcpName = ".mcp.json"

export type Named = Place & { file: string; model: string }

/** What one folder configures. A file with a problem gives nothing. */
export type LayerRead = {
  config: ConfigFile
  mcp: readonly McpServer[]
  agents: readonly AgentFile[]
  /** Variables of the environment that the files name. */
  names: readonly string[]
  /** Where models are named. */
  models: readonly Named[]
  problems: readonly ConfigProblem[]
  /** Whether rules that forbid something may have been lost with a file. */
  broken: boolean
}

/** `work` is where the servers run, whichever layer they are of. */
export function readLayer(
  folder: string,
  layer: "user" | "project",
  env: Environment,
  work: string,
): LayerRead {
  const config = readConfig(join(folder, configName), layer, env)
  const mcpPath = join(folder, mcpName)
  const source = readJson(mcpPath)
  const mcp =
    source === undefined
      ? { servers: [], names: [], problems: [] }
      : source.ok
        ? readMcp(mcpPath, work, source, env)
        : { servers: [], names: [], problems: source.problems }
  const agents = readAgents(
    layer === "user" ? join(folder, "agents") : join(folder, ".factum", "agents"),
    layer,
  )
  return {
    config: config.value,
    mcp: mcp.servers,
    agents: agents.agents,
    names: [...config.names, ...mcp.names],
    models: config.models,
    problems: [...config.problems, ...mcp.problems, ...agents.problems],
    broken: config.problems.length > 0,
  }
}

type ConfigRead = Pick<LayerRead, "names" | "models" | "problems"> & { value: ConfigFile }

function readConfig(file: string, layer: "user" | "project", env: Environment): ConfigRead {
  const nothing = { value: {}, names: [], models: [] }
  const source = readJson(file)
  if (source === undefined) return { ...nothing, problems: [] }
  if (!source.ok) return { ...nothing, problems: source.problems }
  const parsed = checked(file, source, ConfigFile)
  if (!parsed.ok) return { ...nothing, problems: parsed.problems }
  const config = parsed.value
  const problems = misplaced(file, source, config, layer)
  const names: string[] = Object.values(config.providers ?? {}).flatMap(
    ({ api_key_env }) => api_key_env ?? [],
  )

  const filled = (texts: Record<string, string> | undefined, at: PropertyKey[]): Record<string, string> => {
    const read = expanded(texts, env, { file, at, place: source.place })
    problems.push(...read.problems)
    names.push(...read.names)
    return Object.assign({}, read.value)
  }
  const value: ConfigFile = { ...config }
  if (config.services !== undefined) {
    const entries = Object.entries(config.services).map(([name, service]) => {
      const headers = filled(service.headers, ["services", name, "headers"])
      return [name, { ...service, headers }] as const
    })
    value.services = Object.fromEntries(entries)
  }
  if (config.providers !== undefined) {
    const entries = Object.entries(config.providers).map(([name, provider]) => {
      if (provider.headers === undefined) return [name, provider] as const
      return [
        name,
        { ...provider, headers: filled(provider.headers, ["providers", name, "headers"]) },
      ] as const
    })
    value.providers = Object.fromEntries(entries)
  }
  value.hooks = config.hooks?.map((hook, index) => ({
    ...hook,
    env: filled(hook.env, ["hooks", index, "env"]),
  }))
  if (problems.length > 0) return { ...nothing, problems }

  const models: Named[] = (config.fallbacks ?? []).map((model, index) => {
    return { file, model, ...source.place(["fallbacks", index]) }
  })
  if (config.model !== undefined) models.unshift({ file, model: config.model, ...source.place(["model"]) })
  return { value, names, models, problems }
}

/** What the schema of one field cannot see. */
function misplaced(
  file: string,
  source: Extract<Source, { ok: true }>,
  config: ConfigFile,
  layer: "user" | "project",
): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const say = (path: PropertyKey[], message: string, fix: string) =>
    problems.push({ file, ...source.place(path), message, fix })
  if (layer === "project" && config.trust !== undefined) {
    say(["trust"], "A project cannot trust itself.", `Put "trust" into your own ${configName}.`)
  }
  for (const [name, provider] of Object.entries(config.providers ?? {})) {
    if (provider.kind === "openai_compatible" && provider.base_url === undefined) {
      say(["providers", name], `The provider "${name}" has no address.`, `Add "base_url".`)
    }
    if (provider.kind !== "openai" && provider.api !== undefined) {
      say(["providers", name, "api"], `Only kind "openai" has a choice of "api".`, "Remove it.")
    }
    for (const [index, limit] of (provider.limits ?? []).entries()) {
      const at = ["providers", name, "limits", index]
      if (provider.limits?.findIndex((one) => one.name === limit.name) !== index)
        say([...at, "name"], `Two limits of "${name}" are named "${limit.name}".`, "Rename one of them.")
      if (limit.window !== undefined && limit.every_ms === undefined)
        say([...at, "window"], `A "window" needs to know how long it is.`, `Add "every_ms".`)
    }
  }
  const seen = new Set<string>()
  for (const [index, { name }] of (config.hooks ?? []).entries()) {
    if (seen.has(name)) say(["hooks", index, "name"], `Two hooks are named "${name}".`, "Rename one of them.")
    seen.add(name)
  }
  for (const [name, { steps }] of Object.entries(config.pipelines ?? {})) {
    const ids = steps.map(({ id }) => id)
    const index = ids.findIndex((id, i) => ids.indexOf(id) < i)
    if (index >= 0) {
      say(
        ["pipelines", name, "steps", index, "id"],
        `Two steps are named "${ids[index]}".`,
        "Rename one of them.",
      )
    }
  }
  return problems
}

function readJson(file: string): Source | undefined {
  if (!existsSync(file)) return undefined
  try {
    return jsonSource(file, readFileSync(file, "utf8").replace(/^\uFEFF/, ""))
  } catch (error) {
    const message = `The file cannot be read: ${error instanceof Error ? error.message : String(error)}.`
    const fix = "Make it readable, or remove it."
    return { ok: false, problems: [{ file, line: 1, column: 1, message, fix }] }
  }
}
