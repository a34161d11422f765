import type { Runtime } from "@factum/runtime"
import type { HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { type Context, Hono } from "hono"
import { follow } from "./follow.ts"
import type { Pace } from "./paced-writer.ts"
import { accept, type Checked, refuse } from "./refusal.ts"

const MOST_SESSIONS = 500
const USUAL_SESSIONS = 100
const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
}

export function sessionRoutes(runtime: Runtime, closing: AbortSignal, pace: Pace) {
  const routes = new Hono<{ Bindings: HttpBindings }>()

  routes.get("/", (c) => {
    const limit = wholeNumber(c.req.query("limit") ?? String(USUAL_SESSIONS))
    if (limit === undefined || limit < 1 || limit > MOST_SESSIONS) {
      const message = `limit is a whole number from 1 to ${MOST_SESSIONS}.`
      return refuse(c, { code: "invalid_input", message, field: "limit" })
    }
    const given = c.req.query("before")
    if (given === undefined) return accept(c, runtime.sessions({ limit }))
    const before = wholeNumber(given)
    if (before === undefined) {
      const message = "before is the position of the last session of the page before."
      return refuse(c, { code: "bad_cursor", message, field: "before" })
    }
    return accept(c, runtime.sessions({ limit, before }))
  })

  routes.get("/:id/facts", (c) => {
    const session = c.req.param("id")
    // The runtime's own stream is no session.
    const head = session === runtime.runtime_id ? 0 : runtime.log.head(session)
    if (head === 0) {
      const message = `There is no session ${session}.`
      return refuse(c, { code: "not_found", message, field: "session_id", id: session })
    }
    const cursor = cursorOf(c, head)
    if (!cursor.ok) return refuse(c, cursor.refusal)
    if (c.env.incoming.method === "HEAD") return c.body(null, 200, streamHeaders)
    const { outgoing } = c.env
    outgoing.writeHead(200, streamHeaders)
    void follow(runtime.log, session, cursor.value, outgoing, closing, pace)
    return RESPONSE_ALREADY_SENT
  })

  return routes
}

/** A browser that reconnects sends the last id it has seen, which is newer than the one in its address. */
function cursorOf(c: Context, head: number): Checked<number> {
  const last = c.req.header("last-event-id")
  const field = last === undefined ? "after" : "Last-Event-ID"
  const after = wholeNumber(last ?? c.req.query("after") ?? "0")
  if (after !== undefined && after <= head) return { ok: true, value: after }
  const message =
    after === undefined
      ? `${field} is the sequence of the last fact that was seen, or 0.`
      : `${field} is ${after}, but the session ends at ${head}.`
  const fix = `Read the session again and resume after a sequence from 0 to ${head}.`
  return { ok: false, refusal: { code: "bad_cursor", message, field, fix } }
}

function wholeNumber(text: string): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(value) ? value : undefined
}
