import type { OwnerPorts, PortAnswer } from "@factum/agent-ui"
import { type Client, newId, type Reply } from "@factum/client"

const json = (method: string, body: object): RequestInit => ({ method, body: JSON.stringify(body) })

/** The ports of the artifacts' owner, over the host's routes. */
export function artifactPorts(client: Client): OwnerPorts {
  const at = (id: string, rest = "") => `/v1/artifacts/${encodeURIComponent(id)}${rest}`
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
    "artifact.read": async ({ target }) => {
      const version = target.version === undefined ? "" : `?version=${encodeURIComponent(target.version)}`
      return answer(await client.bytes(at(target.id, `/content${version}`)))
    },
  }
}

export function answer<R>(reply: Reply<R>): PortAnswer {
  if (reply.ok) return { ok: true, value: reply.result }
  const { code, message } = reply.refusal
  return { ok: false, code, message }
}
