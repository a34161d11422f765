import { ToolEffect } from "@factum/facts"
import { failureChoices, sideEffects } from "@factum/protocol"
import { hookPoints, modes, reasonings } from "@factum/runtime"
import { z } from "zod"

const Name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "a name has letters, digits or _ . - and at most 64")
const Milliseconds = z.int().min(1).max(2_147_483_647)
const Texts = z.array(z.string())
const TextByName = z.record(z.string(), z.string())
const JsonSchema = z.record(z.string(), z.unknown())
const ModelName = z.string().regex(/^[^/\s]+\/\S+$/, "a model is written provider/model")

const Reasoning = z
  .enum(reasonings)
  .describe("How much a model thinks before it answers; the provider's own default when not said.")

const ProviderLimit = z
  .strictObject({
    name: Name,
    unit: z.enum(["requests", "tokens", "USD"]),
    max: z.number().min(0),
    every_ms: Milliseconds.optional().describe("After this it begins anew; never, when not said."),
    window: z
      .enum(["sliding", "fixed"])
      .optional()
      .describe("sliding: the last so many milliseconds, for rates. fixed: full periods, for quotas."),
    low_below: z.number().min(0).optional().describe("quota.low is told when less than this remains."),
    model: z.string().min(1).optional().describe("Only requests to this model of the provider count."),
    strict: z.boolean().optional().describe("Also stops a request whose estimate does not fit."),
  })
  .describe("What may be asked of the provider, counted in each session by itself.")
export type ProviderLimit = z.infer<typeof ProviderLimit>

const Provider = z
  .strictObject({
    kind: z.enum(["anthropic", "openai", "google", "openai_compatible"]),
    api_key_env: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, "an environment variable's name has letters, digits and _")
      .optional()
      .describe("The NAME of the environment variable that holds the key; never the key itself."),
    base_url: z.url({ protocol: /^https?$/ }).optional(),
    api: z
      .enum(["responses", "chat"])
      .optional()
      .describe("Of kind openai: chat is its older interface, for proxies that have no Responses."),
    headers: TextByName.optional().describe(
      "Sent with every request. A variable of the environment is written as in .mcp.json.",
    ),
    stall_ms: Milliseconds.optional().describe(
      "How long a silent provider is waited for; five minutes when not said.",
    ),
    limits: z.array(ProviderLimit).optional(),
    models: z
      .record(
        z.string(),
        z.strictObject({
          context_tokens: z.int().min(1).optional(),
          output_tokens: z.int().min(1).optional().describe("What one answer may have at most."),
          reasoning: z
            .union([Reasoning, z.literal(false)])
            .optional()
            .describe("For this model, in place of the general one; false for a model that cannot think."),
          usd_per_million: z
            .strictObject({
              input: z.number().min(0),
              output: z.number().min(0),
              cached_input: z.number().min(0).exactOptional(),
              cache_write: z.number().min(0).exactOptional(),
            })
            .optional(),
        }),
      )
      .optional(),
  })
  .describe("Where models come from.")
export type Provider = z.infer<typeof Provider>

const PermissionRule = z.strictObject({
  effect: z.enum(["allow", "ask", "deny"]),
  tool: z.string().min(1).describe("A tool's name; * stands for any characters."),
  match: z
    .string()
    .regex(/\S/, "It is empty: leave it out for every call of the tool.")
    .optional()
    .describe("A command such as `git push *`, a path, or a domain."),
  note: z.string().optional(),
})
const Budget = z.strictObject({
  steps: z
    .int()
    .min(1)
    .optional()
    .describe("Requests to models: tries, summaries and those of other agents too."),
  tool_calls: z.int().min(0).optional().describe("Calls that are carried out, each attempt."),
  tokens: z.int().min(1).optional().describe("What models read and write."),
  cost_usd: z.number().min(0).optional(),
  time_ms: Milliseconds.optional().describe("Time at work; waiting for people and resources is none."),
  unpriced: z
    .enum(["go_on", "block"])
    .optional()
    .describe(
      "What happens beside cost_usd where a price is not known; it goes on and is said, when not said.",
    ),
})
export type Budget = z.infer<typeof Budget>

const HookEntry = z.strictObject({
  name: Name,
  on: z.enum(hookPoints),
  match: z.string().optional(),
  command: z.string().min(1),
  args: Texts.optional(),
  env: TextByName.optional(),
  failure_policy: z.enum(["open", "closed"]).optional().describe("Closed when it is not said."),
  timeout_ms: Milliseconds.optional(),
})

const Pipeline = z.strictObject({
  description: z.string().min(1),
  steps: z
    .array(
      z.strictObject({
        id: Name,
        tool: z.string().min(1),
        input: z.record(z.string(), z.unknown()).default({}),
        on_failure: z.enum(failureChoices).default("abort"),
      }),
    )
    .min(1),
})
export type Pipeline = z.infer<typeof Pipeline>

const Service = z.strictObject({
  description: z.string().min(1),
  url: z.url({ protocol: /^https?$/ }),
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).default("POST"),
  headers: TextByName.optional().describe("A variable of the environment is written as in .mcp.json."),
  input_schema: JsonSchema,
  output_schema: JsonSchema.optional(),
  effect: ToolEffect.default("once"),
  side_effects: z.array(z.enum(sideEffects)).default(["external"]),
  timeout_ms: Milliseconds.optional(),
})
export type Service = z.infer<typeof Service>

const Sandbox = z.strictObject({
  profile: z.enum(["read_only", "workspace_write", "full"]),
  network: z
    .union([z.enum(["none", "all"]), z.strictObject({ domains: z.array(z.string().min(1)) })])
    .default("none"),
})

const Context = z
  .strictObject({
    window_tokens: z
      .int()
      .min(512)
      .optional()
      .describe("The window that is used, where the model's own is not known or less should be used."),
    reserve_tokens: z
      .int()
      .min(1)
      .optional()
      .describe("Kept free for the answer; a quarter of the window, at most 20,000, when not said."),
    keep_tokens: z
      .int()
      .min(0)
      .optional()
      .describe(
        "What stays word for word when older parts are summed up; a quarter of the window when not said.",
      ),
    source_tokens: z
      .int()
      .min(0)
      .optional()
      .describe("What files and refs that a submission names may take; 16,000 when not said."),
  })
  .describe("How much of a model's window a conversation may take before its older part is summed up.")

export const ConfigFile = z.strictObject({
  $schema: z.string().optional(),
  model: ModelName.optional(),
  fallbacks: z.array(ModelName).optional().describe("Tried in this order when the model cannot answer."),
  reasoning: Reasoning.optional(),
  providers: z.record(Name, Provider).optional(),
  mode: z.enum(modes).optional(),
  permissions: z.array(PermissionRule).optional(),
  budgets: z.strictObject({ turn: Budget.optional(), session: Budget.optional() }).optional(),
  hooks: z.array(HookEntry).optional(),
  pipelines: z.record(Name, Pipeline).optional(),
  services: z.record(Name, Service).optional(),
  sandbox: Sandbox.optional(),
  instructions: Texts.optional().describe("Files that are read beside AGENTS.md."),
  context: Context.optional(),
  trust: Texts.optional().describe(
    "Only in the user's own file: folders whose project may run what it configures.",
  ),
})
export type ConfigFile = z.infer<typeof ConfigFile>

const stdioServer = z.strictObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: Texts.optional(),
  env: TextByName.optional(),
  cwd: z.string().optional(),
  connect_timeout_ms: Milliseconds.optional(),
  call_timeout_ms: Milliseconds.optional(),
})
const httpServer = z.strictObject({
  type: z.enum(["http", "streamable-http"]).optional(),
  url: z.string().min(1),
  headers: TextByName.optional(),
  connect_timeout_ms: Milliseconds.optional(),
  call_timeout_ms: Milliseconds.optional(),
})
export const McpFile = z.strictObject({ mcpServers: z.record(Name, z.record(z.string(), z.unknown())) })
/** Which of the two a server is shows in its keys; so each is checked as what it means to be. */
export const mcpServerSchema = (entry: Readonly<Record<string, unknown>>) =>
  "url" in entry && !("command" in entry) ? httpServer : stdioServer
export type McpEntry = z.infer<typeof stdioServer> | z.infer<typeof httpServer>

export const AgentFrontMatter = z.strictObject({
  name: Name.optional(),
  description: z.string().min(1),
  model: ModelName.optional(),
  reasoning: Reasoning.optional(),
  tools: z.union([Texts, z.string()]).optional(),
  capabilities: Texts.optional(),
  permissions: z.array(PermissionRule).optional(),
  protocol: z.union([z.boolean(), z.enum(["on", "off"])]).optional(),
})
