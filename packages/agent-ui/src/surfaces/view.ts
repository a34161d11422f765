import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState } from "../state.ts"
import type { Control, Fallback, SurfaceName } from "../taxonomy.ts"
import type { Reason } from "../words.ts"

/** What can be done here: enabled only when its port and its target exist, with the reason when it is not. */
export type ControlView = { control: Control; enabled: boolean; reason?: Reason }

/** How much of a surface is known. `ready` has facts; the others say why there are none, or what is wrong with them. */
export type SurfaceState = "ready" | "empty" | "loading" | Fallback

/** How one item stands: a key, and the owner's own words where it gave any. */
export type Mark = { state: "ready" | Fallback; reason?: Reason; said?: string }

/** What every surface's view has. Texts are keys for the catalog of words, never sentences. */
export type View = {
  surface: SurfaceName
  state: SurfaceState
  /** What is blocked, stale, unknown or unavailable. */
  reason?: Reason
  /** The owner's words for it. */
  said?: string
  controls: readonly ControlView[]
}

/** A fact that may be missing. */
export type Known<T> = T | "unknown" | "unavailable"
export const known = <T>(value: T | undefined): T | "unknown" => (value === undefined ? "unknown" : value)

/** What a view is about. Without a session it is about all of them. */
export type ViewScope = {
  sessionId?: string
  runId?: string
  agentId?: string
  artifactId?: string
  /** The reader's clock, in steps as coarse as it likes; without it nothing is said to be over. */
  now?: string
  /**
   * Which messages, or runs of the timeline, counted from the oldest known one; the newest when left out. With it,
   * calls and settled requests are not cut to the newest.
   */
  window?: { from: number; to: number }
}

/** A part of the state; of the streams only their gaps matter, since every event moves them. */
export type Read = Exclude<keyof AgentUiState, "streams" | "revision" | "opened"> | "gaps"

/** One surface: which parts of the state it reads, and what it makes of them. */
export type Surface<V extends View> = {
  reads: readonly Read[]
  /** Finer inputs, where a whole part of the state changes too often. */
  inputs?(state: AgentUiState, scope: ViewScope): readonly unknown[]
  /** Whether what it shows depends on the reader's clock. */
  timed?: true
  select(state: AgentUiState, scope: ViewScope, ports: AvailablePorts): V
}
