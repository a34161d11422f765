import type { Pane } from "../address.ts"
import type { PaneEntry } from "./connect.tsx"

/** The panes about who works on what. */
export const teamPanes: Partial<Record<Pane, PaneEntry>> = {}
