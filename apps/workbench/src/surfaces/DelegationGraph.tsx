import type { DelegationGraphView, GraphNode } from "@factum/agent-ui"
import { memo, Suspense, useMemo, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { ActOn } from "../ui/ActOn.tsx"
import { Button } from "../ui/Button.tsx"
import { Choice } from "../ui/Choice.tsx"
import { Fallback } from "../ui/Fallback.tsx"
import { fetched } from "../ui/fetched.tsx"
import { Status } from "../ui/Status.tsx"
import { MarkLine, SurfacePanel } from "../ui/SurfacePanel.tsx"
import { GraphList } from "./GraphList.tsx"
import { drawn, type Folding, foldable } from "./graph-fold.ts"
import type { SurfaceProps } from "./props.ts"

const GraphCanvas = fetched(() => import("./GraphCanvas.tsx"))

/** More nodes than these are folded when the graph is opened. */
const readable = 60

/** Who gave work to whom, who waits for whom, and what was handed over: drawn, or as a list. */
export const DelegationGraph = memo(function DelegationGraph({
  view,
  onIntent,
}: SurfaceProps<DelegationGraphView>) {
  const words = useWords()
  const { graph, counts, nodes: kinds } = words.team
  const { nodes, edges, partial } = view
  const [form, setForm] = useState<"graph" | "list">("graph")
  const [chosen, setChosen] = useState<string>()
  const [folding, setFolding] = useState<Folding>(() => ({
    folded: new Set(nodes.length > readable ? foldable(edges) : []),
    opened: new Set(),
  }))
  const picture = useMemo(() => drawn({ nodes, edges }, folding), [nodes, edges, folding])
  const all = foldable(edges)
  const open = nodes.find(({ id }) => id === chosen) ?? firstOf(nodes)
  const toggle = (id: string) =>
    setFolding(({ folded, opened }) =>
      id.startsWith("group:")
        ? { folded, opened: new Set([...opened, id]) }
        : { folded: folded.has(id) ? without(folded, id) : new Set([...folded, id]), opened },
    )
  const told = [
    graph.summary(nodes.length, edges.length),
    partial.done > 0 && counts.done(partial.done),
    partial.failed > 0 && counts.failed(partial.failed),
    partial.open > 0 && counts.open(partial.open),
  ].filter(Boolean)
  return (
    <SurfacePanel
      view={view}
      has={nodes.length > 0}
      className="h-full"
      actions={
        nodes.length > 0 && (
          <Choice
            label={graph.shownAs}
            chosen={form}
            options={{ graph: graph.asGraph, list: graph.asList }}
            onChoose={setForm}
          />
        )
      }
    >
      <div className="flex flex-wrap items-center gap-2 px-3 pb-1">
        <p className="meta">{told.join(" · ")}</p>
        {all.length > 0 && (
          <span className="ml-auto flex">
            <Button look="bare" onClick={() => setFolding({ folded: new Set(all), opened: new Set() })}>
              {graph.collapseAll}
            </Button>
            <Button
              look="bare"
              onClick={() =>
                setFolding({
                  folded: new Set(),
                  opened: new Set([...folding.opened, ...picture.nodes.map(({ id }) => id)]),
                })
              }
            >
              {graph.expandAll}
            </Button>
          </span>
        )}
      </div>
      {form === "list" ? (
        <GraphList nodes={nodes} edges={edges} chosen={open?.id} onChoose={setChosen} />
      ) : (
        <div className="border-line min-h-80 flex-1 border-y" data-canvas>
          <Suspense fallback={<Fallback state="loading" title={graph.loading} />}>
            <GraphCanvas picture={picture} chosen={open?.id} onChoose={setChosen} onFold={toggle} />
          </Suspense>
        </div>
      )}
      {open && (
        <section aria-label={open.label} className="flex flex-col gap-1 px-3 py-2" data-detail>
          <h3 className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium break-words">{open.label}</span>
            <span className="meta">{kinds[open.kind]}</span>
            <span className="meta">
              <Status status={open.status} />
            </span>
            <span className="meta">
              {[open.fanOut > 0 && graph.fanOut(open.fanOut), open.fanIn > 0 && graph.fanIn(open.fanIn)]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </h3>
          <MarkLine mark={open} />
          <ActOn
            key={open.id}
            offered={open.controls}
            name={open.label}
            onIntent={onIntent}
            {...(open.target && {
              makes: {
                wait: { control: "wait", agentIds: [open.target.id] },
                retry: { control: "retry", target: open.target },
                stop: { control: "stop", target: open.target },
                open_detail: { control: "open_detail", target: open.target },
              },
            })}
          />
        </section>
      )}
    </SurfacePanel>
  )
})

const without = (ids: ReadonlySet<string>, id: string) => new Set([...ids].filter((one) => one !== id))

/** A teammate that can be acted on comes before what can only be looked at. */
const firstOf = (nodes: readonly GraphNode[]) =>
  nodes.find(({ kind, group }) => kind === "agent" && group !== "done") ?? nodes[0]
