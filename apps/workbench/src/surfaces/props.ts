import type { Intent, IntentResult } from "@factum/agent-ui"

/** What every surface is given: what to draw, and whom to tell what a person wants. */
export type SurfaceProps<V> = { view: V; onIntent: (intent: Intent) => Promise<IntentResult> }
