import { z } from "zod"
import type { SessionState } from "../session-state.ts"
import type { SnapshotName } from "./names.ts"

export type Freshness = "current" | "stale"

/** Every read model says which sequence it reflects and whether that may be behind. */
export const reflected = {
  sequence: z.int().min(0),
  freshness: z.enum(["current", "stale"]),
}

export function reflects(state: SessionState, freshness: Freshness = "current") {
  return { sequence: state.sequence, freshness }
}

export type SnapshotDefinition<N extends SnapshotName = SnapshotName, S extends z.ZodType = z.ZodType> = {
  name: N
  version: number
  doc: string
  schema: S
}

export function defineSnapshot<const N extends SnapshotName, S extends z.ZodType>(
  name: N,
  declared: { version: number; doc: string; schema: S },
): SnapshotDefinition<N, S> {
  return { name, ...declared }
}
