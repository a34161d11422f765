import { createHash } from "node:crypto"
import { realpathSync } from "node:fs"
import {
  type Agent,
  findInstructions,
  type McpTools,
  type Model,
  mcpTools,
  type RuntimeParts,
  speaker,
  type World,
} from "@factum/runtime"
import { createModel } from "@factum/runtime/providers"
import { openSandbox, type Sandbox } from "@factum/runtime/sandbox"
import { builtinTools } from "@factum/runtime/tools"
import { type Config, defaultUserFolder, loadConfig, told } from "./config/index.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** What a project gives its agents: a model, tools, rules and a place to work in. */
export type Work = {
  /** Missing when the project names none. */
  model?: Model
  sandbox: Sandbox
  secrets: Readonly<Record<string, string>>
  agent: NonNullable<RuntimeParts["agent"]>
  /** What a person should know before the first turn. */
  notes: readonly string[]
  close(): Promise<void>
}

/** `hidden` are folders that commands must not see, such as the one of the facts. */
export async function openWork(
  project: string,
  { env = process.env, hidden = [] }: { env?: Environment; hidden?: readonly string[] } = {},
): Promise<Work> {
  const root = realpathSync(project)
  const userFolder = defaultUserFolder(env)
  const { config, problems } = loadConfig(root, userFolder, { env })
  const sandbox = await openSandbox({ hidden })
  const mcp = mcpTools(config.mcp)
  const chosen = config.model === undefined ? undefined : modelOf(config, config.model, env)
  return {
    ...(chosen?.ok ? { model: chosen.model } : {}),
    sandbox,
    secrets: secretsOf(config, env),
    agent: agentOf(root, userFolder, config, mcp),
    notes: [
      ...problems.map(told),
      ...(chosen !== undefined && !chosen.ok ? [chosen.message] : []),
      ...heldNote(config, root),
      ...(sandbox.probe.ok
        ? []
        : [`Commands cannot be confined: ${sandbox.probe.reason}. They will not run.`]),
    ],
    close: () => mcp.close(),
  }
}

function agentOf(root: string, user: string, config: Config, mcp: McpTools): Work["agent"] {
  let builtin: ReturnType<typeof builtinTools> | undefined
  return async (world: World): Promise<Agent> => {
    builtin ??= builtinTools(world)
    await mcp.ready
    const found = await findInstructions({ root, cwd: root, user, also: config.instructions })
    const { selected, missing, warnings } = found
    return {
      ...speaker,
      instructions: [about(root), ...found.files.map(({ name, text }) => `# ${name}\n\n${text}`)].join(
        "\n\n",
      ),
      tools: [...builtin, ...mcp.tools()],
      unavailable: mcp.unavailable(),
      hooks: config.hooks,
      context: { selected, missing, warnings },
      policy: { version: versionOf(config), mode: config.mode, rules: config.rules },
      workspace: { cwd: root, roots: [root] },
      boundary: config.sandbox,
      most_requests: config.budgets.turn.steps ?? speaker.most_requests,
    }
  }
}

const about = (root: string): string =>
  `You are an agent that works in ${root} with the tools given. Use them to find out and to act; say briefly what you did.`

function versionOf({ mode, rules, hooks }: Config): string {
  return createHash("sha256").update(JSON.stringify({ mode, rules, hooks })).digest("hex").slice(0, 12)
}

function modelOf(config: Config, named: string, env: Environment): ReturnType<typeof createModel> {
  const [name = "", ...rest] = named.split("/")
  const provider = config.providers[name]
  const kind = (provider?.kind ?? name).replace("_", "-")
  const key = env[provider?.api_key_env ?? usualKeys[kind] ?? ""]
  return createModel({
    provider: kind as Parameters<typeof createModel>[0]["provider"],
    name,
    model: rest.join("/"),
    ...(provider?.base_url === undefined ? {} : { base_url: provider.base_url }),
    ...(key === undefined || key === "" ? {} : { api_key: key }),
  })
}

const usualKeys: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
}

/** The values behind the names, so that none of them reaches a fact. */
function secretsOf(config: Config, env: Environment): Record<string, string> {
  const names = [...config.secret_names, ...Object.values(usualKeys)]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      return value === undefined || value.length < 6 ? [] : [[name, value]]
    }),
  )
}

function heldNote({ held }: Config, root: string): string[] {
  if (held.length === 0) return []
  const list = held.map(({ what, name }) => `${what} ${name}`).join(", ")
  return [`Held back until ${root} is listed under "trust" in your own factum.config.json: ${list}.`]
}
