import type { Control, Fallback, SurfaceName } from "../taxonomy.ts"

/** What can be done here: enabled only when its port and its target exist, with the reason when it is not. */
export type ControlView = { control: Control; enabled: boolean; reason?: string }

/** How much of a surface is known. `ready` has facts; the others say why there are none, or what is wrong with them. */
export type SurfaceState = "ready" | "empty" | "loading" | Fallback

/** What every surface's view has. Texts are keys for the catalog of words, never sentences. */
export type View = {
  surface: SurfaceName
  state: SurfaceState
  /** What is blocked, stale, unknown or unavailable, in the owner's words where it gave any. */
  reason?: string
  controls: readonly ControlView[]
}

/** A fact that may be missing. */
export type Known<T> = T | "unknown" | "unavailable"
