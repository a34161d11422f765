import type { Language } from "../i18n/words.ts"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const keys = { token: "factum.token", theme: "factum.theme", language: "factum.language" } as const

/** Takes the token from the address, which must not keep it, or from the last visit. */
export function takeToken(): string | undefined {
  const given = /^#token=([^&]+)(?:&(.*))?$/.exec(location.hash)
  if (given?.[1] === undefined) return read(keys.token)
  history.replaceState(null, "", `${location.pathname}#${given[2] ?? "/"}`)
  write(keys.token, decodeURIComponent(given[1]))
  return decodeURIComponent(given[1])
}

export const sessionOfAddress = (): string | undefined => /^#\/s\/([\w.:@-]+)$/.exec(location.hash)?.[1]
export const addressOf = (session_id?: string): string =>
  session_id === undefined ? "#/" : `#/s/${session_id}`

export function storedTheme(): Theme {
  const stored = read(keys.theme)
  return themes.find((theme) => theme === stored) ?? "system"
}

export function applyTheme(theme: Theme): void {
  write(keys.theme, theme)
  document.documentElement.dataset["theme"] = theme
}

export function storedLanguage(): Language {
  const stored = read(keys.language) ?? navigator.language
  return stored.startsWith("zh") ? "zh" : "en"
}

export function applyLanguage(language: Language): void {
  write(keys.language, language)
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en"
}

// A browser may forbid storage; the page then works for this visit only.
function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    return
  }
}
