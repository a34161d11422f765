import {
  CommandEnvelope,
  type CommandName,
  commands,
  Envelope,
  Refusal,
  snapshotNames,
  snapshots,
} from "@factum/facts"
import { permissionFor } from "../access/grant.ts"
import { version } from "../version.ts"
import { otherPaths } from "./paths.ts"
import { refusalResponses } from "./refusals.ts"
import { answered, type JsonSchema, jsonBody, jsonSchema, refTo } from "./schema.ts"

export type OpenApi = {
  openapi: "3.1.0"
  info: { title: string; version: string; description: string }
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
      description: "Commands, read models, streams and blobs of a Factum host.",
    },
    security: [{ token: [] }],
    tags: [
      {
        name: "commands",
        description: "What may be asked of the runtime. A repeat under one command_id is safe.",
      },
      { name: "reads", description: "Sessions and their read models." },
      { name: "streams", description: "Facts as they happen, resumed by cursor." },
      { name: "blobs", description: "Large bytes by content hash." },
      { name: "access", description: "Tokens and the state of the host." },
    ],
    paths: {
      ...Object.fromEntries(names.map((name) => [`/v1/commands/${name}`, { post: operationOf(name) }])),
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
        ...Object.fromEntries(snapshotNames.map((name) => [name, jsonSchema(snapshots[name].schema)])),
      },
    },
  }
}

function operationOf(name: CommandName): Operation {
  const { doc, input, result, refusals } = commands[name]
  const { properties = {} } = jsonSchema(CommandEnvelope) as { properties?: Record<string, unknown> }
  return {
    operationId: name,
    summary: `${doc} Needs the permission to ${permissionFor(name)}.`,
    tags: ["commands"],
    requestBody: {
      required: true,
      content: jsonBody({
        type: "object",
        properties: { command_id: properties.command_id, input: jsonSchema(input, "input") },
        required: ["input"],
        additionalProperties: false,
      }),
    },
    responses: {
      200: { description: "Carried out.", content: jsonBody(answered(jsonSchema(result))) },
      ...refusalResponses([...refusals, "not_permitted", "rate_limited", "internal_error"]),
    },
  }
}
