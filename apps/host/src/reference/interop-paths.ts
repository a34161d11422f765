import { AgUiInput } from "../interop/ag-ui.ts"
import { AiSdkInput } from "../interop/ai-sdk.ts"
import type { OpenApi } from "./document.ts"
import { inPath, reading, taking, text } from "./operation.ts"
import { jsonBody, jsonSchema } from "./schema.ts"

const events = (what: string) => ({ "text/event-stream": { schema: { ...text, description: what } } })
const chunks = events("The UI message stream of the AI SDK; ends with [DONE].")
const refusals = [
  "invalid_input",
  "too_large",
  "not_found",
  "wrong_state",
  "conflict",
  "write_failed",
] as const

/** Where clients of other protocols come in. */
export function interopPaths(): OpenApi["paths"] {
  const ended = { 204: { description: "No turn goes on." } }
  const resume = reading(
    "resume_ai_sdk",
    "interop",
    "The turn that goes on in a chat, from its beginning.",
    [inPath("id")],
    chunks,
    [],
  )
  return {
    "/v1/ag-ui": {
      post: taking(
        jsonBody(jsonSchema(AgUiInput, "input")),
        reading("run_ag_ui", "interop", "A run of AG-UI 1.0.", [], events("Events of AG-UI."), refusals),
      ),
    },
    "/v1/ai-sdk/chat": {
      post: taking(
        jsonBody(jsonSchema(AiSdkInput, "input")),
        reading("chat_ai_sdk", "interop", "A request of useChat.", [], chunks, refusals),
      ),
    },
    "/v1/ai-sdk/chat/{id}/stream": {
      get: { ...resume, responses: { ...resume.responses, ...ended } },
    },
  }
}
