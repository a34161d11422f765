import type { SessionTabsView } from "@factum/agent-ui"
import { useEffect, useRef } from "react"
import { notify } from "../client/notify.ts"
import { useShell, useSurface } from "../client/page.ts"
import { wantsNotifications } from "../client/settings.ts"
import { useWords } from "../i18n/words.ts"
import { askedText } from "../surfaces/asked.ts"
import { tabState, titleOf } from "../surfaces/SessionTabs.tsx"
import { glyphs } from "../ui/status.ts"

/** The browser's own tab tells the state and how many requests wait; a desktop notification only if it was asked for. */
export function Attention({ tabs }: { tabs: SessionTabsView }) {
  const words = useWords()
  const { session } = useShell().place
  const { pending } = useSurface("hitl")
  const open = tabs.tabs.find(({ sessionId }) => sessionId === session)
  const count = tabs.needsYou === 0 ? "" : `(${tabs.needsYou}) `
  const title =
    open === undefined
      ? `${count}Factum`
      : `${count}${glyphs[tabState(open)]} ${titleOf(open) || words.untitled} · Factum`
  useEffect(() => {
    document.title = title
  }, [title])

  const told_ = useRef<Set<string> | undefined>(undefined)
  useEffect(() => {
    const before = told_.current
    told_.current = new Set(pending.map(({ actionId }) => actionId))
    if (before === undefined || !wantsNotifications() || !document.hidden) return
    for (const card of pending) {
      if (!before.has(card.actionId)) notify(words.notifyTitle(askedText(card, words)), card.actionId)
    }
  }, [pending, words])
  // What other sessions wait for is known by its number alone.
  const others = useRef<Map<string, number> | undefined>(undefined)
  useEffect(() => {
    const before = others.current
    const away = tabs.tabs.filter((tab) => tab.sessionId !== session && tab.parentSessionId === undefined)
    others.current = new Map(away.map((tab) => [tab.sessionId, tab.needsYou]))
    if (before === undefined || !wantsNotifications() || !document.hidden) return
    for (const tab of away) {
      if (tab.needsYou <= (before.get(tab.sessionId) ?? tab.needsYou)) continue
      if (Notification.permission !== "granted") continue
      const about = `${words.states.needsYou}: ${titleOf(tab) || words.untitled}`
      new Notification(words.notifyTitle(about), { tag: tab.sessionId })
    }
  }, [tabs, session, words])
  return null
}
