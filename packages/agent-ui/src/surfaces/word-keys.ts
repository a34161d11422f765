import {
  actionTypes,
  controls,
  phases,
  runtimeEntities,
  statuses,
  surfaces,
  toolStates,
  topologies,
} from "../taxonomy.ts"
import { actionStates, capsuleGroups, reasons, runOutcomes, runStates, surfaceStates } from "../words.ts"
import { processKinds } from "./process-row.ts"

/** Every key that a view may carry: a catalog of words is whole when it has them all. */
export function wordKeys(): string[] {
  const groups: Readonly<Record<string, readonly string[]>> = {
    surface: surfaces,
    control: controls,
    state: surfaceStates,
    reason: reasons,
    run: runStates,
    phase: phases,
    outcome: runOutcomes,
    tool: [...toolStates, "unknown"],
    action: actionStates,
    actionType: [...actionTypes, "unknown"],
    group: capsuleGroups,
    process: processKinds,
    topology: topologies,
    entity: runtimeEntities,
    ...Object.fromEntries(Object.entries(statuses).map(([item, words]) => [`status.${item}`, words])),
  }
  const empties = surfaces.map((surface) => `empty.${surface}`)
  return [
    ...Object.entries(groups).flatMap(([group, words]) => words.map((word) => `${group}.${word}`)),
    ...empties,
  ]
}
