import type { HttpBindings } from "@hono/node-server"
import type { Grant } from "./access/grant.ts"
import type { Answer } from "./refusal.ts"

type Variables = {
  grant: Grant
  /** What was refused, and on which route, for who keeps account of it. */
  refused?: { refusal: Answer; route: string }
}

/** What every route can see. */
export type HostEnv = { Bindings: HttpBindings; Variables: Variables }
