import type { Runtime } from "@factum/runtime"
import { Hono } from "hono"
import { forbidden } from "./access/reach.ts"
import { parseJson, readBody } from "./body.ts"
import type { HostEnv } from "./env.ts"
import { accept, refuse } from "./refusal.ts"

export const COMMAND_LIMIT = 1024 * 1024

/** `workspace` is where the sessions that are created belong. */
export function commandRoutes(runtime: Runtime, workspace: string | undefined) {
  const routes = new Hono<HostEnv>()

  routes.post("/:name", async (c) => {
    if (!isJson(c.req.header("content-type"))) {
      const message = "A command is sent as JSON."
      const fix = "Set `Content-Type: application/json`."
      return refuse(c, { code: "invalid_input", message, field: "Content-Type", fix })
    }
    const body = await readBody(
      c.env.incoming,
      COMMAND_LIMIT,
      "Send large input to POST /v1/blobs and refer to it by its digest.",
    )
    if (!body.ok) return refuse(c, body.refusal)
    const parsed = parseJson(body.value)
    if (!parsed.ok) return refuse(c, parsed.refusal)
    const [name, { grant }] = [c.req.param("name"), c.var]
    const refusal = forbidden(grant, name, parsed.value, runtime, workspace)
    if (refusal !== undefined) return refuse(c, refusal)
    const outcome = await runtime.execute(name, parsed.value, { id: grant.id, name: grant.name })
    return outcome.ok ? accept(c, outcome.result) : refuse(c, outcome.refusal)
  })

  return routes
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json *(; *charset="?utf-8"? *)?$/i.test(contentType?.trim() ?? "")
}
