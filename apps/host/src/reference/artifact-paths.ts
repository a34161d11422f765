import { artifactKinds } from "@factum/runtime"
import {
  ArtifactCreate,
  ArtifactEdit,
  ArtifactExport,
  ArtifactRemoval,
  ArtifactRollback,
} from "../artifacts.ts"
import type { OpenApi } from "./document.ts"
import { bytes, count, inPath, inQuery, reading, taking, text } from "./operation.ts"
import { answered, type JsonSchema, jsonBody, jsonSchema, refTo } from "./schema.ts"

const ref = refTo("Ref")
const preview = { type: "object", properties: { text, whole: { type: "boolean" } } }
const record = object(
  {
    artifact_id: text,
    status: { enum: ["present", "removed"] },
    session_id: text,
    kind: { enum: [...artifactKinds] },
    ...{ title: text, media_type: text, version: text, bytes: count, preview, ref },
    ...{ created_at: text, updated_at: text, position: count },
  },
  ["artifact_id", "status", "session_id", "kind", "title", "version"],
)
const version = object(
  {
    version: text,
    change: { enum: ["produced", "updated", "rolled_back"] },
    from_version: text,
    author: { enum: ["agent", "person"] },
    by: object({ id: text, name: text }, ["id"]),
    ...{ title: text, media_type: text, bytes: count, preview, ref, diff_ref: ref, created_at: text },
  },
  ["version", "change", "author", "title"],
)
const changed = object(
  {
    artifact_id: text,
    change: { enum: ["produced", "updated", "removed"] },
    ...{ version: text, media_type: text, title: text, preview, diff_ref: ref },
    refs: { type: "array", items: ref },
  },
  ["artifact_id", "change", "version", "refs"],
)
const diff = object({ from: text, to: text, text, added: count, removed: count, diff_ref: ref }, ["text"])
const exported = object({ version: text, path: text, bytes: count, download_ref: ref }, ["version"])

const id = inPath("artifact_id")
const known = ["not_found", "wrong_state"] as const
const changing = [
  "invalid_input",
  "too_large",
  "conflict",
  "scope_mismatch",
  "write_failed",
  ...known,
] as const

/** What agents and people make, with its history. */
export function artifactPaths(): OpenApi["paths"] {
  const one = "/v1/artifacts/{artifact_id}"
  return {
    "/v1/artifacts": {
      get: found("list_artifacts", "Artifacts, newest first.", paging, list("artifacts", record), [
        "invalid_input",
      ]),
      post: change("create_artifact", "Makes an artifact.", [], ArtifactCreate, changed),
    },
    [one]: {
      get: found("read_artifact", "What is known of an artifact.", [id], record, known),
      put: change("edit_artifact", "Makes the next version of base_version.", [id], ArtifactEdit, changed),
      delete: change(
        "remove_artifact",
        "Ends an artifact; its history stays.",
        [id],
        ArtifactRemoval,
        changed,
      ),
    },
    [`${one}/versions`]: {
      get: found("list_versions", "Every version, with who made it.", [id], list("versions", version), known),
    },
    [`${one}/content`]: {
      get: reading(
        "read_content",
        "artifacts",
        "The bytes of a version.",
        [id, inQuery("version", "The newest when it is not said.")],
        bytes,
        known,
      ),
    },
    [`${one}/diff`]: {
      get: found(
        "compare_versions",
        "A unified diff of two versions.",
        [
          id,
          { ...inQuery("from", "The older."), required: true },
          { ...inQuery("to", "The newer."), required: true },
        ],
        diff,
        ["invalid_input", "write_failed", ...known],
      ),
    },
    [`${one}/rollback`]: {
      post: change(
        "roll_back_artifact",
        "An older version becomes the newest.",
        [id],
        ArtifactRollback,
        changed,
      ),
    },
    [`${one}/export`]: {
      post: change(
        "export_artifact",
        "Writes a file in the project, for approvers, or gives a ref to download.",
        [id],
        ArtifactExport,
        exported,
      ),
    },
  }
}

const paging = [
  inQuery("session_id", "Only those that this session knows."),
  inQuery("limit", "How many at most, 1 to 500.", { type: "integer", minimum: 1, maximum: 500 }),
  inQuery("before", "The position of the last one of the page before.", count),
]

const found = (
  operationId: string,
  summary: string,
  parameters: readonly JsonSchema[],
  result: JsonSchema,
  refusals: Parameters<typeof reading>[5],
) => reading(operationId, "artifacts", summary, parameters, jsonBody(answered(result)), refusals)

const change = (
  operationId: string,
  summary: string,
  parameters: readonly JsonSchema[],
  input: Parameters<typeof jsonSchema>[0],
  result: JsonSchema,
) => taking(jsonBody(jsonSchema(input, "input")), found(operationId, summary, parameters, result, changing))

const list = (name: string, items: JsonSchema) => object({ [name]: { type: "array", items } }, [name])

function object(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required }
}
