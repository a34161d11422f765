import { useEffect, useMemo, useState, useSyncExternalStore } from "react"
import { PageContext, type Reach, ReachContext } from "../client/page.ts"
import { applyLanguage, applyTheme, storedLanguage, storedTheme, themes } from "../client/settings.ts"
import type { Workbench } from "../client/workbench.ts"
import { languages, WordsContext } from "../i18n/words.ts"
import { Guard } from "../ui/Guard.tsx"
import { NoToken } from "./NoToken.tsx"
import { Page } from "./Page.tsx"
import { Preferences } from "./Preferences.tsx"

export type Access = { subscribe: (listener: () => void) => () => void; refused: () => boolean }

export function App({ page, access }: { page: Workbench | undefined; access: Access }) {
  const [theme, setTheme] = useState(storedTheme)
  const [language, setLanguage] = useState(storedLanguage)
  const refused = useSyncExternalStore(access.subscribe, access.refused)
  useEffect(() => applyTheme(theme), [theme])
  useEffect(() => applyLanguage(language), [language])
  const preferences = (
    <Preferences theme={theme} language={language} onTheme={setTheme} onLanguage={setLanguage} />
  )
  const reach = useMemo<Reach | undefined>(
    () =>
      page === undefined
        ? undefined
        : { local: page.local, read: page.read, preview: page.preview, toRequest: page.toRequest },
    [page],
  )
  const words = languages[language]
  const nextTheme = () => setTheme((now) => themes[(themes.indexOf(now) + 1) % themes.length] ?? "system")
  const nextLanguage = () => setLanguage((now) => (now === "en" ? "zh" : "en"))
  return (
    <WordsContext value={words}>
      {page === undefined || reach === undefined || refused ? (
        <NoToken refused={refused} preferences={preferences} />
      ) : (
        <Guard name={words.page}>
          <PageContext value={page}>
            <ReachContext value={reach}>
              <Page preferences={preferences} onTheme={nextTheme} onLanguage={nextLanguage} />
            </ReachContext>
          </PageContext>
        </Guard>
      )}
    </WordsContext>
  )
}
