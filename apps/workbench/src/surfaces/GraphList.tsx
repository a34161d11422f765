import type { GraphEdge, GraphNode } from "@factum/agent-ui"
import { useState } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Status } from "../ui/Status.tsx"

const page = 100

/** The same graph in words: every node, and below it what leads from it. */
export function GraphList({
  nodes,
  edges,
  chosen,
  onChoose,
}: {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
  chosen: string | undefined
  onChoose: (id: string) => void
}) {
  const { team } = useWords()
  const [shown, setShown] = useState(page)
  const labels = new Map(nodes.map(({ id, label }) => [id, label]))
  const from = Map.groupBy(edges, (edge) => edge.from)
  return (
    <div className="thin-scroll border-line max-h-[60vh] min-h-0 overflow-y-auto border-y">
      <ul className="flex flex-col" data-list>
        {nodes.slice(0, shown).map((node) => (
          <li key={node.id} data-node={node.id} className="border-line border-t first:border-t-0">
            <button
              type="button"
              aria-pressed={node.id === chosen}
              onClick={() => onChoose(node.id)}
              className="hover:bg-hover aria-pressed:bg-raised flex w-full items-start gap-2 px-3 py-1.5 text-left"
            >
              <span className="mt-[3px] flex">
                <Status status={node.status} quiet />
              </span>
              <span className="min-w-0 flex-1">
                <span className="font-medium break-words">{node.label}</span>{" "}
                <span className="meta">{team.nodes[node.kind]}</span>
                {(from.get(node.id) ?? []).map(({ id, kind, to }) => (
                  <span key={id} className="meta block break-words" data-edge={kind}>
                    {team.edges[kind]} <span className="text-ink">{labels.get(to) ?? to}</span>
                  </span>
                ))}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {nodes.length > shown && (
        <Button look="bare" className="m-2" onClick={() => setShown(shown + page)}>
          {team.more(Math.min(page, nodes.length - shown))}
        </Button>
      )}
    </div>
  )
}
