import type { Runtime } from "@factum/runtime"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { type Context, Hono } from "hono"
import { type Grant, isScoped, reaches } from "../access/grant.ts"
import type { Leases } from "../access/leases.ts"
import { outOfScope } from "../access/reach.ts"
import type { HostEnv } from "../env.ts"
import { type Checked, refuse } from "../refusal.ts"
import { wholeNumber } from "../sessions.ts"
import { streamEvents, streamHeaders } from "./events.ts"
import type { Feeds } from "./follow.ts"
import { everySource, type Source, sessionSource } from "./source.ts"
import { factEvents, ofFamilies, ofStreams, type View } from "./view.ts"

/** Facts of one session, and of all that the token may see. Another view of the same facts is another route. */
export function streamRoutes(runtime: Runtime, feeds: Feeds, leases: Leases) {
  const routes = new Hono<HostEnv>()

  routes.get("/sessions/:id/facts", (c) => {
    const session = c.req.param("id")
    if (!reaches(c.var.grant, session, runtime.workspaceOf)) return refuse(c, outOfScope(session))
    // The runtime's own stream is no session.
    if (session === runtime.runtime_id || runtime.log.head(session) === 0) {
      const message = `There is no session ${session}.`
      return refuse(c, { code: "not_found", message, field: "session_id", id: session })
    }
    return answer(c, { feeds, leases }, sessionSource(runtime.log, session), factEvents)
  })

  routes.get("/facts", (c) => {
    const view = visible(factEvents, c.var.grant, c.req.query("workspace"), runtime)
    return answer(c, { feeds, leases }, everySource(runtime.log), view)
  })

  return routes
}

function answer(
  c: Context<HostEnv>,
  { feeds, leases }: { feeds: Feeds; leases: Leases },
  source: Source,
  whole: View,
) {
  const cursor = cursorOf(c, source.head())
  if (!cursor.ok) return refuse(c, cursor.refusal)
  const types = c.req.query("types")
  const families = types?.split(",").filter((name) => name !== "")
  if (
    families !== undefined &&
    !(families.length > 0 && families.every((name) => /^[\w.-]{1,120}$/.test(name)))
  ) {
    const message = "types are families or types of facts, with commas between: tool,turn.completed."
    return refuse(c, { code: "invalid_input", message, field: "types" })
  }
  if (c.env.incoming.method === "HEAD") return c.body(null, 200, streamHeaders)
  const { outgoing } = c.env
  outgoing.writeHead(200, streamHeaders)
  const view = families === undefined ? whole : ofFamilies(whole, families)
  outgoing.on(
    "close",
    leases.take(c.var.grant, () => outgoing.end()),
  )
  void streamEvents(feeds, source, view, cursor.value, outgoing)
  return RESPONSE_ALREADY_SENT
}

/** Who has a narrow scope, or asks for one workspace, is told of no other stream. */
function visible(view: View, grant: Grant, workspace: string | undefined, runtime: Runtime): View {
  if (workspace === undefined && !isScoped(grant)) return view
  const known = new Map<string, boolean>()
  const sees = (stream: string): boolean => {
    const inWorkspace = workspace === undefined || runtime.workspaceOf(stream) === workspace
    return inWorkspace && reaches(grant, stream, runtime.workspaceOf)
  }
  return ofStreams(view, `${grant.id} in ${workspace ?? "all"}`, (stream) => {
    const before = known.get(stream)
    if (before !== undefined) return before
    const now = sees(stream)
    known.set(stream, now)
    return now
  })
}

/** A browser that reconnects sends the last id it has seen, which is newer than the one in its address. */
function cursorOf(c: Context, head: number): Checked<number> {
  const last = c.req.header("last-event-id")
  const field = last === undefined ? "after" : "Last-Event-ID"
  const after = wholeNumber(last ?? c.req.query("after") ?? "0")
  if (after !== undefined && after <= head) return { ok: true, value: after }
  const message =
    after === undefined
      ? `${field} is the id of the last fact that was seen, or 0.`
      : `${field} is ${after}, but the stream ends at ${head}.`
  const fix = `Read a snapshot again and resume after a cursor from 0 to ${head}.`
  return { ok: false, refusal: { code: "bad_cursor", message, field, fix } }
}
