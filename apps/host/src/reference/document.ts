import {
  CommandEnvelope,
  type CommandName,
  commands,
  Envelope,
  Ref,
  Refusal,
  type RefusalCode,
  snapshotNames,
  snapshots,
} from "@factum/facts"
import { ownCommands } from "@factum/runtime"
import { permissionFor } from "../access/grant.ts"
import { version } from "../version.ts"
import { always } from "./operation.ts"
import { otherPaths } from "./paths.ts"
import { refusalResponses } from "./refusals.ts"
import { answered, type JsonSchema, jsonBody, jsonSchema, refTo } from "./schema.ts"

export type OpenApi = {
  openapi: "3.1.0"
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: readonly { url: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: Readonly<Record<string, unknown>>
  security: readonly Readonly<Record<string, readonly string[]>>[]
  tags: readonly { name: string; description: string }[]
}
export type Operation = {
  operationId: string
  summary: string
  tags: readonly string[]
  parameters?: readonly JsonSchema[]
  requestBody?: JsonSchema
  responses: Readonly<Record<string, unknown>>
  security?: readonly never[]
}

/** The whole control plane, from the tables that the host itself works with. */
export function openApi(): OpenApi {
  const names = Object.keys(commands) as CommandName[]
  return {
    openapi: "3.1.0",
    info: {
      title: "Factum",
      version,
      description: "Commands, read models, streams, artifacts and blobs of a Factum host.",
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The host that serves this description." }],
    security: [{ token: [] }],
    tags: [
      {
        name: "commands",
        description: "What may be asked of the runtime. A repeat under one command_id is safe.",
      },
      { name: "reads", description: "Sessions and their read models." },
      { name: "streams", description: "Facts as they happen, resumed by cursor." },
      { name: "artifacts", description: "What agents and people make, with its history." },
      { name: "blobs", description: "Large bytes by content hash." },
      { name: "interop", description: "For clients of other protocols." },
      { name: "access", description: "Tokens and the state of the host." },
    ],
    paths: {
      ...Object.fromEntries(names.map((name) => [`/v1/commands/${name}`, { post: operationOf(name) }])),
      ...ownPaths(),
      ...otherPaths(),
    },
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: {
        Refusal: jsonSchema(Refusal),
        Refused: {
          type: "object",
          properties: { ok: { const: false }, refusal: refTo("Refusal") },
          required: ["ok", "refusal"],
        },
        Fact: jsonSchema(Envelope),
        Ref: jsonSchema(Ref),
        ...Object.fromEntries(snapshotNames.map((name) => [name, jsonSchema(snapshots[name].schema)])),
      },
    },
  }
}

function operationOf(name: CommandName): Operation {
  const { doc, input, result, refusals } = commands[name]
  const summary = `${doc} Needs the permission to ${permissionFor(name)}.`
  return commanding(name, summary, input, jsonSchema(result), refusals)
}

const ownSummaries: Readonly<Record<keyof typeof ownCommands, string>> = {
  "x-factum.compact_thread": "Sums up the older part of a thread. Needs the permission to operate.",
  "x-factum.roll_back_thread": "Takes back turns of a thread. Needs the permission to operate.",
}

/** The commands beside those of the table. */
function ownPaths(): OpenApi["paths"] {
  const refusals = ["invalid_input", "not_found", "scope_mismatch", "wrong_state", "write_failed"] as const
  const paths = Object.entries(ownCommands).map(([name, input]) => {
    const summary = ownSummaries[name as keyof typeof ownCommands]
    return [`/v1/commands/${name}`, { post: commanding(name, summary, input, { type: "object" }, refusals) }]
  })
  return Object.fromEntries(paths)
}

function commanding(
  name: string,
  summary: string,
  input: Parameters<typeof jsonSchema>[0],
  result: JsonSchema,
  refusals: readonly RefusalCode[],
): Operation {
  const { properties = {} } = jsonSchema(CommandEnvelope) as { properties?: Record<string, unknown> }
  const body = {
    type: "object",
    properties: { command_id: properties.command_id, input: jsonSchema(input, "input") },
    required: ["input"],
    additionalProperties: false,
  }
  const responses = {
    200: { description: "Carried out.", content: jsonBody(answered(result)) },
    ...refusalResponses([...new Set([...refusals, ...always])]),
  }
  return {
    operationId: name,
    summary,
    tags: ["commands"],
    requestBody: { required: true, content: jsonBody(body) },
    responses,
  }
}
