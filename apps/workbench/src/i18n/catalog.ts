import type {
  actionStates,
  actionTypes,
  Control,
  capsuleGroups,
  Phase,
  processKinds,
  Reason,
  RunState,
  runOutcomes,
  runtimeEntities,
  SurfaceName,
  SurfaceState,
  statuses,
  ToolStatus,
  topologies,
} from "@factum/agent-ui"

type Of<T extends readonly string[]> = Record<T[number], string>

/** A word for every key that a view may carry: leave one out and the compiler names it. */
export type Catalog = {
  surface: Record<SurfaceName, string>
  empty: Record<SurfaceName, string>
  control: Record<Control, string>
  state: Record<SurfaceState, string>
  reason: Record<Reason, string>
  run: Record<RunState, string>
  phase: Readonly<Partial<Record<Phase, string>>>
  outcome: Of<typeof runOutcomes>
  tool: Record<ToolStatus, string>
  action: Of<typeof actionStates>
  actionType: Record<(typeof actionTypes)[number] | "unknown", string>
  group: Of<typeof capsuleGroups>
  process: Of<typeof processKinds>
  topology: Of<typeof topologies>
  entity: Of<typeof runtimeEntities>
  status: Record<(typeof statuses)[keyof typeof statuses][number], string>
}

/** The word for a key that comes from outside; one that is not known is shown as it came. */
export const wordOf = (words: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(words, key) ? (words[key] ?? key) : key.replaceAll("_", " ")
