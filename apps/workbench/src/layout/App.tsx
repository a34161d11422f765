import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { addressOf, applyLanguage, applyTheme, storedLanguage, storedTheme } from "../client/settings.ts"
import type { WorkbenchStore } from "../client/store.ts"
import type { TabView } from "../client/view.ts"
import { languages, useWords, WordsContext } from "../i18n/words.ts"
import { Composer, type Draft } from "../surfaces/Composer.tsx"
import { Conversation } from "../surfaces/Conversation.tsx"
import { SessionTabs } from "../surfaces/SessionTabs.tsx"
import { glyphs } from "../ui/status.ts"
import { Announcer } from "./Announcer.tsx"
import { Banner } from "./Banner.tsx"
import { NoToken } from "./NoToken.tsx"
import { Preferences } from "./Preferences.tsx"

export type Access = { subscribe: (listener: () => void) => () => void; refused: () => boolean }

export function App({ store, access }: { store: WorkbenchStore | undefined; access: Access }) {
  const [theme, setTheme] = useState(storedTheme)
  const [language, setLanguage] = useState(storedLanguage)
  const refused = useSyncExternalStore(access.subscribe, access.refused)
  useEffect(() => applyTheme(theme), [theme])
  useEffect(() => applyLanguage(language), [language])
  const preferences = (
    <Preferences theme={theme} language={language} onTheme={setTheme} onLanguage={setLanguage} />
  )
  return (
    <WordsContext value={languages[language]}>
      {store === undefined || refused ? (
        <NoToken refused={refused} preferences={preferences} />
      ) : (
        <Workbench store={store} preferences={preferences} />
      )}
    </WordsContext>
  )
}

function Workbench({ store, preferences }: { store: WorkbenchStore; preferences: React.ReactNode }) {
  const view = useSyncExternalStore(store.subscribe, store.view)
  const place = addressOf(view.session_id)
  const draft = useRef<Draft>(null)
  const onDraft = useCallback<Draft["change"]>((next) => draft.current?.change(next), [])
  const open = view.tabs.find((tab) => tab.session_id === view.session_id)
  useTitle(open, view.waiting)
  return (
    <div className="flex h-dvh flex-col">
      <header className="border-line bg-raised flex items-stretch border-b">
        <SessionTabs tabs={view.tabs} open={view.session_id} />
        {preferences}
      </header>
      <Banner view={view} onIntent={store.intent} />
      <main className="flex min-h-0 flex-1 flex-col">
        {open !== undefined && <h1 className="sr-only">{open.title}</h1>}
        <Conversation key={`c${place}`} view={view} onIntent={store.intent} onDraft={onDraft} />
        {view.unreadable === undefined && (
          <Composer key={`w${place}`} ref={draft} place={place} view={view} onIntent={store.intent} />
        )}
      </main>
      <Announcer key={place} turn={view.loading ? undefined : view.turns.at(-1)} />
    </div>
  )
}

/** The browser's own tab tells the state too, and how many questions wait. */
function useTitle(open: TabView | undefined, waiting: number): void {
  const words = useWords()
  const count = waiting === 0 ? "" : `(${waiting}) `
  const title =
    open === undefined ? "Factum" : `${count}${glyphs[open.state]} ${open.title || words.untitled} · Factum`
  useEffect(() => {
    document.title = title
  }, [title])
}
