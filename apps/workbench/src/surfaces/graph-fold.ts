import type { DelegationGraphView, GraphEdge, GraphNode, StatusGroup } from "@factum/agent-ui"

/** What is drawn: a node as it is, or several that are much alike as one. */
export type DrawnNode =
  | { id: string; kind: "node"; node: GraphNode; below: number; folded: boolean }
  | { id: string; kind: "group"; parent: string; group: StatusGroup; count: number }
export type DrawnEdge = Pick<GraphEdge, "id" | "from" | "to" | "kind" | "state">
export type Drawn = { nodes: readonly DrawnNode[]; edges: readonly DrawnEdge[] }

/** Folded: nodes that hide what is below them. Opened: groups of siblings that show each of them. */
export type Folding = { folded: ReadonlySet<string>; opened: ReadonlySet<string> }

/** More siblings than these that end there and stand alike are drawn as one. */
const mostAlike = 8
const treeKinds: readonly GraphEdge["kind"][] = ["delegates", "parent", "works_on"]

export const groupId = (parent: string, group: StatusGroup) => `group:${parent}:${group}`

export function drawn(
  { nodes, edges }: Pick<DelegationGraphView, "nodes" | "edges">,
  folding: Folding,
): Drawn {
  const children = childrenOf(edges)
  const stand = standIns(nodes, children, folding)
  const groups = new Map<string, DrawnNode & { kind: "group" }>()
  const shown: DrawnNode[] = []
  for (const node of nodes) {
    const as = stand.get(node.id)
    if (as === undefined) {
      const below = countBelow(children, node.id)
      shown.push({ id: node.id, kind: "node", node, below, folded: folding.folded.has(node.id) && below > 0 })
    } else if (as.group) {
      const { id, parent, group } = as.group
      const before = groups.get(id)
      groups.set(id, { id, kind: "group", parent, group, count: (before?.count ?? 0) + 1 })
    }
  }
  return { nodes: [...shown, ...groups.values()], edges: rerouted(edges, stand) }
}

type Standing = { id: string; group?: { id: string; parent: string; group: StatusGroup } }

/** Which drawn node a hidden one is drawn as; one that is drawn itself has none. */
function standIns(
  nodes: readonly GraphNode[],
  children: ReadonlyMap<string, readonly string[]>,
  { folded, opened }: Folding,
): Map<string, Standing> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const stand = new Map<string, Standing>()
  const hide = (id: string, as: string, seen: Set<string>) => {
    for (const child of children.get(id) ?? []) {
      if (seen.has(child) || child === as) continue
      seen.add(child)
      stand.set(child, { id: as })
      hide(child, as, seen)
    }
  }
  for (const { id } of nodes) if (folded.has(id) && !stand.has(id)) hide(id, id, new Set([id]))
  for (const [parent, ids] of children) {
    if (stand.has(parent)) continue
    const alike = Map.groupBy(
      ids.filter((id) => !stand.has(id) && byId.has(id) && !children.has(id)),
      (id) => byId.get(id)?.group ?? "unknown",
    )
    for (const [group, members] of alike) {
      const id = groupId(parent, group)
      if (members.length <= mostAlike || opened.has(id)) continue
      for (const member of members) stand.set(member, { id, group: { id, parent, group } })
    }
  }
  return stand
}

function rerouted(edges: readonly GraphEdge[], stand: ReadonlyMap<string, Standing>): DrawnEdge[] {
  const found = new Map<string, DrawnEdge>()
  for (const { kind, state, ...edge } of edges) {
    const from = stand.get(edge.from)?.id ?? edge.from
    const to = stand.get(edge.to)?.id ?? edge.to
    const id = `${kind}:${from}>${to}`
    if (from === to) continue
    // One blocked link among those that are drawn as one is not hidden by the others.
    if (found.get(id)?.state !== "blocked") found.set(id, { id, from, to, kind, state })
  }
  return [...found.values()]
}

function childrenOf(edges: readonly GraphEdge[]): Map<string, string[]> {
  const children = new Map<string, string[]>()
  const placed = new Set<string>()
  for (const { kind, from, to } of edges) {
    if (!treeKinds.includes(kind) || placed.has(to) || from === to) continue
    placed.add(to)
    children.set(from, [...(children.get(from) ?? []), to])
  }
  return children
}

function countBelow(children: ReadonlyMap<string, readonly string[]>, id: string): number {
  const seen = new Set<string>([id])
  const walk = (at: string): number =>
    (children.get(at) ?? []).reduce((sum, child) => {
      if (seen.has(child)) return sum
      seen.add(child)
      return sum + 1 + walk(child)
    }, 0)
  return walk(id)
}

/** Everything that has something below it and is not at the top: what `fold all` folds. */
export function foldable(edges: readonly GraphEdge[]): string[] {
  const children = childrenOf(edges)
  const below = new Set([...children.values()].flat())
  return [...children.keys()].filter((id) => below.has(id))
}
