import { surfaces } from "@factum/agent-ui"
import type { Runtime } from "@factum/runtime"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { type Context, Hono } from "hono"
import { isScoped, reaches } from "../access/grant.ts"
import type { Leases } from "../access/leases.ts"
import { outOfScope } from "../access/reach.ts"
import type { HostEnv } from "../env.ts"
import { type Checked, refuse } from "../refusal.ts"
import { wholeNumber } from "../sessions.ts"
import { streamEvents, streamHeaders } from "./events.ts"
import type { Feeds } from "./follow.ts"
import { framesOf } from "./frames.ts"
import { everySource, type Source, sessionSource } from "./source.ts"
import { factEvents, ofFamilies, ofStreams, type View } from "./view.ts"

/** What happens in one session, and in all that the token may see: as facts, and as what a person should see of them. */
export function streamRoutes(runtime: Runtime, feeds: Feeds, leases: Leases) {
  const routes = new Hono<HostEnv>()
  const views = { facts: factsWanted, "agent-ui": framesWanted }

  for (const [name, wanted] of Object.entries(views)) {
    routes.get(`/sessions/:id/${name}`, (c) => {
      const session = c.req.param("id")
      if (!reaches(c.var.grant, session, runtime.workspaceOf)) return refuse(c, outOfScope(session))
      // The runtime's own stream is no session.
      if (session === runtime.runtime_id || runtime.log.head(session) === 0) {
        const message = `There is no session ${session}.`
        return refuse(c, { code: "not_found", message, field: "session_id", id: session })
      }
      return answer(c, { feeds, leases }, sessionSource(runtime.log, session), wanted(c))
    })

    routes.get(`/${name}`, (c) => {
      const view = wanted(c)
      const seen = view.ok ? { ...view, value: visible(view.value, c, runtime) } : view
      return answer(c, { feeds, leases }, everySource(runtime.log), seen)
    })
  }

  return routes
}

function answer(
  c: Context<HostEnv>,
  { feeds, leases }: { feeds: Feeds; leases: Leases },
  source: Source,
  view: Checked<View>,
) {
  const cursor = cursorOf(c, source.head())
  if (!cursor.ok) return refuse(c, cursor.refusal)
  if (!view.ok) return refuse(c, view.refusal)
  if (c.env.incoming.method === "HEAD") return c.body(null, 200, streamHeaders)
  const { outgoing } = c.env
  outgoing.writeHead(200, streamHeaders)
  outgoing.on(
    "close",
    leases.take(c.var.grant, () => outgoing.end()),
  )
  void streamEvents(feeds, source, view.value, cursor.value, outgoing)
  return RESPONSE_ALREADY_SENT
}

function factsWanted(c: Context<HostEnv>): Checked<View> {
  const types = namesIn(c.req.query("types"))
  if (types === "none") return notNamed("types", "families or types of facts", "tool,turn.completed")
  return { ok: true, value: types === undefined ? factEvents : ofFamilies(factEvents, types) }
}

function framesWanted(c: Context<HostEnv>): Checked<View> {
  const [types, places] = [namesIn(c.req.query("types")), namesIn(c.req.query("surfaces"))]
  if (types === "none") return notNamed("types", "families or types of events", "tool,text.delta")
  const known: readonly string[] = surfaces
  if (places === "none" || places?.some((name) => !known.includes(name)))
    return notNamed("surfaces", `of ${surfaces.join(", ")}`, "hitl,tool_ui")
  return { ok: true, value: framesOf({ ...(types && { types }), ...(places && { surfaces: places }) }) }
}

function namesIn(text: string | undefined): readonly string[] | undefined | "none" {
  const names = text?.split(",").filter((name) => name !== "")
  if (names === undefined) return undefined
  return names.length > 0 && names.every((name) => /^[\w.-]{1,120}$/.test(name)) ? names : "none"
}

function notNamed(field: string, what: string, example: string): Checked<never> {
  const message = `${field} are ${what}, with commas between: ${example}.`
  return { ok: false, refusal: { code: "invalid_input", message, field } }
}

/** Who has a narrow scope, or asks for one workspace, is told of no other stream. */
function visible(view: View, c: Context<HostEnv>, runtime: Runtime): View {
  const { grant } = c.var
  const workspace = c.req.query("workspace")
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
