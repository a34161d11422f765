import type { Refusal } from "@factum/facts"
import type { Runtime } from "@factum/runtime"
import { Hono } from "hono"
import { z } from "zod"
import { parseJson, readBody } from "../body.ts"
import type { HostEnv } from "../env.ts"
import { accept, refuse } from "../refusal.ts"
import { permittedOnly } from "../security.ts"
import { covers, type Grant, roles, type WorkspaceOf } from "./grant.ts"
import { denial } from "./reach.ts"
import type { TokenBook, TokenRow } from "./tokens.ts"

const LIMIT = 64 * 1024

export const TokenRequest = z.strictObject({
  name: z.string().min(1).max(120),
  roles: z.array(z.enum(roles)).min(1),
  scope: z
    .strictObject({
      sessions: z.array(z.string().min(1)).min(1).exactOptional(),
      workspaces: z.array(z.string().min(1)).min(1).exactOptional(),
    })
    .exactOptional(),
  /** Without it the token is valid until it is revoked. */
  expires_at: z.iso.datetime().exactOptional(),
})

/** Issuing, listing and revoking access tokens; for administrators, and each within what they hold themselves. */
export function tokenRoutes(
  tokens: TokenBook | undefined,
  { workspaceOf, report }: Pick<Runtime, "workspaceOf" | "report">,
) {
  const routes = new Hono<HostEnv>()
  routes.use("*", permittedOnly("administer"))

  const within = ({ grant }: HostEnv["Variables"]): readonly TokenRow[] =>
    (tokens?.rows() ?? []).filter((row) => covers(grant, row, workspaceOf))

  routes.get("/", (c) => accept(c, { tokens: within(c.var) }))

  routes.post("/", async (c) => {
    if (tokens === undefined) return refuse(c, { code: "unavailable", message: "This host keeps no tokens." })
    const body = await readBody(c.env.incoming, LIMIT, "Name fewer sessions.")
    const json = body.ok ? parseJson(body.value) : body
    if (!json.ok) return refuse(c, json.refusal)
    const asked = TokenRequest.safeParse(json.value)
    if (!asked.success) {
      const [issue] = asked.error.issues
      const field = issue?.path.map(String).join(".") || "body"
      return refuse(c, { code: "invalid_input", message: `${field}: ${issue?.message}.`, field })
    }
    const wider = beyond(c.var.grant, asked.data, workspaceOf)
    if (wider !== undefined) return refuse(c, wider)
    const unreadable = tokens.unreadable()
    if (unreadable !== undefined) return refuse(c, unkept(unreadable))
    const { token, row, keep } = tokens.prepare(asked.data)
    // Told before it is valid: nobody comes in by a token that the log does not know.
    const { id, ...told } = row
    const { grant } = c.var
    if (!(await report({ type: "x-factum.token_issued", payload: { token_id: id, ...told } }, by(grant))))
      return refuse(c, unwritten)
    const problem = keep()
    if (problem !== undefined) return refuse(c, unkept(problem))
    return accept(c, { token, ...row })
  })

  routes.delete("/:id", async (c) => {
    const id = c.req.param("id")
    // Whether it exists is nobody's business who holds less than it gives.
    const row = within(c.var).find((one) => one.id === id)
    const revoked = row !== undefined && (tokens?.revoke(id) ?? false)
    if (typeof revoked === "object") return refuse(c, unkept(revoked.problem))
    if (!revoked)
      return refuse(c, { code: "not_found", message: `There is no token ${id}.`, field: "id", id })
    // It is over whether that can be written or not.
    const payload = { token_id: id, name: row.name }
    const isTold = await report({ type: "x-factum.token_revoked", payload }, by(c.var.grant))
    return accept(c, { id, revoked: true, recorded: isTold })
  })

  return routes
}

/** Authority never grows: what is handed on is no more, and for no longer, than what one has. */
function beyond(
  grant: Grant,
  asked: z.infer<typeof TokenRequest>,
  workspaceOf: WorkspaceOf,
): Refusal | undefined {
  if (!covers(grant, { roles: asked.roles, scope: asked.scope ?? {} }, workspaceOf)) {
    return denial(
      "A token cannot give a wider scope than it has.",
      "Name sessions or workspaces of its scope.",
    )
  }
  const { expires_at: end } = grant
  if (end === undefined || Date.parse(asked.expires_at ?? never) <= Date.parse(end)) return undefined
  return denial("A token cannot give more time than it has.", `Say expires_at, ${end} at the latest.`)
}

const never = "9999-12-31T00:00:00Z"

const by = ({ id, name }: Grant) => ({ id, name })

const unkept = (message: string): Refusal => ({
  code: "write_failed",
  message,
  fix: "Mend that in the data directory, then send it again.",
})

const unwritten = {
  code: "write_failed",
  message: "No token was issued, because that could not be written.",
  fix: "Free space in the data directory if it is full, then send it again.",
} as const
