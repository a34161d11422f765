import { useEffect, useState, useSyncExternalStore } from "react"
import { addressOf, applyLanguage, applyTheme, storedLanguage, storedTheme } from "../client/settings.ts"
import type { WorkbenchStore } from "../client/store.ts"
import { languages, WordsContext } from "../i18n/words.ts"
import { Composer } from "../surfaces/Composer.tsx"
import { Conversation } from "../surfaces/Conversation.tsx"
import { SessionTabs } from "../surfaces/SessionTabs.tsx"
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
  const preferences = { theme, language, onTheme: setTheme, onLanguage: setLanguage }
  return (
    <WordsContext value={languages[language]}>
      {store === undefined || refused ? (
        <>
          <header className="flex justify-end">
            <Preferences {...preferences} />
          </header>
          <NoToken refused={refused} />
        </>
      ) : (
        <Workbench store={store} preferences={<Preferences {...preferences} />} />
      )}
    </WordsContext>
  )
}

function Workbench({ store, preferences }: { store: WorkbenchStore; preferences: React.ReactNode }) {
  const view = useSyncExternalStore(store.subscribe, store.view)
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  const place = addressOf(view.session_id)
  return (
    <div className="flex h-dvh flex-col">
      <header className="border-line flex items-stretch border-b">
        <SessionTabs tabs={view.tabs} open={view.session_id} />
        {preferences}
      </header>
      <Banner view={view} />
      <main className="flex min-h-0 flex-1 flex-col">
        <Conversation key={place} view={view} onIntent={store.intent} />
        <Composer
          view={view}
          draft={drafts[place] ?? ""}
          onDraft={(text) => setDrafts((before) => ({ ...before, [place]: text }))}
          onIntent={store.intent}
        />
      </main>
    </div>
  )
}
