import { z } from "zod"
import { CatalogTool } from "../events/tool.ts"
import { Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

export const ToolInventorySnapshot = defineSnapshot("tool_inventory_snapshot", {
  version: 1,
  doc: "The tools available to one caller under one policy, context and mode, all four named.",
  schema: z.object({
    ...reflected,
    caller: Text,
    policy: Text,
    context: Text,
    mode: Text,
    tools: z.array(CatalogTool),
  }),
})
export type ToolInventorySnapshot = z.infer<typeof ToolInventorySnapshot.schema>

/** The latest catalog resolved in a thread; before any, the four names read unknown. */
export function toolInventorySnapshot(
  state: SessionState,
  thread_id: string,
  freshness?: Freshness,
): ToolInventorySnapshot {
  const catalog = Object.values(state.entities.catalogs).findLast((one) => one.thread_id === thread_id)
  return {
    ...reflects(state, freshness),
    caller: catalog?.caller ?? "unknown",
    policy: catalog?.policy_version ?? "unknown",
    context: catalog?.context ?? "unknown",
    mode: catalog?.mode ?? "unknown",
    tools: catalog?.tools ?? [],
  }
}
