import type { GraphEdge, GraphNode } from "@factum/agent-ui"
import { expect, test } from "vitest"
import { drawn, foldable } from "../src/surfaces/graph-fold.ts"

const node = (id: string, group: GraphNode["group"] = "running"): GraphNode => ({
  id,
  kind: "agent",
  label: id,
  status: group,
  group,
  state: "ready",
  fanOut: 0,
  fanIn: 0,
  controls: [],
})
const edge = (kind: GraphEdge["kind"], from: string, to: string, state: GraphEdge["state"] = "ready") => ({
  id: `${kind}:${from}>${to}`,
  kind,
  from,
  to,
  state,
})
const none = { folded: new Set<string>(), opened: new Set<string>() }

const tree = {
  nodes: ["s", "a", "b", "a1", "a2"].map((id) => node(id)),
  edges: [
    edge("delegates", "s", "a"),
    edge("delegates", "s", "b"),
    edge("delegates", "a", "a1"),
    edge("delegates", "a", "a2"),
    edge("waits", "b", "a1"),
    edge("waits", "b", "a2", "blocked"),
  ],
}

test("what is not folded is drawn as it is", () => {
  const picture = drawn(tree, none)
  expect(picture.nodes.map(({ id }) => id)).toEqual(["s", "a", "b", "a1", "a2"])
  expect(picture.edges).toEqual(tree.edges)
})

test("a folded node hides what is below it and takes over its links, the blocked one first", () => {
  const picture = drawn(tree, { ...none, folded: new Set(["a"]) })
  expect(picture.nodes).toMatchObject([
    { id: "s", below: 4, folded: false },
    { id: "a", below: 2, folded: true },
    { id: "b", below: 0 },
  ])
  expect(picture.edges).toEqual([
    edge("delegates", "s", "a"),
    edge("delegates", "s", "b"),
    edge("waits", "b", "a", "blocked"),
  ])
})

test("all that can be folded lies below something", () => expect(foldable(tree.edges)).toEqual(["a"]))

test("many siblings that stand alike are drawn as one until they are asked for", () => {
  const workers = Array.from({ length: 9 }, (_, at) => node(`w${at}`, "done"))
  const flat = {
    nodes: [node("s"), node("x", "failed"), ...workers],
    edges: [...workers, { id: "x" }].map(({ id }) => edge("delegates", "s", id)),
  }
  const picture = drawn(flat, none)
  expect(picture.nodes.map(({ id }) => id)).toEqual(["s", "x", "group:s:done"])
  expect(picture.nodes[2]).toMatchObject({ count: 9, parent: "s" })
  expect(picture.edges.map(({ to }) => to)).toEqual(["group:s:done", "x"])
  expect(drawn(flat, { ...none, opened: new Set(["group:s:done"]) }).nodes).toHaveLength(11)
})

test("a ring of links ends", () => {
  const ring = {
    nodes: [node("a"), node("b")],
    edges: [edge("delegates", "a", "b"), edge("delegates", "b", "a")],
  }
  expect(drawn(ring, { ...none, folded: new Set(["a"]) }).nodes.map(({ id }) => id)).toEqual(["a"])
})
