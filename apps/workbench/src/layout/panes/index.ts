import { isPane, type Pane, panes } from "../address.ts"
import type { PaneEntry } from "./connect.tsx"
import { spacePanes } from "./space.tsx"
import { teamPanes } from "./team.ts"

const all: Partial<Record<Pane, PaneEntry>> = { ...spacePanes, ...teamPanes }

/** In the order of their letters' table. */
export const paneList: readonly (PaneEntry & { id: Pane; letter: string })[] = Object.keys(panes)
  .filter(isPane)
  .flatMap((id) => {
    const entry = all[id]
    return entry === undefined ? [] : [{ ...entry, id, letter: panes[id] }]
  })
