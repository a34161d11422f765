import { realpathSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve, sep } from "node:path"
import {
  type Boundary,
  type CommandHook,
  type McpServer,
  type Mode,
  modes,
  type Reasoning,
  type Rule,
} from "@factum/runtime"
import { type AgentFile, ruleOf } from "./agents.ts"
import type { Environment } from "./expand.ts"
import { configName, type LayerRead, type Named, readLayer } from "./layer.ts"
import { type ConfigProblem, nearest } from "./problem.ts"
import type { Budget, ConfigFile, Pipeline, Provider, Service } from "./schema.ts"

export type Config = {
  /** `provider/model`. */
  model?: string
  fallbacks: readonly string[]
  /** How much models think that nothing else is said of. */
  reasoning?: Reasoning
  providers: Readonly<Record<string, Provider>>
  mode: Mode
  rules: readonly Rule[]
  budgets: { turn: Budget; session: Budget }
  hooks: readonly CommandHook[]
  pipelines: Readonly<Record<string, Pipeline>>
  services: Readonly<Record<string, Service>>
  sandbox: Boundary
  context: NonNullable<ConfigFile["context"]>
  instructions: readonly string[]
  mcp: readonly McpServer[]
  agents: readonly AgentFile[]
  /** Variables of the environment whose values must never reach a fact. */
  secret_names: readonly string[]
  trusted: boolean
  /** What the project configures and is not used until its folder is trusted. */
  held: readonly { what: string; name: string }[]
}

export type Loaded = {
  config: Config
  problems: readonly ConfigProblem[]
  /** Whether the model that was meant may have been lost with a problem. */
  lost: boolean
}

/** Providers that need no entry: their keys are looked for under their usual names. */
const builtIn = ["anthropic", "openai", "google"]
const sandbox: Boundary = { profile: "workspace_write", network: "none" }

/** The user's layer, then the project's. Files with problems are not used, and every problem is told. */
export function loadConfig(
  folder: string,
  userFolder: string = defaultUserFolder(),
  { env = process.env, trusted }: { env?: Environment; trusted?: boolean } = {},
): Loaded {
  const work = resolve(folder)
  const user = readLayer(resolve(userFolder), "user", env, work)
  const project = readLayer(work, "project", env, work)
  const trust = trusted ?? isTrusted(work, user.config.trust ?? [])
  const { used, held } = trust ? { used: project, held: [] } : heldBack(project, user)
  const config = joined(user, used, trust, held)
  const named = [...user.models, ...project.models, ...config.agents.flatMap(modelOf)]
  const known = new Set([
    ...builtIn,
    ...Object.keys(config.providers),
    ...Object.keys(project.config.providers ?? {}),
  ])
  const unknown = named.filter(({ model }) => !known.has(providerOf(model)))
  const problems = [
    ...user.problems,
    ...project.problems,
    ...unknown.map((one) => unknownProvider(one, [...known])),
  ]
  const usable = withoutModels(config, new Set(unknown.map(({ model }) => model)))
  const broken = user.broken || project.broken
  const lost = usable.model === undefined && (broken || config.model !== undefined)
  return { config: broken ? careful(usable) : usable, problems, lost }
}

export function defaultUserFolder(env: Environment = process.env, home = homedir()): string {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, "factum")
  if (process.platform === "win32" && env.APPDATA) return join(env.APPDATA, "factum")
  return join(home, ".config", "factum")
}

/** Why a model cannot be meant that is named beside the files. */
export function strangeModel(model: string, { providers }: Pick<Config, "providers">): string | undefined {
  const known = [...new Set([...builtIn, ...Object.keys(providers)])]
  const provider = providerOf(model)
  if (!model.includes("/") || model.endsWith("/"))
    return `${model} names no model: write it as provider/model. Known providers: ${known.join(", ")}.`
  if (known.includes(provider)) return undefined
  return `The provider "${provider}" of ${model} is not configured. ${fixOf(provider, known)}`
}

/** Real places are compared: a link inside of a trusted folder may lead anywhere. */
function isTrusted(folder: string, trust: readonly string[]): boolean {
  const place = realPlace(folder)
  return trust.some((entry) => {
    const named = realPlace(resolve(entry.replace(/^~(?=$|[\\/])/, homedir())))
    return place === named || place.startsWith(named.endsWith(sep) ? named : named + sep)
  })
}

function realPlace(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** A folder that came from elsewhere may ask for less, and not run commands, send keys or allow itself anything. */
function heldBack(project: LayerRead, user: LayerRead): { used: LayerRead; held: Config["held"] } {
  const {
    providers = {},
    hooks = [],
    services = {},
    permissions = [],
    mode,
    sandbox,
    ...rest
  } = project.config
  const held: { what: string; name: string }[] = []
  const hold = (what: string, names: readonly string[]) => held.push(...names.map((name) => ({ what, name })))
  hold("provider", Object.keys(providers))
  hold(
    "hook",
    hooks.map(({ name }) => name),
  )
  hold("service", Object.keys(services))
  hold(
    "mcp server",
    project.mcp.map(({ name }) => name),
  )
  const allows = (rule: { effect: string }) => rule.effect === "allow"
  hold(
    "permission",
    permissions.filter(allows).map(({ tool, match = "" }) => `${tool} ${match}`.trim()),
  )
  if (sandbox !== undefined) hold("sandbox", [sandbox.profile])
  const config: ConfigFile = { ...rest, permissions: permissions.filter((rule) => !allows(rule)) }
  const looser = mode !== undefined && modes.indexOf(mode) > modes.indexOf(user.config.mode ?? "ask")
  if (mode !== undefined && looser) hold("mode", [mode])
  else if (mode !== undefined) config.mode = mode
  const agents = project.agents.map((agent) => ({
    ...agent,
    rules: agent.rules.filter((rule) => !allows(rule)),
  }))
  const lost = project.agents.filter((agent) => agent.rules.some(allows))
  hold(
    "permission",
    lost.map(({ name }) => `of the agent ${name}`),
  )
  return { used: { ...project, config, mcp: [], agents }, held }
}

function joined(user: LayerRead, project: LayerRead, trusted: boolean, held: Config["held"]): Config {
  const [a, b] = [user.config, project.config]
  const model = b.model ?? a.model
  const reasoning = b.reasoning ?? a.reasoning
  const rules = (config: ConfigFile, layer: "user" | "project") =>
    (config.permissions ?? []).map((rule) => ruleOf(rule, layer))
  const hooks = [...(a.hooks ?? []), ...(b.hooks ?? [])]
  return {
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined ? {} : { reasoning }),
    fallbacks: b.fallbacks ?? a.fallbacks ?? [],
    providers: { ...a.providers, ...b.providers },
    mode: b.mode ?? a.mode ?? "ask",
    rules: [...rules(a, "user"), ...rules(b, "project")],
    budgets: {
      turn: smaller(a.budgets?.turn, b.budgets?.turn),
      session: smaller(a.budgets?.session, b.budgets?.session),
    },
    hooks: hooks.map(hookOf),
    pipelines: { ...a.pipelines, ...b.pipelines },
    services: { ...a.services, ...b.services },
    sandbox: b.sandbox ?? a.sandbox ?? sandbox,
    context: { ...a.context, ...b.context },
    instructions: [...(a.instructions ?? []), ...(b.instructions ?? [])],
    mcp: byName(user.mcp, project.mcp),
    agents: byName(user.agents, project.agents),
    secret_names: [...new Set([...user.names, ...project.names])].sort(),
    trusted,
    held,
  }
}

/** Of two limits the lower one holds. */
function smaller(a: Budget = {}, b: Budget = {}): Budget {
  const least: Budget = { ...a }
  for (const key of ["steps", "tool_calls", "tokens", "cost_usd", "time_ms"] as const) {
    const value = b[key]
    if (value !== undefined) least[key] = Math.min(value, least[key] ?? Number.POSITIVE_INFINITY)
  }
  const unpriced = a.unpriced === "block" ? a.unpriced : b.unpriced
  return unpriced === undefined ? least : { ...least, unpriced }
}

function hookOf(entry: NonNullable<ConfigFile["hooks"]>[number]): CommandHook {
  const { name, on, command, match, args, env, failure_policy, timeout_ms } = entry
  return {
    kind: "command",
    name,
    on,
    command,
    ...(match === undefined ? {} : { match }),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(failure_policy === undefined ? {} : { failure_policy }),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
  }
}

function byName<T extends { name: string }>(user: readonly T[], project: readonly T[]): T[] {
  return [...new Map([...user, ...project].map((one) => [one.name, one])).values()]
}

/** With a file, rules that forbid may be missing: until it is repaired, nothing but looking is free. */
function careful(config: Config): Config {
  const kept = (rule: Rule) => rule.effect !== "allow"
  return {
    ...config,
    mode: config.mode === "plan" ? "plan" : "ask",
    rules: config.rules.filter(kept),
    agents: config.agents.map((agent) => ({ ...agent, rules: agent.rules.filter(kept) })),
  }
}

const providerOf = (model: string): string => model.split("/", 1)[0] ?? ""

function modelOf({ file, place, model }: AgentFile): Named[] {
  return model === undefined ? [] : [{ file, model, ...place }]
}

function unknownProvider({ file, line, column, model }: Named, known: readonly string[]): ConfigProblem {
  const provider = providerOf(model)
  const message = `The provider "${provider}" is not configured.`
  return { file, line, column, message, fix: fixOf(provider, known) }
}

function fixOf(provider: string, known: readonly string[]): string {
  const like = nearest(provider, known)
  return like === undefined ? `Add it to "providers" in ${configName}.` : `Did you mean "${like}"?`
}

/** An agent whose model cannot be had is not used with another one. */
function withoutModels({ model, ...config }: Config, unknown: ReadonlySet<string>): Config {
  return {
    ...config,
    ...(model === undefined || unknown.has(model) ? {} : { model }),
    fallbacks: config.fallbacks.filter((one) => !unknown.has(one)),
    agents: config.agents.filter((agent) => agent.model === undefined || !unknown.has(agent.model)),
  }
}
