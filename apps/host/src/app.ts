import type { Runtime } from "@factum/runtime"
import { type Context, Hono } from "hono"
import { Gate, type Limits } from "./access/admission.ts"
import { Audit, type AuditPace } from "./access/audit.ts"
import { may, permissionFor } from "./access/grant.ts"
import { Leases } from "./access/leases.ts"
import { tokenRoutes } from "./access/token-routes.ts"
import type { TokenBook } from "./access/tokens.ts"
import { artifactRoutes } from "./artifacts.ts"
import { blobRoutes } from "./blobs.ts"
import { ChannelServer } from "./channels/server.ts"
import { commandRoutes } from "./commands.ts"
import { credentialRoutes } from "./credentials.ts"
import type { HostEnv } from "./env.ts"
import { interopRoutes } from "./interop/routes.ts"
import { workbenchPages } from "./pages.ts"
import { Previews, previewPages, previewRoutes } from "./previews.ts"
import { referencePages } from "./reference/pages.ts"
import { accept, refuse } from "./refusal.ts"
import {
  admittedOnly,
  audited,
  loopback,
  permittedOnly,
  type Site,
  sameSiteOnly,
  unambiguous,
  withSecurityHeaders,
} from "./security.ts"
import { sessionRoutes } from "./sessions.ts"
import { Feeds } from "./streams/follow.ts"
import { type Pace, usualPace } from "./streams/pace.ts"
import { streamRoutes } from "./streams/routes.ts"
import { version } from "./version.ts"

export type AppParts = {
  runtime: Runtime
  /** The start token, which is the local user's. */
  token: string
  /** The tokens that were issued to others. */
  tokens?: TokenBook
  /** Where the built workbench lies. */
  workbench: string
  /** Fires when the host closes: streams end and nothing new is taken. */
  closing: AbortSignal
  pace?: Pace
  /** The folder that artifacts may be exported to. */
  project?: string
  limits?: Limits
  audit?: AuditPace
  site?: Site
  /** Where the sessions that are created belong. */
  workspace?: string
  /** The folder that it was started for, when its demonstrations are played elsewhere. */
  started_for?: string
  /** Its model is the built-in demo, which has demonstrations to play. */
  demonstrations?: boolean
}

export type App = {
  http: Hono<HostEnv>
  channels: ChannelServer
  feeds: Feeds
  leases: Leases
  audit: Audit
}

export function createApp(parts: AppParts): App {
  const {
    runtime,
    token,
    tokens,
    workbench,
    closing,
    pace = usualPace,
    site = loopback,
    workspace,
    project,
  } = parts
  const http = new Hono<HostEnv>()
  const gate = new Gate(token, tokens, parts.limits)
  const leases = new Leases(gate)
  const feeds = new Feeds(pace, closing)
  const previews = new Previews()
  const audit = new Audit(runtime.report, parts.audit)

  http.use(withSecurityHeaders, sameSiteOnly(site), unambiguous)
  http.get("/v1/health", (c) => c.json({ ok: true, name: "factum", version }))
  http.route("/", referencePages())
  http.use("/v1/*", admittedOnly(gate), audited(audit), permittedOnly("read"))
  http.use("/v1/*", async (c, next) => {
    if (!closing.aborted) return next()
    return refuse(c, { code: "unavailable", message: "The host is closing.", fix: "Ask again in a moment." })
  })
  http.get("/v1/capabilities", (c) =>
    accept(c, {
      commands: runtime.commands.filter((name) => may(c.var.grant, permissionFor(name))),
      demonstrations: parts.demonstrations === true,
    }),
  )
  http.get("/v1/host", permittedOnly("administer"), (c) =>
    accept(c, {
      ...(workspace !== undefined && { workspace }),
      ...(parts.started_for !== undefined && { started_for: parts.started_for }),
    }),
  )
  http.route("/v1/commands", commandRoutes(runtime, workspace))
  http.route("/v1", streamRoutes(runtime, feeds, leases))
  http.route("/v1/sessions", sessionRoutes(runtime))
  http.route("/v1/blobs", blobRoutes(runtime))
  http.route("/v1/artifacts", artifactRoutes(runtime, project))
  http.route("/v1/previews", previewRoutes(previews))
  http.route("/v1/credentials", credentialRoutes(runtime))
  http.route("/v1/tokens", tokenRoutes(tokens, runtime))
  http.route("/v1", interopRoutes({ runtime, closing, leases, workspace }))
  http.all("/v1/*", noRoute)
  http.route("/previews", previewPages(previews))
  http.route("/", workbenchPages(workbench))
  http.notFound(noRoute)

  http.onError((error, c) => {
    console.error(error)
    const message = "The host met an error of its own; whether anything was done is not known."
    const fix = "Send it again under the same command_id; the host's own output says more."
    return refuse(c, { code: "internal_error", message, fix })
  })

  const channels = new ChannelServer({ runtime, feeds, gate, leases, audit, site, closing })
  return { http, channels, feeds, leases, audit }
}

function noRoute(c: Context) {
  const message = `There is no ${c.req.method} ${c.req.path}.`
  return refuse(c, { code: "not_found", message, field: "path" })
}
