import type { HitlView } from "@factum/agent-ui"
import { memo } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { Panel } from "../ui/Panel.tsx"
import { State } from "../ui/State.tsx"
import { askedText } from "./asked.ts"

/** The requests that wait, in short: each leads to its card, where it is answered. */
export const NeedsYou = memo(function NeedsYou({
  view,
  onChoose,
}: {
  view: HitlView
  onChoose: (actionId: string) => void
}) {
  const words = useWords()
  return (
    <Panel title={words.catalog.surface.hitl} count={view.count} surface="hitl">
      {view.pending.length === 0 ? (
        <p className="meta px-3 pb-1" data-fallback={view.state === "loading" ? "loading" : "empty"}>
          {view.state === "loading" ? words.catalog.state.loading : words.catalog.empty.hitl}
        </p>
      ) : (
        <ul>
          {view.pending.map((card) => {
            const { actionId, actionType, status, requestedBy } = card
            return (
              <li key={actionId}>
                <button
                  type="button"
                  data-needs={actionId}
                  onClick={() => onChoose(actionId)}
                  className="hover:bg-hover flex w-full items-baseline gap-2 px-3 py-1 text-left"
                >
                  <span className="flex h-5 items-center self-start">
                    <State state={status === "answering" ? "waiting" : "needsYou"} quiet />
                  </span>
                  <span className="min-w-0 flex-1">
                    <span className="line-clamp-2 [overflow-wrap:anywhere]">{askedText(card, words)}</span>
                    {requestedBy !== undefined && requestedBy.name !== "unknown" && (
                      <span className="meta block truncate">{requestedBy.name}</span>
                    )}
                  </span>
                  <span className="sr-only">{wordOf(words.catalog.actionType, actionType)}</span>
                </button>
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
})
