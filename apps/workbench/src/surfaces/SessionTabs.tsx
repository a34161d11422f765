import { memo, useEffect, useRef, useState } from "react"
import { addressOf } from "../client/settings.ts"
import type { TabView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { State } from "../ui/State.tsx"
import type { StateWord } from "../ui/status.ts"
import { SessionList } from "./SessionList.tsx"

const shape = "relative flex h-11 shrink-0 items-center gap-1.5 px-3 whitespace-nowrap"
const openLook = "bg-page text-ink after:bg-accent after:absolute after:inset-x-0 after:top-0 after:h-0.5"
const closedLook = "text-meta hover:text-ink"

/** Tabs are links: each session has an address that can be opened, kept and sent. */
export function SessionTabs({ tabs, open }: { tabs: readonly TabView[]; open?: string | undefined }) {
  const words = useWords()
  const row = useRef<HTMLDivElement>(null)
  const [isListed, setListed] = useState(false)
  const place = tabs.findIndex((tab) => tab.session_id === open)
  // A tab that comes with the list, or moves with it, must be in sight as well as one that was chosen.
  useEffect(() => {
    const current = place < 0 ? undefined : row.current?.children[place]
    current?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [place])
  return (
    <nav aria-label={words.sessions} className="flex min-w-0 flex-1">
      <a
        href={addressOf()}
        aria-current={open === undefined ? "page" : undefined}
        title={words.newSession}
        className={`${shape} px-4 text-lg ${open === undefined ? openLook : closedLook}`}
      >
        <span aria-hidden="true">+</span>
        <span className="sr-only">{words.newSession}</span>
      </a>
      <div ref={row} className="thin-scroll flex min-w-0 flex-1 overflow-x-auto overflow-y-hidden">
        {tabs.map(({ session_id, title, state }) => (
          <Tab key={session_id} {...{ session_id, title, state }} isOpen={session_id === open} />
        ))}
      </div>
      {tabs.length > 0 && (
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
      {isListed && <SessionList tabs={tabs} open={open} onClose={() => setListed(false)} />}
    </nav>
  )
}

type TabProps = { session_id: string; title: string; state: StateWord; isOpen: boolean }

const Tab = memo(function Tab({ session_id, state, isOpen, ...tab }: TabProps) {
  const words = useWords()
  const title = tab.title || words.untitled
  return (
    <a
      href={addressOf(session_id)}
      aria-current={isOpen ? "page" : undefined}
      data-session={session_id}
      title={`${title} · ${words.states[state]}`}
      className={`${shape} border-line border-r ${isOpen ? openLook : closedLook}`}
    >
      <State state={state} quiet />
      <span className="max-w-48 truncate max-sm:max-w-32">{title}</span>
    </a>
  )
})
