import type { HitlView, SessionTab } from "@factum/agent-ui"
import { memo } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { addressOf } from "../layout/address.ts"
import { Panel } from "../ui/Panel.tsx"
import { State } from "../ui/State.tsx"
import { askedText } from "./asked.ts"
import { titleOf } from "./SessionTabs.tsx"

/** The requests that wait, in short: each leads to its card, where it is answered; those of other sessions, to them. */
export const NeedsYou = memo(function NeedsYou({
  view,
  others = [],
  onChoose,
}: {
  view: HitlView
  /** Other sessions in which requests wait. */
  others?: readonly SessionTab[]
  onChoose: (actionId: string) => void
}) {
  const words = useWords()
  return (
    <Panel title={words.catalog.surface.hitl} count={view.count} surface="hitl">
      {view.pending.length === 0 ? (
        <p className="meta px-3 pb-1" data-fallback={view.state === "loading" ? "loading" : "empty"}>
          {view.state === "loading"
            ? words.catalog.state.loading
            : others.length > 0
              ? words.needsYouElsewhere
              : words.catalog.empty.hitl}
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
      {others.length > 0 && (
        <ul aria-label={words.needsYouOthers}>
          {others.map((tab) => (
            <li key={tab.sessionId}>
              <a
                href={addressOf({ session: tab.sessionId })}
                data-needs-in={tab.sessionId}
                className="hover:bg-hover flex items-baseline gap-2 px-3 py-1"
              >
                <span className="flex h-5 items-center self-start">
                  <State state="needsYou" quiet />
                </span>
                <span className="min-w-0 flex-1 truncate">{titleOf(tab) || words.untitled}</span>
                <span className="meta">
                  {tab.needsYou}
                  <span className="sr-only"> {words.needsYouOthers}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
})
