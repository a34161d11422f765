import { Readable, Writable } from "node:stream"
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk"

export type Answering = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>
export const choose =
  (optionId: string): Answering =>
  () => ({ outcome: { outcome: "selected", optionId } })

/** The published client, as an editor uses it. */
export function editor(streams: { input: Readable; output: Writable }, answer: Answering) {
  const updates: SessionUpdate[] = []
  const asked: RequestPermissionRequest[] = []
  const app = client({ name: "editor" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params)
      return answer(params)
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update)
    })
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(streams.output), Readable.toWeb(streams.input) as ReadableStream<Uint8Array>),
  )
  return { updates, asked, connection, agent: connection.agent }
}

export async function open(agent: ClientContext, cwd = "/") {
  const begun = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })
  return { begun, sessionId }
}

export const prompt = (agent: ClientContext, sessionId: string, text: string) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })

export const said = (
  updates: readonly SessionUpdate[],
  kind: SessionUpdate["sessionUpdate"] = "agent_message_chunk",
) =>
  updates
    .map((update) =>
      update.sessionUpdate === kind &&
      "content" in update &&
      update.content &&
      "type" in update.content &&
      update.content.type === "text"
        ? update.content.text
        : "",
    )
    .join("")
