import type { Runtime } from "@factum/runtime"
import type { HttpBindings } from "@hono/node-server"
import { type Context, Hono } from "hono"
import { artifactRoutes } from "./artifacts.ts"
import { blobRoutes } from "./blobs.ts"
import { commandRoutes } from "./commands.ts"
import { credentialRoutes } from "./credentials.ts"
import { interopRoutes } from "./interop/routes.ts"
import { type Pace, usualPace } from "./paced-writer.ts"
import { workbenchPages } from "./pages.ts"
import { refuse } from "./refusal.ts"
import { bearerOnly, sameSiteOnly, withSecurityHeaders } from "./security.ts"
import { sessionRoutes } from "./sessions.ts"
import { version } from "./version.ts"

export type AppParts = {
  runtime: Runtime
  token: string
  /** Where the built workbench lies. */
  workbench: string
  /** Fires when the host closes: streams end and nothing new is taken. */
  closing: AbortSignal
  pace?: Pace
  /** The folder that artifacts may be exported to. */
  project?: string
}

export function createApp({ runtime, token, workbench, closing, pace = usualPace, project }: AppParts) {
  const app = new Hono<{ Bindings: HttpBindings }>()

  app.use(withSecurityHeaders, sameSiteOnly)
  app.get("/v1/health", (c) => c.json({ ok: true, name: "factum", version }))
  app.use("/v1/*", bearerOnly(token))
  app.use("/v1/*", async (c, next) => {
    if (!closing.aborted) return next()
    return refuse(c, { code: "unavailable", message: "The host is closing.", fix: "Ask again in a moment." })
  })
  app.route("/v1/commands", commandRoutes(runtime))
  app.route("/v1/sessions", sessionRoutes(runtime, closing, pace))
  app.route("/v1/blobs", blobRoutes(runtime))
  app.route("/v1/artifacts", artifactRoutes(runtime, project))
  app.route("/v1/credentials", credentialRoutes(runtime))
  app.route("/v1", interopRoutes({ runtime, closing }))
  app.all("/v1/*", noRoute)
  app.route("/", workbenchPages(workbench))
  app.notFound(noRoute)

  app.onError((error, c) => {
    console.error(error)
    const message = "The host met an error of its own; whether anything was done is not known."
    const fix = "Send it again under the same command_id; the host's own output says more."
    return refuse(c, { code: "internal_error", message, fix })
  })

  return app
}

function noRoute(c: Context) {
  const message = `There is no ${c.req.method} ${c.req.path}.`
  return refuse(c, { code: "not_found", message, field: "path" })
}
