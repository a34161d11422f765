import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createRuntime, type Model, type RuntimeParts } from "@factum/runtime"
import { openArtifacts } from "@factum/runtime/artifacts"
import { type NotOpened, openSqliteStore, type SqliteStore } from "@factum/runtime/sqlite"
import { createApp } from "./app.ts"
import type { Pace } from "./paced-writer.ts"
import { bind } from "./server.ts"
import { keepToken, readToken } from "./token.ts"

export const workbenchDirectory = fileURLToPath(new URL("../../workbench/dist", import.meta.url))

export type HostParts = {
  directory: string
  model: Model
  /** All that may answer, best first; without it, `model` alone. */
  models?: RuntimeParts["models"]
  limits?: RuntimeParts["limits"]
  /** Who works in a turn; without it, an agent that can only talk. */
  agent?: RuntimeParts["agent"]
  sandbox?: RuntimeParts["sandbox"]
  /** The folder that artifacts may be exported to. */
  project?: string
  /** Values that never reach a fact, by name. */
  secrets?: RuntimeParts["secrets"]
  port: number
  /** When the port is taken, any free one will do. */
  orFree?: boolean
  workbench?: string
  pace?: Pace
  /** How long an owner of the folder that does not answer is asked again. */
  patienceMs?: number
}

export type Host = {
  ok: true
  url: string
  token: string
  /** The page's address with the token, which the page takes out of it. */
  page: string
  note?: string
  close(): Promise<void>
}
export type NotStarted =
  | { ok: false; code: "running"; page: string; pid: number }
  | { ok: false; code: Exclude<NotOpened["code"], "owned"> | "not_answering" | "port_taken"; message: string }

export async function startHost(parts: HostParts): Promise<Host | NotStarted> {
  const store = await openStore(parts)
  if (!store.ok) return store
  const bound = await bindNear(parts)
  if ("taken" in bound) {
    await store.log.close()
    return { ok: false, code: "port_taken", message: `Port ${parts.port} cannot be used: ${bound.taken}.` }
  }
  const { server, note } = bound
  const opened = openArtifacts(join(parts.directory, "artifacts.db"), { blobs: store.blobs })
  if (!opened.ok) {
    await server.close()
    await store.log.close()
    return { ok: false, code: "damaged", message: opened.message }
  }
  const token = keepToken(parts.directory)
  const { model, models, limits, agent, sandbox } = parts
  const secrets = { ...parts.secrets, "access-token": token }
  const runtime = await createRuntime({
    store,
    artifacts: opened.artifacts,
    model,
    secrets,
    ...(models && { models }),
    ...(limits && { limits }),
    ...(agent && { agent }),
    ...(sandbox && { sandbox }),
  })
  const closing = new AbortController()
  const { workbench = workbenchDirectory, pace, project } = parts
  const given = { ...(pace && { pace }), ...(project && { project }) }
  server.serve(createApp({ runtime, token, workbench, closing: closing.signal, ...given }))
  const url = `http://127.0.0.1:${server.port}/`
  store.setUrl(url)
  return {
    ok: true,
    url,
    token,
    page: pageAddress(url, token),
    ...(note && { note }),
    async close() {
      closing.abort()
      await server.close()
      await runtime.close()
    },
  }
}

async function bindNear({ port, orFree = false }: HostParts) {
  const wanted = await bind(port)
  if (!("taken" in wanted)) return { server: wanted, note: undefined }
  const free = orFree ? await bind(0) : wanted
  if ("taken" in free) return free
  return { server: free, note: `Port ${port} is taken, so Factum uses ${free.port}.` }
}

/** The owner may be just starting or just ending, so one that does not answer is asked again for a while. */
async function openStore({ directory, patienceMs = 5000 }: HostParts): Promise<SqliteStore | NotStarted> {
  await makePrivate(directory)
  for (const deadline = performance.now() + patienceMs; ; await pause(100)) {
    const store = await openSqliteStore(directory)
    if (store.ok || store.code !== "owned") return store
    const { owner, message } = store
    if (owner?.url && (await isAnswering(owner.url))) {
      const page = pageAddress(owner.url, readToken(directory))
      return { ok: false, code: "running", page, pid: owner.pid }
    }
    if (performance.now() >= deadline) {
      const unanswered = `${message.replace(/\.$/, "")}, which does not answer.`
      return { ok: false, code: "not_answering", message: unanswered }
    }
  }
}

/** What people say to their agents is not for the machine's other users. A folder that exists keeps its mode. */
async function makePrivate(directory: string) {
  // Where this fails, opening the store says why.
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch(() => undefined)
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL("/v1/health", url), { signal: AbortSignal.timeout(1000) })
    const { name }: { name?: unknown } = await response.json()
    return name === "factum"
  } catch {
    return false
  }
}

function pageAddress(url: string, token: string | undefined): string {
  return token === undefined ? url : `${url}#token=${token}`
}
