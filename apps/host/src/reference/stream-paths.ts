import { surfaces } from "@factum/agent-ui"
import { CHANNEL_PATH } from "../channels/server.ts"
import type { OpenApi } from "./document.ts"
import { always, count, inQuery, reading, session, text } from "./operation.ts"
import { refusalResponses } from "./refusals.ts"
import { type JsonSchema, refTo } from "./schema.ts"

const events = (what: string, contentSchema: JsonSchema = { type: "object" }) => ({
  "text/event-stream": {
    schema: {
      ...text,
      description: `id: the cursor, data: ${what}`,
      contentMediaType: "application/json",
      contentSchema,
    },
  },
})
const facts = events("a fact, as it is stored", refTo("Fact"))
const frames = events("a frame {stream, sequence, events, supersedes?} with the Agent UI events of one fact")
const after = inQuery("after", "The id of the last event that was seen; Last-Event-ID wins over it.", count)
const workspace = inQuery("workspace", "Only sessions that belong there.")
const ofFacts = [
  after,
  inQuery("types", "Families or types of facts, with commas between: tool,turn.completed."),
]
const ofFrames = [
  after,
  inQuery("types", "Families or types of events, with commas between: tool,text.delta."),
  inQuery("surfaces", `Only events for these, with commas between: ${surfaces.join(", ")}.`),
]

/** What goes on for as long as somebody listens. */
export function streamPaths(): OpenApi["paths"] {
  const refusals = ["bad_cursor", "invalid_input"] as const
  const ofOne = [...refusals, "not_found"] as const
  const [one, all] = ["of a session by sequence.", "of all sessions that the token may see, by position."]
  return {
    "/v1/sessions/{session_id}/facts": {
      get: reading("follow_session", "streams", `Facts ${one}`, [session, ...ofFacts], facts, ofOne),
    },
    "/v1/facts": {
      get: reading("follow_all", "streams", `Facts ${all}`, [...ofFacts, workspace], facts, refusals),
    },
    "/v1/sessions/{session_id}/agent-ui": {
      get: reading("show_session", "streams", `What to show ${one}`, [session, ...ofFrames], frames, ofOne),
    },
    "/v1/agent-ui": {
      get: reading("show_all", "streams", `What to show ${all}`, [...ofFrames, workspace], frames, refusals),
    },
    [CHANNEL_PATH]: {
      get: {
        operationId: "connect_channel",
        summary: "A WebSocket for a peer that acknowledges, sends messages and answers approvals.",
        tags: ["streams"],
        responses: {
          101: { description: "The WebSocket is open; the subprotocol is factum.v1." },
          ...refusalResponses(always),
        },
      },
    },
  }
}
