import { snapshotNames } from "@factum/facts"
import { TokenRequest } from "../access/token-routes.ts"
import type { AnswerCode } from "../refusal-status.ts"
import type { OpenApi, Operation } from "./document.ts"
import { refusalResponses } from "./refusals.ts"
import { answered, type JsonSchema, jsonBody, jsonSchema, refTo } from "./schema.ts"

const text = { type: "string" }
const count = { type: "integer", minimum: 0 }
const inPath = (name: string, schema: JsonSchema = text) => ({ name, in: "path", required: true, schema })
const inQuery = (name: string, description: string, schema: JsonSchema = text) => ({
  name,
  in: "query",
  description,
  schema,
})
const session = inPath("session_id")
const always = ["unauthorized", "not_permitted", "rate_limited", "unavailable", "internal_error"] as const

function reading(
  operationId: string,
  tag: string,
  summary: string,
  parameters: readonly JsonSchema[],
  content: JsonSchema,
  refusals: readonly AnswerCode[],
): Operation {
  const responses = { 200: { description: "Found.", content }, ...refusalResponses([...refusals, ...always]) }
  return { operationId, summary, tags: [tag], parameters, responses }
}

const events = { "text/event-stream": { schema: { ...text, description: "id: the cursor, data: a Fact" } } }
const bytes = { "application/octet-stream": {} }
const cursor = [
  inQuery("after", "The id of the last fact that was seen; Last-Event-ID wins over it.", count),
  inQuery("types", "Families or types of facts, with commas between: tool,turn.completed."),
]
const row = { type: "object", properties: { session_id: text, title: text, status: text, position: count } }
const page = {
  type: "object",
  properties: {
    sessions: { type: "array", items: row },
    next: { ...count, description: "`before` of the next page." },
  },
  required: ["sessions"],
}

/** What is no command. */
export function otherPaths(): OpenApi["paths"] {
  return {
    "/v1/sessions": {
      get: reading(
        "list_sessions",
        "reads",
        "Sessions, newest first. A page of a search may be short; go on while it gives next.",
        [
          inQuery("limit", "How many at most, 1 to 500.", { type: "integer", minimum: 1, maximum: 500 }),
          inQuery("before", "The next of the page before.", count),
          inQuery("search", "What the title holds."),
          inQuery("status", "The status that they have."),
          inQuery("workspace", "Where they belong."),
        ],
        jsonBody(answered(page)),
        ["invalid_input", "bad_cursor"],
      ),
    },
    "/v1/sessions/{session_id}": {
      get: reading(
        "read_session",
        "reads",
        "What get_session gives.",
        [session, inQuery("limit", "How many facts of history."), inQuery("before", "A cursor of history.")],
        jsonBody(answered({ type: "object" })),
        ["not_found", "bad_cursor", "invalid_input"],
      ),
    },
    "/v1/sessions/{session_id}/threads/{thread_id}": {
      get: reading(
        "read_thread",
        "reads",
        "What get_thread_read gives.",
        [session, inPath("thread_id")],
        jsonBody(answered({ type: "object", properties: { read_model: refTo("thread_read_model") } })),
        ["not_found", "scope_mismatch"],
      ),
    },
    "/v1/sessions/{session_id}/snapshots/{name}": {
      get: reading(
        "read_snapshot",
        "reads",
        "Any of the read models; those of a thread need thread_id.",
        [session, inPath("name", { enum: [...snapshotNames] }), inQuery("thread_id", "The thread.")],
        jsonBody(answered({ anyOf: snapshotNames.map(refTo) })),
        ["not_found", "scope_mismatch", "invalid_input"],
      ),
    },
    "/v1/sessions/{session_id}/facts": {
      get: reading(
        "follow_session",
        "streams",
        "Facts of a session by sequence.",
        [session, ...cursor],
        events,
        ["not_found", "bad_cursor", "invalid_input"],
      ),
    },
    "/v1/facts": {
      get: reading(
        "follow_all",
        "streams",
        "Facts of all sessions that the token may see, by position.",
        [...cursor, inQuery("workspace", "Only sessions that belong there.")],
        events,
        ["bad_cursor", "invalid_input"],
      ),
    },
    "/v1/blobs": { post: storing() },
    "/v1/blobs/{digest}": {
      get: reading("read_blob", "blobs", "Bytes, also by Range.", [inPath("digest")], bytes, [
        "not_found",
        "invalid_input",
      ]),
    },
    "/v1/tokens": {
      get: reading("list_tokens", "access", "The tokens that were issued.", [], jsonBody(answered({})), []),
      post: {
        ...reading("issue_token", "access", "Gives a new token, once.", [], jsonBody(answered({})), [
          "invalid_input",
          "too_large",
        ]),
        requestBody: { required: true, content: jsonBody(jsonSchema(TokenRequest, "input")) },
      },
    },
    "/v1/tokens/{id}": {
      delete: reading("revoke_token", "access", "Ends a token.", [inPath("id")], jsonBody(answered({})), [
        "not_found",
      ]),
    },
    "/v1/capabilities": {
      get: reading(
        "read_capabilities",
        "reads",
        "The commands that this host carries out for this token; it refuses the others as unavailable or not permitted.",
        [],
        jsonBody(
          answered({
            type: "object",
            properties: { commands: { type: "array", items: text } },
            required: ["commands"],
          }),
        ),
        [],
      ),
    },
    "/v1/health": {
      get: {
        operationId: "health",
        summary: "Whether a host answers here.",
        tags: ["access"],
        security: [],
        responses: { 200: { description: "It does.", content: jsonBody({ type: "object" }) } },
      },
    },
  }
}

function storing(): Operation {
  const stored = { type: "object", properties: { digest: text, bytes: count }, required: ["digest", "bytes"] }
  return {
    ...reading("store_blob", "blobs", "Stores bytes under their hash.", [], jsonBody(answered(stored)), [
      "too_large",
      "invalid_input",
      "write_failed",
    ]),
    requestBody: { required: true, content: bytes },
  }
}
