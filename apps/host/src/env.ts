import type { HttpBindings } from "@hono/node-server"
import type { Grant } from "./access/grant.ts"

/** What every route can see. */
export type HostEnv = { Bindings: HttpBindings; Variables: { grant: Grant } }
