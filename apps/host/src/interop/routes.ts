import type { Runtime } from "@factum/runtime"
import { type Context, Hono } from "hono"
import { reaches } from "../access/grant.ts"
import type { Leases } from "../access/leases.ts"
import { forbidden, outOfScope } from "../access/reach.ts"
import { parseJson, readBody } from "../body.ts"
import type { HostEnv } from "../env.ts"
import { type Checked, refuse } from "../refusal.ts"
import { runAgUi } from "./ag-ui.ts"
import { aiSdkHeaders, chatAiSdk, resumeAiSdk } from "./ai-sdk.ts"
import { type Sender, sessionOf } from "./thread.ts"

/** Peers send the whole thread with every request. */
const LIMIT = 16 * 1024 * 1024
const agUiHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
}

type Parts = { runtime: Runtime; closing: AbortSignal; leases: Leases; workspace: string | undefined }

/** The endpoints that clients of other protocols speak to, with the rights of the token that they show. */
export function interopRoutes({ runtime, closing, leases, workspace }: Parts) {
  const routes = new Hono<HostEnv>()

  const senderOf = ({ var: { grant } }: Context<HostEnv>): Sender => {
    const refused = (name: string, body: unknown) => forbidden(grant, name, body, runtime, workspace)
    return {
      forbidden: refused,
      async execute(name, body) {
        const refusal = refused(name, body)
        if (refusal !== undefined) return { ok: false, refusal }
        return runtime.execute(name, body, { id: grant.id, name: grant.name })
      },
    }
  }

  /** Ends with the host, with the token, or with the reader. */
  function until(c: Context<HostEnv>): AbortSignal {
    const lost = new AbortController()
    c.env.outgoing.on(
      "close",
      leases.take(c.var.grant, () => lost.abort()),
    )
    return AbortSignal.any([closing, lost.signal])
  }

  routes.post("/ag-ui", async (c) => {
    const body = await jsonOf(c)
    if (!body.ok) return refuse(c, body.refusal)
    const run = await runAgUi(runtime, senderOf(c), body.value, until(c))
    return run.ok ? c.body(run.value, 200, agUiHeaders) : refuse(c, run.refusal)
  })

  routes.post("/ai-sdk/chat", async (c) => {
    const body = await jsonOf(c)
    if (!body.ok) return refuse(c, body.refusal)
    const chat = await chatAiSdk(runtime, senderOf(c), body.value, until(c))
    return chat.ok ? c.body(chat.value, 200, aiSdkHeaders) : refuse(c, chat.refusal)
  })

  routes.get("/ai-sdk/chat/:id/stream", async (c) => {
    const id = c.req.param("id")
    const session = sessionOf(runtime, "aisdk", id)
    if (!reaches(c.var.grant, session, runtime.workspaceOf)) return refuse(c, outOfScope(session))
    const stream = await resumeAiSdk(runtime, id, until(c))
    return stream ? c.body(stream, 200, aiSdkHeaders) : c.body(null, 204)
  })

  return routes
}

async function jsonOf(c: Context<HostEnv>): Promise<Checked<unknown>> {
  const body = await readBody(c.env.incoming, LIMIT, "Send the last messages of the thread only.")
  return body.ok ? parseJson(body.value) : body
}
