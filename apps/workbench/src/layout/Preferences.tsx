import { type Theme, themes } from "../client/settings.ts"
import { type Language, useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"

type Props = {
  theme: Theme
  language: Language
  onTheme: (theme: Theme) => void
  onLanguage: (language: Language) => void
}

const shapes = { system: "◑", light: "○", dark: "●" } as const

export function Preferences({ theme, language, onTheme, onLanguage }: Props) {
  const words = useWords()
  const nextTheme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system"
  const other = language === "en" ? "zh" : "en"
  const label = `${words.theme}: ${words.themes[theme]}`
  return (
    <div className="border-line flex shrink-0 items-center border-l px-1">
      <Button look="bare" lang={other === "zh" ? "zh-CN" : "en"} onClick={() => onLanguage(other)}>
        <span className="max-sm:hidden">{words.language}</span>
        <span className="sm:hidden">{words.languageCode}</span>
      </Button>
      <Button look="bare" aria-label={label} title={label} onClick={() => onTheme(nextTheme)}>
        <span aria-hidden="true">{shapes[theme]}</span>
        <span className="ml-1 max-md:hidden">{words.themes[theme]}</span>
      </Button>
    </div>
  )
}
