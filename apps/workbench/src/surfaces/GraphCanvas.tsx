import "@xyflow/react/dist/base.css"
import dagre from "@dagrejs/dagre"
import {
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react"
import { useCallback, useEffect, useMemo, useRef } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Status } from "../ui/Status.tsx"
import type { Drawn, DrawnEdge, DrawnNode } from "./graph-fold.ts"

type Card = Node<
  { drawn: DrawnNode; chosen: boolean; onChoose: (id: string) => void; onFold: (id: string) => void },
  "card"
>
type Props = {
  picture: Drawn
  chosen: string | undefined
  onChoose: (id: string) => void
  onFold: (id: string) => void
}

const size = { width: 200, height: 52 }

export default function GraphCanvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

function Canvas({ picture, chosen, onChoose, onFold }: Props) {
  const { team } = useWords()
  const { graph } = team
  const flow = useReactFlow()
  const box = useRef<HTMLDivElement>(null)
  const places = useMemo(() => layout(picture), [picture])
  const nodes: Card[] = picture.nodes.map((node) => ({
    id: node.id,
    type: "card",
    position: places.get(node.id) ?? { x: 0, y: 0 },
    ...size,
    // What can neither be dragged nor selected is passed over by the pointer unless it says otherwise.
    style: { pointerEvents: "all" },
    data: { drawn: node, chosen: node.id === chosen, onChoose, onFold },
  }))
  const edges = picture.edges.map((edge) => lineOf(edge, team.edges[edge.kind]))
  // The whole is shown until a person goes to a part of it, and again when they ask for it.
  const isMoved = useRef(false)
  const showAll = useCallback(() => {
    if (!isMoved.current) void flow.fitView(fit)
  }, [flow])
  useEffect(() => {
    void picture
    const frame = requestAnimationFrame(showAll)
    return () => cancelAnimationFrame(frame)
  }, [showAll, picture])
  const move = (zoom: () => unknown) => {
    isMoved.current = true
    zoom()
  }
  useEffect(() => {
    if (box.current === null) return
    const watch = new ResizeObserver(showAll)
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [showAll])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture of things that can be chosen
    <div ref={box} role="group" aria-label={graph.canvas} className="h-full min-h-80">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        // What is moved by the page itself comes with no event of a pointer.
        onMoveStart={(event) => {
          if (event !== null) isMoved.current = true
        }}
        minZoom={0.1}
        maxZoom={1.5}
        fitView
        fitViewOptions={fit}
        onlyRenderVisibleElements={nodes.length > 200}
        proOptions={{ hideAttribution: true }}
      >
        <Panel position="bottom-right">
          <span className="bg-page border-line flex rounded-md border">
            <Button look="bare" aria-label={graph.zoomOut} onClick={() => move(flow.zoomOut)}>
              −
            </Button>
            <Button look="bare" aria-label={graph.zoomIn} onClick={() => move(flow.zoomIn)}>
              +
            </Button>
            <Button
              look="bare"
              onClick={() => {
                isMoved.current = false
                showAll()
              }}
            >
              {graph.fit}
            </Button>
          </span>
        </Panel>
      </ReactFlow>
    </div>
  )
}

const fit = { padding: 0.08, maxZoom: 1 }

function CardView({ data }: NodeProps<Card>) {
  const { catalog, team } = useWords()
  const { drawn, chosen, onChoose, onFold } = data
  const isGroup = drawn.kind === "group"
  const isMissing = !isGroup && drawn.node.kind === "placeholder"
  return (
    <div
      data-drawn={drawn.id}
      className={`bg-page border-line flex h-full items-stretch rounded-md border ${isMissing ? "border-dashed" : ""} ${isGroup ? "bg-raised" : ""} ${chosen ? "border-accent! outline-accent outline-1" : ""}`}
    >
      <Handle type="target" position={Position.Left} className="invisible" isConnectable={false} />
      <button
        type="button"
        aria-pressed={isGroup ? undefined : chosen}
        onClick={() => (isGroup ? onFold(drawn.id) : onChoose(drawn.id))}
        className="nopan flex min-w-0 flex-1 items-center gap-2 px-2 text-left"
      >
        {isGroup ? (
          <span className="min-w-0">
            <span className="block font-medium">
              {catalog.group[drawn.group]} · {drawn.count}
            </span>
            <span className="meta block">{team.graph.expand(drawn.count)}</span>
          </span>
        ) : (
          <>
            <Status status={drawn.node.status} quiet />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium" title={drawn.node.label}>
                {drawn.node.label}
              </span>
              <span className="meta block truncate">
                {[team.nodes[drawn.node.kind], drawn.node.who?.role].filter(Boolean).join(" · ")}
              </span>
            </span>
          </>
        )}
      </button>
      {!isGroup && drawn.below > 0 && (
        <button
          type="button"
          aria-expanded={!drawn.folded}
          aria-label={drawn.folded ? team.graph.expand(drawn.below) : team.graph.collapse(drawn.below)}
          title={drawn.folded ? team.graph.expand(drawn.below) : team.graph.collapse(drawn.below)}
          onClick={() => onFold(drawn.id)}
          className="nopan meta border-line hover:bg-hover border-l px-1.5"
        >
          {drawn.folded ? team.graph.folded(drawn.below) : "−"}
        </button>
      )}
      <Handle type="source" position={Position.Right} className="invisible" isConnectable={false} />
    </div>
  )
}

const nodeTypes = { card: CardView }

const dashes: Readonly<Record<DrawnEdge["kind"], string | undefined>> = {
  delegates: undefined,
  parent: undefined,
  works_on: "2 3",
  depends: "6 4",
  waits: "6 4",
  handoff: undefined,
}
const labelled: readonly DrawnEdge["kind"][] = ["waits", "handoff", "depends"]

function lineOf({ id, from, to, kind, state }: DrawnEdge, word: string): Edge {
  const blocked = state === "blocked"
  const color = blocked ? "var(--c-bad)" : kind === "handoff" ? "var(--c-accent)" : "var(--c-edge)"
  const dash = dashes[kind]
  return {
    id,
    source: from,
    target: to,
    className: `edge-${kind}`,
    markerEnd: { type: MarkerType.ArrowClosed, color, width: 14, height: 14 },
    style: {
      stroke: color,
      strokeWidth: kind === "handoff" ? 2 : 1.25,
      ...(dash !== undefined && { strokeDasharray: dash }),
    },
    ...(labelled.includes(kind) && {
      label: word,
      labelStyle: { fill: "var(--c-text)", fontSize: 11 },
      labelBgStyle: { fill: "var(--c-page)" },
    }),
  }
}

/** From left to right, as work was given. */
function layout({ nodes, edges }: Drawn): Map<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph({ multigraph: true })
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 72 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { ...size })
  for (const { id, from, to } of edges) graph.setEdge(from, to, {}, id)
  dagre.layout(graph)
  return new Map(
    nodes.map(({ id }) => {
      const { x, y } = graph.node(id)
      return [id, { x: x - size.width / 2, y: y - size.height / 2 }]
    }),
  )
}
