import type { ActionCard, HitlView } from "@factum/agent-ui"
import { type KeyboardEvent, memo, type RefObject, useId, useLayoutEffect, useRef } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords, type Words } from "../i18n/words.ts"
import { Fallback, Notice } from "../ui/Fallback.tsx"
import { instant } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"
import { Ticked } from "../ui/Ticked.tsx"
import { askedOf, whyAsked } from "./asked.ts"
import { Deciding } from "./Deciding.tsx"
import { DiffText } from "./DiffText.tsx"
import { Excerpt } from "./Excerpt.tsx"
import { editDiff } from "./edit-diff.ts"
import type { SurfaceProps } from "./props.ts"
import { Settled } from "./Settled.tsx"
import { Subject } from "./Subject.tsx"

/** Everything that waits for a person, each as a card. */
export const Hitl = memo(function Hitl({ view, onIntent }: SurfaceProps<HitlView>) {
  const words = useWords()
  const { state, reason } = view
  if (view.pending.length === 0) {
    const standing = state === "ready" ? "empty" : state
    return (
      <div data-surface="hitl">
        <Fallback
          state={standing}
          title={standing === "empty" ? words.catalog.empty.hitl : words.catalog.state[standing]}
          reason={reason && words.catalog.reason[reason]}
        />
      </div>
    )
  }
  return (
    <div data-surface="hitl">
      {state === "stale" && <Notice state="stale">{reason && words.catalog.reason[reason]}</Notice>}
      {view.pending.map((card) => (
        <ActionEntry key={card.actionId} card={card} onIntent={onIntent} />
      ))}
    </div>
  )
})

type CardProps = { card: ActionCard; onIntent: SurfaceProps<HitlView>["onIntent"] }

/** A card while it can be answered, one line once it is settled. */
export const ActionEntry = memo(function ActionEntry(props: CardProps) {
  const { status } = props.card
  return status === "pending" || status === "answering" ? (
    <OpenCard {...props} />
  ) : (
    <Settled card={props.card} />
  )
})

function OpenCard({ card, onIntent }: CardProps) {
  const words = useWords()
  const titleId = useId()
  const box = useRef<HTMLElement>(null)
  useFocusOnward(box)
  const { summary, state, at, input, inputRef } = card
  const { question, folder, body } = askedOf(card, words)
  const isEdit = card.toolName === "edit_file" && input?.truncated !== true
  const edit = isEdit && body !== undefined ? editDiff(body) : undefined
  return (
    <section
      ref={box}
      aria-labelledby={titleId}
      data-action={card.actionId}
      data-type={card.actionType}
      data-open
      tabIndex={-1}
      onKeyDown={onCardKey}
      className={`group/card bg-page my-3 rounded-lg border px-3 py-2.5 ${state === "ready" ? "border-accent" : "border-edge"}`}
    >
      <div className="flex items-start gap-2">
        <span className="flex h-5 items-center">
          <State state={card.status === "answering" ? "waiting" : "needsYou"} quiet />
        </span>
        <h2 id={titleId} className="min-w-0 flex-1 font-semibold [overflow-wrap:anywhere]">
          {question.before}
          {question.code !== undefined && (
            <code className="font-mono text-[13px] font-medium">{question.code}</code>
          )}
          {question.after}
        </h2>
        {at !== undefined && (
          <time className="meta py-0.5" dateTime={at}>
            {words.talk.since(instant(at))}
          </time>
        )}
      </div>
      <p data-role="asker" className="meta pl-[22px] [overflow-wrap:anywhere]">
        {[...aboutOf(card, words), folder !== undefined && words.talk.inFolder(folder)]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <div className="pl-[22px] max-sm:pl-0">
        {state !== "ready" && card.reason !== undefined && (
          <p className="text-meta mt-1 flex items-center gap-1.5" data-notice={state}>
            <State state={state} quiet />
            {card.said ?? words.catalog.reason[card.reason]}
          </p>
        )}
        {summary !== undefined && (
          <p className="plain-text mt-2">
            <Ticked text={whyAsked(summary, words)} />
          </p>
        )}
        {edit !== undefined && (
          <>
            <DiffText text={edit.diff} />
            {edit.rest !== "" && <p className="plain-text mt-1 font-mono text-[13px]">{edit.rest}</p>}
          </>
        )}
        {input !== undefined &&
          edit === undefined &&
          card.plan === undefined &&
          (body !== undefined || input.truncated) && (
            <div className="bg-raised mt-2 rounded-md px-2.5 py-1.5">
              <Excerpt
                name={words.talk.askedFor}
                preview={{ ...input, text: body ?? "" }}
                refs={inputRef === undefined ? [] : [inputRef]}
              />
            </div>
          )}
        <Subject card={card} onIntent={onIntent} />
        <Deciding card={card} onIntent={onIntent} />
      </div>
    </section>
  )
}

/** Who asks, for what and how risky it is. The one who asked is named from the first moment. */
export function aboutOf(card: ActionCard, words: Words): string[] {
  const { requestedBy, toolName, risk, expiresAt, scope, actionType } = card
  const name = requestedBy?.name === "unknown" ? requestedBy.agentId : requestedBy?.name
  return [
    actionType !== "tool_approval" && wordOf(words.catalog.actionType, actionType),
    name !== undefined && words.talk.asks(words.talk.requesters[name] ?? name),
    toolName !== undefined && words.talk.tool(toolName),
    scope !== "unknown" && scope !== "unavailable" && words.talk.scope(scope),
    risk !== undefined && wordOf(words.talk.risks, risk),
    expiresAt !== undefined && words.talk.until(instant(expiresAt)),
  ].filter((text) => text !== false)
}

/** `y`, `n` and `e` act while the card has the focus, but not while something is written in it. */
function onCardKey(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget: card, key, nativeEvent } = event
  if (nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
  if (target instanceof HTMLElement && target.matches("input, textarea, select")) {
    if (key !== "Escape") return
    // It leaves the field; elsewhere it would stop the turn.
    event.stopPropagation()
    event.preventDefault()
    card.focus()
  } else if (["y", "n", "e"].includes(key) && !event.repeat) {
    const button = card.querySelector<HTMLButtonElement>(`button[aria-keyshortcuts=${key}]`)
    if (button !== null) event.preventDefault()
    button?.click()
  }
}

/** A card goes away with its buttons: the keyboard goes on to the next one, or to the conversation. */
function useFocusOnward(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const gone = card.current
    return () => {
      if (gone?.contains(document.activeElement) !== true) return
      const region = gone.parentElement?.closest<HTMLElement>("[tabindex='0']")
      const cards = [...(region?.querySelectorAll<HTMLElement>("[data-action][data-open]") ?? [])]
      const next = cards.find((other) => other !== gone) ?? region
      next?.focus({ preventScroll: next === region })
    }
  }, [card])
}
