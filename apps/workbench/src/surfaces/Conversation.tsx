import type { PendingRequest } from "@factum/facts"
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"
import { addressOf } from "../client/settings.ts"
import type { Intent } from "../client/store.ts"
import type { WorkbenchView } from "../client/view.ts"
import { told, useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { State } from "../ui/State.tsx"
import { Action } from "./ActionCard.tsx"
import type { Draft } from "./Composer.tsx"
import { Turn } from "./Turn.tsx"

const near = 32

export function Conversation({
  view,
  onIntent,
  onDraft,
}: {
  view: WorkbenchView
  onIntent: (intent: Intent) => void
  onDraft: Draft["change"]
}) {
  const words = useWords()
  const scroller = useRef<HTMLDivElement>(null)
  /** How many blocks the reader had when leaving the bottom; nothing while at the bottom. */
  const [left, setLeft] = useState<number>()

  /** Where the page last stood at the bottom. Above it, a reader has moved up, perhaps since the last event. */
  const bottom = useRef(0)

  const content = useRef<HTMLDivElement>(null)

  const stay = useCallback(() => {
    const element = scroller.current
    if (element === null || left !== undefined || element.scrollTop < bottom.current - near) return
    element.scrollTop = element.scrollHeight
    bottom.current = element.scrollTop
  }, [left])

  // What a view adds must not be below the edge first.
  useLayoutEffect(stay, [stay, view])

  // A composer that grows, and a turn that is laid out late, move the bottom too.
  useEffect(() => {
    const sizes = new ResizeObserver(stay)
    for (const { current } of [scroller, content]) if (current !== null) sizes.observe(current)
    return () => sizes.disconnect()
  }, [stay])

  const onScroll = () => {
    const element = scroller.current
    if (element === null) return
    const atBottom = element.scrollHeight - element.scrollTop - element.clientHeight < near
    if (atBottom) bottom.current = element.scrollTop
    setLeft((before) => (atBottom ? undefined : (before ?? view.blocks)))
  }

  const onEarlier = () => {
    // At the very top a browser does not hold what is read in its place; one pixel below it does.
    if (scroller.current !== null) scroller.current.scrollTop = Math.max(1, scroller.current.scrollTop)
    onIntent({ control: "earlier" })
  }

  const onLatest = () => {
    bottom.current = 0
    setLeft(undefined)
  }

  const onWaiting = () => {
    const card = scroller.current?.querySelector<HTMLElement>("[data-action][data-open]")
    card?.scrollIntoView({ block: "center" })
    card?.focus({ preventScroll: true })
  }

  const fresh = left === undefined ? 0 : view.blocks - left
  const last = view.turns.at(-1)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <section
        ref={scroller}
        onScroll={onScroll}
        aria-label={words.conversation}
        aria-busy={view.loading}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        className="thin-scroll min-h-0 flex-1 overflow-y-auto px-4 focus-visible:outline-offset-[-2px] max-sm:px-2"
      >
        <div ref={content} className="mx-auto max-w-3xl pb-6">
          {view.hasEarlier && (
            <Button look="bare" className="mt-2 [overflow-anchor:none]" onClick={onEarlier}>
              {words.earlier}
            </Button>
          )}
          {view.incomplete && <p className="bg-warn mt-2 rounded-lg px-3 py-2">{words.incomplete}</p>}
          {view.loading && <p className="meta px-3 pt-6">{words.loading}</p>}
          {view.turns.map((turn) => (
            <Turn
              key={turn.turn_id}
              turn={turn}
              isLast={turn === last && view.queue.length === 0}
              isStale={view.connection.state === "lost"}
              answers={view.answers}
              onIntent={onIntent}
              onDraft={onDraft}
            />
          ))}
          {view.actions.map((action) => (
            <Action
              key={action.action_id}
              action={action}
              answer={view.answers.get(action.action_id)}
              onIntent={onIntent}
            />
          ))}
          {view.outside.map((asked) => (
            <Outside key={asked.id} asked={asked} onEarlier={onEarlier} />
          ))}
          {!view.loading && view.turns.length === 0 && <Empty view={view} onDraft={onDraft} />}
        </div>
      </section>
      {left !== undefined && (fresh > 0 || view.active !== undefined) && (
        <div className="my-2 flex justify-center gap-2">
          {view.waiting > 0 && (
            <Button look="primary" className="px-4" onClick={onWaiting}>
              {words.waitingForYou(view.waiting)}
            </Button>
          )}
          <Button look={view.waiting > 0 ? "plain" : "primary"} className="px-4" onClick={onLatest}>
            <span aria-hidden="true">↓ </span>
            {fresh > 0 ? words.fresh(fresh) : words.latest}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Known to be open, but what it says and offers is further back in the log. */
function Outside({ asked, onEarlier }: { asked: PendingRequest; onEarlier: () => void }) {
  const words = useWords()
  return (
    <section
      aria-label={told(words, asked.title)}
      data-action={asked.id}
      data-open
      tabIndex={-1}
      className="border-accent my-3 rounded-lg border px-3 py-2.5"
    >
      <h3 className="flex items-center gap-2 font-semibold">
        <State state="needsYou" quiet />
        {told(words, asked.title)}
      </h3>
      <p className="text-meta mt-1">{words.outside}</p>
      <Button className="mt-2" onClick={onEarlier}>
        {words.earlier}
      </Button>
    </section>
  )
}

function Empty({ view, onDraft }: { view: WorkbenchView; onDraft: Draft["change"] }) {
  const words = useWords()
  const { session_id, unreadable } = view
  if (unreadable !== undefined) {
    return (
      <Notice title={words.unreadableTitle} body={unreadable.message}>
        <a href={addressOf()} className="text-accent mt-4 inline-block underline">
          {words.newSession}
        </a>
      </Notice>
    )
  }
  if (session_id !== undefined) return <p className="text-meta px-3 pt-6">{words.quietBody}</p>
  return (
    <Notice name="Factum" title={words.emptyTitle} body={words.emptyBody}>
      <p className="text-meta mt-6">{words.demo}</p>
      <p className="mt-2 flex flex-wrap items-center gap-2">
        <span className="text-meta">{words.tryThis}</span>
        {words.examples.map((example) => (
          <Button key={example} onClick={() => onDraft(() => example)}>
            {example}
          </Button>
        ))}
      </p>
    </Notice>
  )
}

type NoticeProps = { name?: string; title: string; body: string; children?: React.ReactNode }

function Notice({ name, title, body, children }: NoticeProps) {
  return (
    <div className="px-3 pt-[18vh]">
      {name !== undefined && <p className="text-accent mb-1 font-semibold">{name}</p>}
      <h1 className="text-xl font-semibold">{title}</h1>
      <p className="text-meta mt-2 max-w-prose text-balance">{body}</p>
      {children}
    </div>
  )
}
