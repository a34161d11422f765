import { snapshotNames } from "@factum/facts"
import { TokenRequest } from "../access/token-routes.ts"
import { CredentialGift } from "../credentials.ts"
import { PreviewRequest } from "../previews.ts"
import { artifactPaths } from "./artifact-paths.ts"
import type { OpenApi, Operation } from "./document.ts"
import { interopPaths } from "./interop-paths.ts"
import { bytes, count, inPath, inQuery, reading, session, taking, text } from "./operation.ts"
import { refusalResponses } from "./refusals.ts"
import { answered, jsonBody, jsonSchema, refTo } from "./schema.ts"
import { streamPaths } from "./stream-paths.ts"

const row = {
  type: "object",
  properties: {
    session_id: text,
    title: text,
    status: text,
    parent_session_id: { ...text, description: "The session that handed its work out." },
    needs_you: { ...count, description: "How many requests wait for a person." },
    position: count,
  },
}
const page = {
  type: "object",
  properties: {
    sessions: { type: "array", items: row },
    next: { ...count, description: "`before` of the next page." },
  },
  required: ["sessions"],
}

const stored = {
  type: "object",
  properties: { digest: text, bytes: count, ref: refTo("Ref") },
  required: ["digest", "bytes", "ref"],
}
const tokenRow = {
  type: "object",
  properties: {
    id: text,
    name: text,
    roles: { type: "array", items: text },
    scope: { type: "object" },
    created_at: text,
    expires_at: text,
  },
  required: ["id", "name", "roles", "scope", "created_at"],
}
const issued = { ...tokenRow, properties: { token: text, ...tokenRow.properties } }

const list = (name: Parameters<typeof refTo>[0]) => ({ type: "array", items: refTo(name) })
const opening = {
  type: "object",
  properties: {
    read_models: {
      type: "object",
      properties: {
        session_snapshot: refTo("session_snapshot"),
        thread_read_models: list("thread_read_model"),
        queue_snapshots: list("queue_snapshot"),
        context_boundary_snapshots: list("context_boundary_snapshot"),
        task_snapshot: refTo("task_snapshot"),
        permission_sandbox_summary: refTo("permission_sandbox_summary"),
        artifact_checkpoint_summary: refTo("artifact_checkpoint_summary"),
        evidence_summary: refTo("evidence_summary"),
        subagent_job_summary: refTo("subagent_job_summary"),
      },
    },
    history: { type: "array", items: { type: "object" } },
    next_cursor: text,
  },
  required: ["read_models", "history"],
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
          inQuery("top", "Without the sessions that another one handed out.", { enum: ["true"] }),
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
    "/v1/sessions/{session_id}/opening": {
      get: reading(
        "open_session",
        "reads",
        "The read models that a client opens a session with and its newest facts, all of one moment.",
        [session, inQuery("limit", "How many facts of history.")],
        jsonBody(answered(opening)),
        ["not_found", "invalid_input"],
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
    ...streamPaths(),
    ...artifactPaths(),
    ...interopPaths(),
    "/v1/blobs": {
      post: taking(
        bytes,
        reading("store_blob", "blobs", "Stores bytes under their hash.", [], jsonBody(answered(stored)), [
          "too_large",
          "invalid_input",
          "write_failed",
        ]),
      ),
    },
    "/v1/blobs/{digest}": {
      get: reading("read_blob", "blobs", "Bytes, also by Range.", [inPath("digest")], bytes, [
        "not_found",
        "invalid_input",
      ]),
    },
    "/v1/previews": {
      post: taking(
        jsonBody(jsonSchema(PreviewRequest, "input")),
        reading(
          "show_preview",
          "artifacts",
          "Keeps a page for one look at it: path gives it once, to a frame without any right.",
          [],
          jsonBody(answered({ type: "object", properties: { path: text }, required: ["path"] })),
          ["invalid_input", "too_large"],
        ),
      ),
    },
    "/v1/tokens": {
      get: reading(
        "list_tokens",
        "access",
        "The tokens that were issued, as far as your own reaches.",
        [],
        jsonBody(
          answered({
            type: "object",
            properties: { tokens: { type: "array", items: tokenRow } },
            required: ["tokens"],
          }),
        ),
        [],
      ),
      post: taking(
        jsonBody(jsonSchema(TokenRequest, "input")),
        reading("issue_token", "access", "Gives a new token, once.", [], jsonBody(answered(issued)), [
          "invalid_input",
          "too_large",
          "write_failed",
        ]),
      ),
    },
    "/v1/tokens/{id}": {
      delete: reading(
        "revoke_token",
        "access",
        "Ends a token.",
        [inPath("id")],
        jsonBody(answered({ type: "object" })),
        ["not_found"],
      ),
    },
    "/v1/credentials": {
      post: taking(
        jsonBody(jsonSchema(CredentialGift, "input")),
        reading(
          "give_credential",
          "access",
          "Keeps a secret that an action asked for; the answer to the action names the ref.",
          [],
          jsonBody(answered({ type: "object", properties: { ref: text }, required: ["ref"] })),
          ["invalid_input", "too_large", "not_found"],
        ),
      ),
    },
    "/v1/capabilities": {
      get: reading(
        "read_capabilities",
        "reads",
        "The commands that this host carries out for this token (it refuses the others as unavailable or not permitted), and whether it has demonstrations to play.",
        [],
        jsonBody(
          answered({
            type: "object",
            properties: {
              commands: { type: "array", items: text },
              demonstrations: { type: "boolean", description: "Its model is the built-in demo." },
            },
            required: ["commands", "demonstrations"],
          }),
        ),
        [],
      ),
    },
    "/v1/host": {
      get: reading(
        "read_host",
        "reads",
        "The folder that this host works in, when it has one, and the one that it was started for where its demonstrations are played elsewhere; for administrators.",
        [],
        jsonBody(answered({ type: "object", properties: { workspace: text, started_for: text } })),
        [],
      ),
    },
    "/v1/health": { get: open("health", "Whether a host answers here.") },
    "/v1/openapi.json": { get: open("describe", "This description.") },
  }
}

/** What needs no token. */
const open = (operationId: string, summary: string): Operation => ({
  operationId,
  summary,
  tags: ["access"],
  security: [],
  responses: {
    200: { description: "Done.", content: jsonBody({ type: "object" }) },
    ...refusalResponses(["not_permitted", "invalid_input"]),
  },
})
