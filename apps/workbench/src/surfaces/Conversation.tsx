import { useLayoutEffect, useRef, useState } from "react"
import type { Intent } from "../client/store.ts"
import type { WorkbenchView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"
import { Turn } from "./Turn.tsx"

const near = 32

export function Conversation({
  view,
  onIntent,
}: {
  view: WorkbenchView
  onIntent: (intent: Intent) => void
}) {
  const words = useWords()
  const scroller = useRef<HTMLDivElement>(null)
  /** How many blocks the reader had when leaving the bottom; nothing while at the bottom. */
  const [left, setLeft] = useState<number>()

  useLayoutEffect(() => {
    const element = scroller.current
    if (element !== null && left === undefined && view.turns.length > 0)
      element.scrollTop = element.scrollHeight
  }, [view, left])

  const onScroll = () => {
    const element = scroller.current
    if (element === null) return
    const atBottom = element.scrollHeight - element.scrollTop - element.clientHeight < near
    setLeft((before) => (atBottom ? undefined : (before ?? view.blocks)))
  }

  const fresh = left === undefined ? 0 : view.blocks - left
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={onScroll}
        role="log"
        aria-label={words.conversation}
        aria-busy={view.loading}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto px-4 focus-visible:outline-offset-[-2px]"
      >
        <div className="mx-auto max-w-3xl pb-4">
          {view.hasEarlier && (
            <Button look="bare" className="mt-2" onClick={() => onIntent({ control: "earlier" })}>
              {words.earlier}
            </Button>
          )}
          {view.incomplete && <p className="bg-warn mt-2 rounded px-2 py-1">{words.incomplete}</p>}
          {view.loading && <p className="meta mt-4">{words.loading}</p>}
          {view.turns.map((turn) => (
            <Turn key={turn.turn_id} turn={turn} onIntent={onIntent} />
          ))}
          {!view.loading && view.turns.length === 0 && <Empty isNew={view.session_id === undefined} />}
        </div>
      </div>
      {left !== undefined && (fresh > 0 || view.active !== undefined) && (
        <Button
          look="primary"
          className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full px-3"
          onClick={() => setLeft(undefined)}
        >
          ↓ {fresh > 0 ? words.fresh(fresh) : words.latest}
        </Button>
      )}
    </div>
  )
}

function Empty({ isNew }: { isNew: boolean }) {
  const words = useWords()
  return (
    <div className="mx-auto max-w-md pt-24 text-center">
      {isNew && <h1 className="text-base font-semibold">{words.emptyTitle}</h1>}
      <p className="text-meta mt-1">{isNew ? words.emptyBody : words.quietBody}</p>
    </div>
  )
}
