import type { Runtime } from "@factum/runtime"
import type { HttpBindings } from "@hono/node-server"
import { type Context, Hono } from "hono"
import { parseJson, readBody } from "../body.ts"
import { type Checked, refuse } from "../refusal.ts"
import { runAgUi } from "./ag-ui.ts"
import { aiSdkHeaders, chatAiSdk, resumeAiSdk } from "./ai-sdk.ts"
import type { Execute } from "./thread.ts"

/** Peers send the whole thread with every request. */
const LIMIT = 16 * 1024 * 1024
const agUiHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
}

type Interop = Context<{ Bindings: HttpBindings }>
/** `executeFor` runs commands with the rights of whoever sent the request. */
type Parts = { runtime: Runtime; closing: AbortSignal; executeFor?: (c: Interop) => Execute }

/** The endpoints that clients of other protocols speak to. */
export function interopRoutes({ runtime, closing, executeFor = () => runtime.execute }: Parts) {
  const routes = new Hono<{ Bindings: HttpBindings }>()

  routes.post("/ag-ui", async (c) => {
    const body = await jsonOf(c)
    if (!body.ok) return refuse(c, body.refusal)
    const run = await runAgUi(runtime, executeFor(c), body.value, closing)
    return run.ok ? c.body(run.value, 200, agUiHeaders) : refuse(c, run.refusal)
  })

  routes.post("/ai-sdk/chat", async (c) => {
    const body = await jsonOf(c)
    if (!body.ok) return refuse(c, body.refusal)
    const chat = await chatAiSdk(runtime, executeFor(c), body.value, closing)
    return chat.ok ? c.body(chat.value, 200, aiSdkHeaders) : refuse(c, chat.refusal)
  })

  routes.get("/ai-sdk/chat/:id/stream", (c) => {
    const stream = resumeAiSdk(runtime, c.req.param("id"), closing)
    return stream ? c.body(stream, 200, aiSdkHeaders) : c.body(null, 204)
  })

  return routes
}

async function jsonOf(c: Interop): Promise<Checked<unknown>> {
  const body = await readBody(c.env.incoming, LIMIT, "Send the last messages of the thread only.")
  return body.ok ? parseJson(body.value) : body
}
