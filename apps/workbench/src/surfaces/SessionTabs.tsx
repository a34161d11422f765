import type { SessionTab, SessionTabsView } from "@factum/agent-ui"
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { addressOf } from "../layout/address.ts"
import { State } from "../ui/State.tsx"
import { type StateWord, stateWord } from "../ui/status.ts"
import { type Find, SessionList } from "./SessionList.tsx"

const shape = "relative flex h-11 shrink-0 items-center gap-1.5 px-3 whitespace-nowrap"
const openLook = "bg-page text-ink after:bg-accent after:absolute after:inset-x-0 after:top-0 after:h-0.5"
const closedLook = "text-meta hover:text-ink"

/** The session in front is told by its own facts, any other by what the host lists. */
export function tabState(tab: SessionTab): StateWord {
  if (tab.stale && tab.active) return "stale"
  if (tab.state === "blocked") return "blocked"
  if (tab.needsYou > 0) return "needsYou"
  if (!tab.active) return stateWord(tab.status)
  return tab.run === "idle" ? stateWord(tab.status) : stateWord(tab.run)
}

/** Pinned ones first, then the newest; an order that never shifts under the pointer. */
export const inOrder = (tabs: readonly SessionTab[]): SessionTab[] =>
  tabs
    .filter(({ parentSessionId }) => parentSessionId === undefined)
    .toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || (a.sessionId < b.sessionId ? 1 : -1))

/** Sessions beside the open one in which requests wait for a person. */
export const waitingElsewhere = (tabs: readonly SessionTab[], open: string | undefined): SessionTab[] =>
  inOrder(tabs).filter(({ sessionId, needsYou }) => sessionId !== open && needsYou > 0)

/** Those of the row, and where a closed one's reader goes: to its neighbour. */
export function inRow(
  tabs: readonly SessionTab[],
  open: string | undefined,
  aside: ReadonlySet<string>,
): readonly (SessionTab & { next: string | undefined })[] {
  const row = inOrder(tabs).filter(({ sessionId }) => sessionId === open || !aside.has(sessionId))
  return row.map((tab, at) => ({ ...tab, next: (row[at + 1] ?? row[at - 1])?.sessionId }))
}

const everyone: ReadonlySet<string> = new Set()
type Props = {
  view: SessionTabsView
  open: string | undefined
  /** Sessions that have no tab; they stand in the list. */
  aside?: ReadonlySet<string>
  /** There are sessions that were not read yet. */
  hasMore?: boolean
  onPin: (id: string, pinned: boolean) => void
  onClose?: (id: string, next: string | undefined) => void
  onFind?: Find
}

/** Tabs are links: each session has an address that can be opened, kept and sent. */
export const SessionTabs = memo(function SessionTabs({
  view,
  open,
  aside = everyone,
  hasMore = false,
  onPin,
  onClose,
  onFind,
}: Props) {
  const words = useWords()
  const row = useRef<HTMLDivElement>(null)
  const [isListed, setListed] = useState(false)
  const tabs = useMemo(() => inRow(view.tabs, open, aside), [view.tabs, open, aside])
  const place = tabs.findIndex((tab) => tab.sessionId === open)
  // A tab that comes with the list, or moves with it, must be in sight as well as one that was chosen.
  useEffect(() => {
    const current = place < 0 ? undefined : row.current?.children[place]
    current?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [place])
  return (
    <nav aria-label={words.sessions} className="flex min-w-0 flex-1" data-surface="session_tabs">
      <a
        href={addressOf({})}
        aria-current={open === undefined ? "page" : undefined}
        title={words.newSession}
        className={`${shape} px-4 text-lg ${open === undefined ? openLook : closedLook}`}
      >
        <span aria-hidden="true">+</span>
        <span className="sr-only">{words.newSession}</span>
      </a>
      <div ref={row} className="thin-scroll flex min-w-0 flex-1 overflow-x-auto overflow-y-hidden">
        {tabs.map((tab) => (
          <Tab
            key={tab.sessionId}
            tab={tab}
            isOpen={tab.sessionId === open}
            onClose={onClose && (() => onClose(tab.sessionId, tab.next))}
          />
        ))}
      </div>
      {(view.tabs.length > 0 || hasMore) && (
        <button
          type="button"
          aria-haspopup="dialog"
          aria-label={words.allSessions}
          title={words.allSessions}
          className={`${shape} border-line border-l ${closedLook}`}
          onClick={() => setListed(true)}
        >
          <span aria-hidden="true" className="pb-2 text-lg">
            …
          </span>
        </button>
      )}
      {isListed && (
        <SessionList
          tabs={view.tabs}
          open={open}
          hasMore={hasMore}
          onPin={onPin}
          onFind={onFind}
          onClose={() => setListed(false)}
        />
      )}
    </nav>
  )
})

type TabProps = { tab: SessionTab; isOpen: boolean; onClose: (() => void) | undefined }

function Tab({ tab, isOpen, onClose }: TabProps) {
  const words = useWords()
  const title = titleOf(tab) || words.untitled
  const state = tabState(tab)
  const hasNew = !isOpen && tab.unread !== false && tab.unread !== 0
  const onKeyDown = (event: KeyboardEvent<HTMLAnchorElement>) => {
    if (event.key !== "Delete" || onClose === undefined) return
    event.preventDefault()
    const place = event.currentTarget.parentElement
    const neighbour = place?.nextElementSibling ?? place?.previousElementSibling
    neighbour?.querySelector("a")?.focus()
    onClose()
  }
  return (
    <div
      className={`group border-line flex shrink-0 items-stretch border-r ${isOpen ? openLook : closedLook} relative`}
    >
      <a
        href={addressOf({ session: tab.sessionId })}
        aria-current={isOpen ? "page" : undefined}
        {...(onClose && { "aria-keyshortcuts": "Delete" })}
        data-session={tab.sessionId}
        data-pinned={tab.pinned || undefined}
        title={`${title} · ${words.states[state]}`}
        className={`${shape} ${onClose === undefined ? "" : "pr-1"}`}
        onKeyDown={onKeyDown}
      >
        <State state={state} quiet />
        <span className={`max-w-48 truncate max-sm:max-w-32 ${hasNew ? "text-ink font-medium" : ""}`}>
          {title}
        </span>
        {tab.needsYou > 0 && (
          <span
            className="bg-accent text-accent-ink rounded-full px-1.5 text-[11px] leading-4 tabular-nums"
            aria-hidden="true"
          >
            {tab.needsYou}
          </span>
        )}
        {hasNew && (
          <span data-unread className="bg-accent size-1.5 rounded-full">
            <span className="sr-only">{words.unread(tab.unread === true ? true : Number(tab.unread))}</span>
          </span>
        )}
      </a>
      {onClose !== undefined && (
        <button
          type="button"
          // Who has a keyboard closes a tab with Delete; the row keeps one stop a tab.
          tabIndex={-1}
          aria-label={words.closeTab(title)}
          title={words.closeTab(title)}
          data-close-tab={tab.sessionId}
          className={`text-meta hover:text-ink px-1.5 group-hover:opacity-100 ${isOpen ? "" : "opacity-0"}`}
          onClick={onClose}
        >
          <span aria-hidden="true">×</span>
        </button>
      )}
    </div>
  )
}

export const titleOf = ({ title }: SessionTab): string =>
  title === "unknown" || title === "unavailable" ? "" : title
