import { useEffect, useRef } from "react"
import { addressOf } from "../client/settings.ts"
import type { TabView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { State } from "./State.tsx"

/** Tabs are links: each session has an address that can be opened, kept and sent. */
export function SessionTabs({ tabs, open }: { tabs: readonly TabView[]; open?: string | undefined }) {
  const words = useWords()
  const current = useRef<HTMLAnchorElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab to reveal is another one when `open` changes
  useEffect(() => current.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [open])
  const shape = "flex h-9 shrink-0 items-center gap-1 border-b-2 px-3 whitespace-nowrap hover:bg-raised"
  return (
    <nav aria-label={words.sessions} className="flex min-w-0 flex-1 overflow-x-auto overflow-y-hidden">
      <a
        href={addressOf()}
        aria-label={words.newSession}
        aria-current={open === undefined ? "page" : undefined}
        title={words.newSession}
        className={`${shape} sticky left-0 bg-page ${open === undefined ? "border-accent" : "border-transparent text-meta"}`}
      >
        ＋
      </a>
      {tabs.map((tab) => (
        <a
          key={tab.session_id}
          ref={tab.session_id === open ? current : undefined}
          href={addressOf(tab.session_id)}
          aria-current={tab.session_id === open ? "page" : undefined}
          title={tab.title}
          className={`${shape} ${tab.session_id === open ? "border-accent" : "border-transparent text-meta"}`}
        >
          <State state={tab.state} quiet={tab.state === "done" || tab.state === "idle"} />
          <span className="max-w-48 truncate">{tab.title || words.untitled}</span>
        </a>
      ))}
    </nav>
  )
}
