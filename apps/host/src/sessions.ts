import { type CommandName, type SnapshotName, snapshotNames } from "@factum/facts"
import type { Runtime } from "@factum/runtime"
import { type Context, Hono } from "hono"
import { isScoped, reaches } from "./access/grant.ts"
import { outOfScope } from "./access/reach.ts"
import type { HostEnv } from "./env.ts"
import { accept, type Checked, refuse } from "./refusal.ts"

const MOST_SESSIONS = 500
const USUAL_SESSIONS = 100
/** What get_session takes. */
const MOST_HISTORY = 1000
const USUAL_HISTORY = 200

/** Lists and read models. */
export function sessionRoutes(runtime: Runtime) {
  const routes = new Hono<HostEnv>()

  routes.get("/", (c) => {
    const limit = limitOf(c, USUAL_SESSIONS, MOST_SESSIONS)
    if (!limit.ok) return refuse(c, limit.refusal)
    const before = c.req.query("before")
    if (before !== undefined && wholeNumber(before) === undefined) {
      const message = "before is the cursor that the page before gave as next."
      return refuse(c, { code: "bad_cursor", message, field: "before" })
    }
    const { search, status, workspace, top } = c.req.query()
    const { grant } = c.var
    return accept(
      c,
      runtime.sessions({
        limit: limit.value,
        ...(before === undefined ? {} : { before: Number(before) }),
        ...(search === undefined ? {} : { search }),
        ...(status === undefined ? {} : { status }),
        ...(workspace === undefined ? {} : { workspace }),
        ...(top === "true" && { top: true }),
        ...(isScoped(grant) && { visible: (id: string) => reaches(grant, id, runtime.workspaceOf) }),
      }),
    )
  })

  routes.use("/:id/*", async (c, next) => {
    const session_id = c.req.param("id")
    return reaches(c.var.grant, session_id, runtime.workspaceOf) ? next() : refuse(c, outOfScope(session_id))
  })

  routes.get("/:id", (c) => {
    const { limit, before } = c.req.query()
    const most = limitOf(c, MOST_HISTORY, MOST_HISTORY)
    if (!most.ok) return refuse(c, most.refusal)
    const window = { ...(limit !== undefined && { limit: most.value }), ...(before && { before }) }
    return read(c, "get_session", { session_id: c.req.param("id"), ...window })
  })

  routes.get("/:id/opening", (c) => {
    const limit = limitOf(c, USUAL_HISTORY, MOST_HISTORY)
    if (!limit.ok) return refuse(c, limit.refusal)
    const outcome = runtime.opening({ session_id: c.req.param("id"), limit: limit.value })
    return outcome.ok ? accept(c, outcome.result) : refuse(c, outcome.refusal)
  })

  routes.get("/:id/threads/:thread", (c) =>
    read(c, "get_thread_read", { session_id: c.req.param("id"), thread_id: c.req.param("thread") }),
  )

  routes.get("/:id/snapshots/:name", (c) => {
    const name = c.req.param("name")
    if (!isSnapshotName(name)) {
      const fix = `The read models are ${snapshotNames.join(", ")}.`
      return refuse(c, { code: "not_found", message: `There is no read model ${name}.`, field: "name", fix })
    }
    const thread_id = c.req.query("thread_id")
    const of = { session_id: c.req.param("id"), ...(thread_id === undefined ? {} : { thread_id }) }
    const outcome = runtime.snapshot(name, of)
    return outcome.ok ? accept(c, outcome.result) : refuse(c, outcome.refusal)
  })

  /** The same reading as the command of that name. */
  async function read(c: Context<HostEnv>, name: CommandName, input: Record<string, unknown>) {
    const outcome = await runtime.execute(name, { input })
    return outcome.ok ? accept(c, outcome.result) : refuse(c, outcome.refusal)
  }

  return routes
}

const isSnapshotName = (name: string): name is SnapshotName => snapshotNames.some((known) => known === name)

export function wholeNumber(text: string): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(value) ? value : undefined
}

/** How many are wanted of a list. */
export function limitOf(c: Context, usual: number, most: number): Checked<number> {
  const limit = wholeNumber(c.req.query("limit") ?? String(usual))
  if (limit !== undefined && limit >= 1 && limit <= most) return { ok: true, value: limit }
  const message = `limit is a whole number from 1 to ${most}.`
  return { ok: false, refusal: { code: "invalid_input", message, field: "limit" } }
}
