import { useEffect, useRef } from "react"
import { addressOf } from "../client/settings.ts"
import type { TabView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { State } from "./State.tsx"

const shape = "relative flex h-11 shrink-0 items-center gap-1.5 px-3 whitespace-nowrap"
const openLook = "bg-page text-ink after:bg-accent after:absolute after:inset-x-0 after:top-0 after:h-0.5"
const closedLook = "text-meta hover:text-ink"

/** Tabs are links: each session has an address that can be opened, kept and sent. */
export function SessionTabs({ tabs, open }: { tabs: readonly TabView[]; open?: string | undefined }) {
  const words = useWords()
  const current = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (open !== undefined) current.current?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [open])
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
      <div className="thin-scroll flex min-w-0 flex-1 overflow-x-auto overflow-y-hidden">
        {tabs.map((tab) => {
          const isOpen = tab.session_id === open
          const title = tab.title || words.untitled
          return (
            <a
              key={tab.session_id}
              ref={isOpen ? current : undefined}
              href={addressOf(tab.session_id)}
              aria-current={isOpen ? "page" : undefined}
              data-session={tab.session_id}
              title={`${title} · ${words.states[tab.state]}`}
              className={`${shape} border-line border-r ${isOpen ? openLook : closedLook}`}
            >
              <State state={tab.state} quiet />
              <span className="max-w-48 truncate max-sm:max-w-32">{title}</span>
            </a>
          )
        })}
      </div>
    </nav>
  )
}
