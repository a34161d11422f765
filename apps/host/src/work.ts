import { createHash } from "node:crypto"
import { realpathSync } from "node:fs"
import {
  type Agent,
  type Delegate,
  findInstructions,
  type McpTools,
  type Mode,
  type Model,
  mcpTools,
  type RuntimeParts,
  speaker,
  type World,
} from "@factum/runtime"
import type { Offer, ScopedLimit } from "@factum/runtime/routing"
import { openSandbox, type Sandbox } from "@factum/runtime/sandbox"
import { builtinTools, serviceTool } from "@factum/runtime/tools"
import type { Through } from "./cassettes.ts"
import {
  type Config,
  type ConfigProblem,
  defaultUserFolder,
  loadConfig,
  strangeModel,
  told,
} from "./config/index.ts"
import { openSample } from "./demo.ts"
import { idleHooks } from "./hook-notes.ts"
import { limitsOf, offersOf, unpricedNotes, usualKeys } from "./models.ts"
import { programsOf } from "./programs.ts"
import { providerLimits } from "./provider-limits.ts"
import { idleRules } from "./rule-notes.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** What a project gives its agents: a model, tools, rules and a place to work in. */
export type Work = {
  /** Missing when the project names none that can be asked. */
  model?: Model
  /** The one named and its fallbacks, also those that cannot be asked. */
  models: readonly Offer[]
  limits: () => readonly ScopedLimit[]
  sandbox: Sandbox
  secrets: Readonly<Record<string, string>>
  agent: NonNullable<RuntimeParts["agent"]>
  /** The files do not say which model is meant, so that nobody may answer in its place. */
  lost: boolean
  /** Why the model that was asked for cannot be meant. */
  strange?: string
  /** The agents that the project and the user describe. */
  agents: readonly string[]
  /** The folder that it is done in. */
  place: string
  /** Nobody can be asked here, and the demonstrations are played on copies of the sample. */
  demonstrations: boolean
  /** What a person should know before the first turn. */
  notes: readonly string[]
  close(): Promise<void>
}

/** What the one who starts it asks for in place of what the configuration says. */
export type Wishes = { agent?: string; model?: string; mode?: Mode }

type Given = {
  env?: Environment
  hidden?: readonly string[]
  wishes?: Wishes
  /** What stands between the models and those who ask them, such as a recorder. */
  through?: Through
  /** Where copies of the sample go when there is no model to ask; without it, the project is worked in all the same. */
  demo?: string
}

/** `hidden` are folders that commands must not see, such as the one of the facts. */
export async function openWork(
  project: string,
  { env = process.env, hidden = [], wishes = {}, through, demo }: Given = {},
): Promise<Work> {
  const root = realpathSync(project)
  const userFolder = defaultUserFolder(env)
  const { config, problems, lost } = loaded(root, userFolder, env, wishes)
  const strange = wishes.model === undefined ? undefined : strangeModel(wishes.model, config)
  const sandbox = await openSandbox({ hidden, kept: programsOf(config, root) })
  const secrets = secretsOf(config, env)
  const named = lost && through === undefined ? [nobody(problems)] : offersOf(config, env)
  const models = through === undefined ? named : through(named, secrets)
  const model = models.find(({ via }) => via !== undefined)?.via
  const sample = demo !== undefined && models.length === 0 ? openSample(demo) : undefined
  const mcp = mcpTools(sample === undefined ? config.mcp : [])
  const limitsNow = (now: Config) => [...limitsOf(now), ...providerLimits(now)]
  let limits = limitsNow(config)
  return {
    ...(model === undefined ? {} : { model }),
    models,
    limits: () => limits,
    sandbox,
    secrets,
    agent: agentOf(
      sample ?? { folder: root, user: userFolder, placeOf: () => root },
      env,
      mcp,
      wishes,
      (now) => {
        limits = limitsNow(now)
      },
    ),
    place: sample?.root ?? root,
    demonstrations: sample !== undefined,
    lost,
    ...(strange !== undefined && { strange }),
    agents: config.agents.map(({ name }) => name),
    notes: [
      ...problems.map(told),
      ...(lost ? [] : models.flatMap(({ unavailable }) => unavailable ?? [])),
      ...unpricedNotes(models, config),
      ...heldNote(config, root, userFolder),
      ...idleHooks(config),
      ...idleRules(config),
      ...(sandbox.probe.ok
        ? []
        : [`Commands cannot be confined: ${sandbox.probe.reason}. They will not run.`]),
    ],
    close: () => mcp.close(),
  }
}

/** Stands where the model is that the files would name, so that no other one takes its place. */
const nobody = (problems: readonly ConfigProblem[]): Offer => ({
  provider: "unknown",
  model: "unknown",
  context_window: "unknown",
  capabilities: "unknown",
  unavailable: `Which model is meant is not known. ${problems.map(told).join(" ")} Repair it and start again.`,
})

/** Whose configuration holds, and where each session is worked in. */
type Workshop = { folder: string; user: string; placeOf: (session_id: string) => string }

/** Rules, mode, hooks, budgets and instructions are read anew for each turn, and when one goes on after an answer. */
function agentOf(
  { folder, user, placeOf }: Workshop,
  env: Environment,
  mcp: McpTools,
  wishes: Wishes,
  read: (config: Config) => void,
): Work["agent"] {
  let builtin: ReturnType<typeof builtinTools> | undefined
  return async (world: World, session_id: string): Promise<Agent> => {
    const root = placeOf(session_id)
    builtin ??= builtinTools(world)
    await mcp.ready
    const { config } = loaded(folder, user, env, wishes)
    read(config)
    const found = await findInstructions({ root, cwd: root, user, also: config.instructions })
    const { selected, missing, warnings } = found
    const asked = config.agents.find(({ name }) => name === wishes.agent)
    const usual: Agent = {
      ...speaker,
      instructions: [about(root), ...found.files.map(({ name, text }) => `# ${name}\n\n${text}`)].join(
        "\n\n",
      ),
      tools: [...builtin, ...mcp.tools(), ...servicesOf(config)],
      pipelines: Object.entries(config.pipelines).map(([name, pipeline]) => ({ name, ...pipeline })),
      delegates: config.agents.map(delegateOf),
      setting: about(root),
      unavailable: mcp.unavailable(),
      hooks: config.hooks,
      context: { selected, missing, warnings },
      policy: { version: versionOf(config), mode: config.mode, rules: config.rules },
      workspace: { cwd: root, roots: [root] },
      boundary: config.sandbox,
      window: windowOf(config),
      ...(config.context.source_tokens === undefined ? {} : { context_tokens: config.context.source_tokens }),
    }
    return asked === undefined ? usual : actingAs(usual, delegateOf(asked))
  }
}

function loaded(root: string, user: string, env: Environment, { model, mode }: Wishes) {
  const read = loadConfig(root, user, { env })
  const config: Config = {
    ...read.config,
    ...(model !== undefined && { model, fallbacks: [] }),
    ...(mode !== undefined && { mode }),
  }
  return { ...read, config, lost: read.lost && model === undefined }
}

/** The agent of a file in the place of the usual one: its words, no more than its tools, its rules on top. */
function actingAs(usual: Agent, file: Delegate): Agent {
  const { name, instructions, protocol, rules, tools, model, reasoning } = file
  const { policy } = usual
  return {
    ...usual,
    name,
    protocol,
    instructions: [instructions, usual.instructions].join("\n\n"),
    policy: { ...policy, version: `${policy.version}+${name}`, rules: [...policy.rules, ...rules] },
    ...(tools !== undefined && { only: tools }),
    ...(model !== undefined && { model }),
    ...(reasoning !== undefined && { reasoning }),
  }
}

const servicesOf = ({ services }: Config) =>
  Object.entries(services).map(([name, { headers, output_schema, timeout_ms, ...service }]) =>
    serviceTool({
      name,
      ...service,
      ...(headers === undefined ? {} : { headers }),
      ...(output_schema === undefined ? {} : { output_schema }),
      ...(timeout_ms === undefined ? {} : { timeout_ms }),
    }),
  )

function delegateOf(file: Config["agents"][number]): Delegate {
  const { name, description, instructions, capabilities, protocol, rules, tools, model, reasoning } = file
  const [provider = "", ...rest] = (model ?? "").split("/")
  return {
    name,
    description,
    instructions,
    capabilities,
    protocol,
    rules,
    ...(tools === undefined ? {} : { tools }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(model === undefined ? {} : { model: { provider, model: rest.join("/"), replaceable: false } }),
  }
}

const about = (root: string): string =>
  `You are an agent that works in ${root} with the tools given. Use them to find out and to act; say briefly what you did.`

function windowOf({ context }: Config): NonNullable<Agent["window"]> {
  const { window_tokens: tokens, reserve_tokens, keep_tokens } = context
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(reserve_tokens === undefined ? {} : { reserve_tokens }),
    ...(keep_tokens === undefined ? {} : { keep_tokens }),
  }
}

function versionOf({ mode, rules, hooks }: Config): string {
  return createHash("sha256").update(JSON.stringify({ mode, rules, hooks })).digest("hex").slice(0, 12)
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

function heldNote({ held }: Config, root: string, user: string): string[] {
  if (held.length === 0) return []
  const list = held.map(({ what, name }) => `${what} ${name}`).join(", ")
  return [`Held back until ${root} is listed under "trust" in ${user}/factum.config.json: ${list}.`]
}
