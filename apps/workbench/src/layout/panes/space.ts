import type { Pane } from "../address.ts"
import type { PaneEntry } from "./connect.tsx"

/** The panes about what was made, what happened, and what is allowed. */
export const spacePanes: Partial<Record<Pane, PaneEntry>> = {}
