import { Hono } from "hono"
import { z } from "zod"
import { parseJson, readBody } from "../body.ts"
import type { HostEnv } from "../env.ts"
import { accept, refuse } from "../refusal.ts"
import { permittedOnly } from "../security.ts"
import { roles } from "./grant.ts"
import type { TokenBook } from "./tokens.ts"

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

/** Issuing, listing and revoking access tokens; for administrators. */
export function tokenRoutes(tokens: TokenBook | undefined) {
  const routes = new Hono<HostEnv>()
  routes.use("*", permittedOnly("administer"))

  routes.get("/", (c) => accept(c, { tokens: tokens?.rows() ?? [] }))

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
    const { token, row } = tokens.issue(asked.data)
    return accept(c, { token, ...row })
  })

  routes.delete("/:id", (c) => {
    const id = c.req.param("id")
    if (tokens?.revoke(id)) return accept(c, { id, revoked: true })
    return refuse(c, { code: "not_found", message: `There is no token ${id}.`, field: "id", id })
  })

  return routes
}
