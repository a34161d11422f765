import { mkdir } from "node:fs/promises"
import { isIPv6 } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { createSecureContext } from "node:tls"
import { fileURLToPath } from "node:url"
import { createRuntime, type Model, type Runtime, type RuntimeParts } from "@factum/runtime"
import { openArtifacts } from "@factum/runtime/artifacts"
import { type NotOpened, openSqliteStore, type SqliteStore } from "@factum/runtime/sqlite"
import { isLoopback, type Limits } from "./access/admission.ts"
import { TokenBook } from "./access/tokens.ts"
import { createApp } from "./app.ts"
import { loopback, type Site } from "./security.ts"
import { type Bound, bind, LOOPBACK } from "./server.ts"
import type { Pace } from "./streams/pace.ts"
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
  /** Where the sessions that are created belong, for example the folder that agents work in. */
  workspace?: string
  /** The folder that it was started for, when the demonstrations are played elsewhere. */
  started_for?: string
  /** The model is the built-in demo, which has demonstrations to play. */
  demonstrations?: boolean
  port: number
  /** The address to listen on; others than loopback need TLS and a token for those who come. */
  address?: string
  /** Under which names the host may be asked for, beside those of this machine. */
  names?: readonly string[]
  /** Other sites whose pages may ask, each as a browser names its origin. */
  origins?: readonly string[]
  tls?: { cert: string; key: string }
  access?: Limits
  /** When the port is taken, any free one will do. */
  orFree?: boolean
  workbench?: string
  pace?: Pace
  /** Told of the runtime before the first request is taken, for programs that work with it directly. */
  onOpen?: (runtime: Runtime) => void
  /** How long an owner of the folder that does not answer is asked again. */
  patienceMs?: number
}

export type Host = {
  ok: true
  url: string
  /** Where programs of this machine reach it, whatever its name and certificate are. */
  local: string
  token: string
  /** The page's address with the token, which the page takes out of it. */
  page: string
  note?: string
  /** Why it can write nothing any more, should that happen: it is of no more use than to be closed. */
  died: Promise<string>
  close(): Promise<void>
}
export type NotStarted =
  | { ok: false; code: "running"; page: string; pid: number }
  | {
      ok: false
      code: Exclude<NotOpened["code"], "owned"> | "not_answering" | "port_taken" | "not_safe"
      message: string
    }

export async function startHost(parts: HostParts): Promise<Host | NotStarted> {
  const store = await openStore(parts)
  if (!store.ok) return store
  const tokens = openTokens(parts)
  if ("ok" in tokens) {
    await store.log.close()
    return tokens
  }
  const bound = await bindNear(parts)
  if ("taken" in bound) {
    await store.log.close()
    return { ok: false, code: "port_taken", message: `Port ${parts.port} cannot be used: ${bound.taken}.` }
  }
  const { servers, note } = bound
  const opened = openArtifacts(join(parts.directory, "artifacts.db"), { blobs: store.blobs })
  const stopListening = () => Promise.all(servers.map((server) => server.close()))
  if (!opened.ok) {
    await stopListening()
    await store.log.close()
    return { ok: false, code: "damaged", message: opened.message }
  }
  const token = keepToken(parts.directory)
  const { model, models, limits, agent, sandbox, workspace } = parts
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
    ...(workspace !== undefined && { workspace }),
  })
  parts.onOpen?.(runtime)
  const closing = new AbortController()
  const { workbench = workbenchDirectory, pace, project } = parts
  const site = siteOf(parts)
  const app = createApp({
    runtime,
    token,
    tokens,
    workbench,
    site,
    closing: closing.signal,
    ...(pace && { pace }),
    ...(project && { project }),
    ...(parts.access && { limits: parts.access }),
    ...(workspace !== undefined && { workspace }),
    ...(parts.demonstrations && { demonstrations: true }),
    ...(parts.started_for !== undefined && { started_for: parts.started_for }),
  })
  for (const server of servers) server.serve(app)
  const { url, local } = addressesOf(parts, site, servers)
  store.setUrl(local)
  return {
    ok: true,
    url,
    local,
    token,
    page: pageAddress(url, token),
    ...(note && { note }),
    died: store.died,
    async close() {
      closing.abort()
      await app.channels.close()
      await stopListening()
      await app.audit.close()
      await runtime.close()
    },
  }
}

/** The tokens that were issued, once it is safe to let others in. */
function openTokens({ directory, address, tls, names }: HostParts): TokenBook | NotStarted {
  const unusable = tls && certificateProblem(tls)
  if (unusable !== undefined) {
    return { ok: false, code: "not_safe", message: `The certificate cannot be used: ${unusable}.` }
  }
  const tokens = TokenBook.open(directory)
  if ("problem" in tokens) return { ok: false, code: "not_safe", message: tokens.problem }
  if (address === undefined || isLoopback(address)) return tokens
  const lacking =
    tls === undefined
      ? "give --tls-cert and --tls-key"
      : tokens.rows().length === 0
        ? "start it without --host and issue a token with POST /v1/tokens first"
        : names === undefined || names.length === 0
          ? "say with --name under which name it will be asked for"
          : undefined
  if (lacking === undefined) return tokens
  return { ok: false, code: "not_safe", message: `Others could reach ${address}: ${lacking}.` }
}

/** Certificate and key are read as the server will read them, which throws what is wrong with them. */
function certificateProblem(tls: { cert: string; key: string }): string | undefined {
  try {
    createSecureContext(tls)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function siteOf({ names = [], tls, address, origins = [] }: HostParts): Site {
  const own = isLoopback(address) && address !== undefined ? [inUrl(address)] : []
  return { names: [...new Set([...names, ...own, ...loopback.names])], secure: tls !== undefined, origins }
}

/** Its name and its certificate are for others; whoever is on this machine needs to trust neither. */
function addressesOf({ address = LOOPBACK }: HostParts, site: Site, [main, own]: Listeners) {
  const url = `${site.secure ? "https" : "http"}://${site.names[0]}:${main.port}/`
  const local = own ? `http://${LOOPBACK}:${own.port}/` : `http://${inUrl(address)}:${main.port}/`
  return { url, local }
}

const inUrl = (address: string): string => (isIPv6(address) ? `[${address}]` : address)

type Listeners = readonly [Bound, ...Bound[]]

async function bindNear(
  parts: HostParts,
): Promise<{ servers: Listeners; note?: string } | { taken: string }> {
  const { port, orFree = false, address = LOOPBACK, tls } = parts
  const listening = { address, ...(tls && { tls }) }
  const wanted = await bind({ port, ...listening })
  const server = "taken" in wanted && orFree ? await bind({ port: 0, ...listening }) : wanted
  if ("taken" in server) return server
  const note = server === wanted ? {} : { note: `Port ${port} is taken, so Factum uses ${server.port}.` }
  if (tls === undefined) return { servers: [server], ...note }
  const own = await bind({ port: 0 })
  if (!("taken" in own)) return { servers: [server, own], ...note }
  await server.close()
  return own
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
