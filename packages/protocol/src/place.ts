import type { ActionGraph } from "./action.ts"
import type { Draft } from "./carriers/draft.ts"

/** Where the model wrote what a path of the list of actions names, such as `[2].depends_on[0]`. */
export type Place = (path: string) => string

// Kept beside the graph, because it is no part of what was asked.
const places = new WeakMap<ActionGraph, Place>()

/** The graph speaks of its own list of actions; the model wrote something that may look different. */
export const placeIn =
  (draft: Draft): Place =>
  (path) => {
    const found = /^\[(\d+)\](?:\.(.*))?$/s.exec(path)
    return found === null ? draft.list : draft.where(Number(found[1]), found[2])
  }

export const keepPlace = (graph: ActionGraph, place: Place): void => void places.set(graph, place)

/** As the full form has it, for a graph that no output declared. */
export const placeOf = (graph: ActionGraph): Place =>
  places.get(graph) ?? ((path) => `payload.actions${path}`)
