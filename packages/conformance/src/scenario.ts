import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"

const Schema = z.record(z.string(), z.unknown())

/** A tool of a scenario: what it does is said here, so that any implementation can offer it. */
const Instrument = z.strictObject({
  effect: z.enum(["none", "repeatable", "keyed", "once"]).default("none"),
  output: z.string().optional(),
  /** That many characters of output. */
  large: z.int().optional(),
  data: Schema.optional(),
  /** How often it fails before it succeeds. */
  fails: z.int().optional(),
  /** Goes on until it is told to stop. */
  endless: z.boolean().optional(),
  /** A person does it: it is asked and not executed. */
  asks: z
    .strictObject({
      action_type: z.string(),
      title: z.string(),
      decisions: z.array(
        z.strictObject({ id: z.string(), label: z.string(), effect: z.string().optional() }),
      ),
      answer_schema: Schema.optional(),
      /** From the moment of the question. */
      expires_ms: z.int().optional(),
    })
    .optional(),
})
export type Instrument = z.infer<typeof Instrument>

/** What the person does, in order. */
const Step = z.union([
  z.strictObject({ say: z.string() }),
  /** To the turn that is under way. */
  z.strictObject({ steer: z.string() }),
  /** To the end of that turn, counted from one; zero leaves none. */
  z.strictObject({ roll_back_to: z.int(), reason: z.string() }),
  z.strictObject({ until: z.string(), count: z.int().default(1), phase: z.string().optional() }),
  z.strictObject({ answer: z.string(), payload: Schema.optional(), note: z.string().optional() }),
  z.strictObject({ interrupt: z.string() }),
  /** The message that was sent last leaves the queue. */
  z.strictObject({ take_out: z.literal(true) }),
  z.strictObject({ restart: z.literal(true) }),
  z.strictObject({ advance_ms: z.int() }),
  z.strictObject({ stdin: z.string() }),
])
export type Step = z.infer<typeof Step>

const Rule = z.strictObject({
  effect: z.enum(["allow", "ask", "deny"]),
  tool: z.string(),
  match: z.string().optional(),
})

export const Scenario = z.strictObject({
  title: z.string(),
  mode: z.enum(["plan", "ask", "accept_edits", "full"]).default("full"),
  rules: z.array(Rule).default([]),
  protocol: z.boolean().default(false),
  tools: z.record(z.string(), Instrument).default({}),
  /** Names of built-in tools, which act on the files below. */
  builtin: z.array(z.string()).default([]),
  files: z.record(z.string(), z.string()).default({}),
  /** A script of the scenario's folder that is a hook. */
  hook: z.string().optional(),
  hook_on: z.enum(["before_tool", "before_turn"]).default("before_tool"),
  /** A script of the scenario's folder that is an MCP server on its standard input and output. */
  mcp: z.string().optional(),
  pipelines: z.array(Schema).default([]),
  /** Agents that work can be handed to, by name and instructions. */
  delegates: z.record(z.string(), z.string()).default({}),
  /** Models beside the first one, in the order in which they are tried. */
  fallbacks: z.array(z.string()).default([]),
  /** How many requests the session may make. */
  most_requests: z.int().optional(),
  /** What a turn or the session may use up. */
  budgets: z
    .array(
      z.strictObject({
        name: z.string(),
        /** `requests`, `tokens`, `calls`, `ms`, or a currency. */
        unit: z.string(),
        max: z.number(),
        per: z.enum(["turn", "session"]),
      }),
    )
    .default([]),
  /** What a million tokens cost, in USD; without it no price is known. */
  price: z.strictObject({ input: z.number(), output: z.number() }).optional(),
  /** How often a model is asked for one answer. */
  tries: z.int().default(1),
  /** What a conversation may take before it is summed up. */
  window: z.strictObject({ tokens: z.int(), reserve_tokens: z.int(), keep_tokens: z.int() }).optional(),
  person: z.array(Step),
  /** Facts without which the scenario would not be what its title says. */
  shows: z.array(z.strictObject({ type: z.string(), payload: Schema.default({}) })).min(1),
})
export type Scenario = z.infer<typeof Scenario>

/** What the model says to one request. `as` is the agent that speaks, `summary` when it sums up; `by` is the model. */
export const Line = z.strictObject({
  as: z.string().default("main"),
  by: z.string().default("first"),
  text: z.string().optional(),
  calls: z.array(z.strictObject({ id: z.string(), tool: z.string(), args: Schema.default({}) })).optional(),
  fails: z
    .strictObject({
      reason: z.string(),
      retryable: z.boolean(),
      category: z.enum(["provider_error", "rate_limited"]).default("provider_error"),
      retry_after_ms: z.int().optional(),
      missing: z.literal("context_window").optional(),
    })
    .optional(),
  /** After its text nothing more comes. */
  hangs: z.boolean().optional(),
})
export type Line = z.infer<typeof Line>

/** What a scenario led to: the facts of its session and of child sessions, and what a reader is shown at the end. */
export type Played = { log: readonly unknown[]; snapshot: unknown }

export const scenariosFolder = join(import.meta.dirname, "..", "scenarios")

export const scenarioNames = (folder = scenariosFolder): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

export type Kept = {
  name: string
  folder: string
  scenario: Scenario
  lines: Line[]
  golden: Played | undefined
}

export function readScenario(name: string, from = scenariosFolder): Kept {
  const folder = join(from, name)
  const text = (file: string) => readFileSync(join(folder, file), "utf8")
  const rows = (file: string): unknown[] =>
    text(file)
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line))
  const golden = existsSync(join(folder, "log.jsonl"))
    ? { log: rows("log.jsonl"), snapshot: JSON.parse(text("snapshot.json")) as unknown }
    : undefined
  return {
    name,
    folder,
    scenario: Scenario.parse(JSON.parse(text("scenario.json"))),
    lines: rows("model.jsonl").map((line) => Line.parse(line)),
    golden,
  }
}
