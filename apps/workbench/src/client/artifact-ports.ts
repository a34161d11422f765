import type { OwnerPorts, PortAnswer } from "@factum/agent-ui"
import { type Client, newId, type Reply } from "@factum/client"

const at = (id: string, rest = "") => `/v1/artifacts/${encodeURIComponent(id)}${rest}`

/** Where the bytes of an artifact are read; without a version, of the newest. */
export const artifactContent = ({ id, version }: { id: string; version?: string | undefined }): string =>
  at(id, `/content${version === undefined ? "" : `?version=${encodeURIComponent(version)}`}`)

const json = (method: string, body: object): RequestInit => ({ method, body: JSON.stringify(body) })

/** The ports of the artifacts' owner, over the host's routes. */
export function artifactPorts(client: Client): OwnerPorts {
  return {
    "artifact.edit": async ({ artifactId, versionId, body }) =>
      answer(
        await client.ask(
          at(artifactId),
          json("PUT", { content: body, base_version: versionId, command_id: newId("cmd") }),
        ),
      ),
    "artifact.rollback": async ({ artifactId, versionId }) =>
      answer(
        await client.ask(
          at(artifactId, "/rollback"),
          json("POST", { to_version: versionId, command_id: newId("cmd") }),
        ),
      ),
    "artifact.export": async ({ artifactId, versionId }) =>
      answer(
        await client.ask(at(artifactId, "/export"), json("POST", versionId ? { version: versionId } : {})),
      ),
    "artifact.read": async ({ target }) => answer(await client.bytes(artifactContent(target))),
  }
}

export function answer<R>(reply: Reply<R>): PortAnswer {
  if (reply.ok) return { ok: true, value: reply.result }
  const { code, message } = reply.refusal
  return { ok: false, code, message }
}
