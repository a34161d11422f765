import type { Runtime } from "@factum/runtime"
import { Hono } from "hono"
import { z } from "zod"
import { may, reaches } from "./access/grant.ts"
import { lacking, outOfScope } from "./access/reach.ts"
import { readJson } from "./checked.ts"
import type { HostEnv } from "./env.ts"
import { accept, refuse } from "./refusal.ts"

export const CredentialGift = z.strictObject({
  session_id: z.string().min(1),
  name: z.string().regex(/^[A-Z][A-Z0-9_]{1,63}$/, "a variable's name has capital letters, digits and _"),
  value: z.string().min(1).max(65_536),
})

/** Takes a secret that an action asked for; the answer to the action then names the ref that comes back. */
export function credentialRoutes({ credentials, log, workspaceOf }: Runtime) {
  const routes = new Hono<HostEnv>()
  routes.post("/", async (c) => {
    const { grant } = c.var
    // It answers what an action asked for, so it takes who may answer.
    if (!may(grant, "approve")) return refuse(c, lacking(grant, "approve", "giving a credential"))
    const body = await readJson(c.env.incoming, CredentialGift, 131_072, "Send one credential.")
    if (!body.ok) return refuse(c, body.refusal)
    const { session_id } = body.value
    if (!reaches(grant, session_id, workspaceOf)) return refuse(c, outOfScope(session_id))
    if (log.head(session_id) === 0) {
      const message = `There is no session ${session_id}.`
      return refuse(c, { code: "not_found", message, field: "session_id", id: session_id })
    }
    const kept = credentials.keep(body.value)
    return kept.ok ? accept(c, { ref: kept.ref }) : refuse(c, kept.refusal)
  })
  return routes
}
