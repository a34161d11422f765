import type { InputPartView } from "@factum/agent-ui"
import type { Pending, Shelf } from "@factum/client"
import type { Language } from "../i18n/words.ts"
import type { Marks } from "./session-listing.ts"
import type { EditShelf } from "./workbench.ts"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const keys = { token: "factum.token", theme: "factum.theme", language: "factum.language" } as const

/** A token, and whether another one of an earlier visit is kept beside it. */
export type Token = { value: string; hasOther: boolean }

/** Takes the token from the address, which must not keep it, or from the last visit. */
export function takeToken(): Token | undefined {
  const stored = read(keys.token)
  const given = /^#token=([^&]+)(?:&(.*))?$/.exec(location.hash)
  if (given?.[1] === undefined) return stored === undefined ? undefined : { value: stored, hasOther: false }
  history.replaceState(null, "", `${location.pathname}#${given[2] ?? "/"}`)
  return { value: given[1], hasOther: stored !== undefined && stored !== given[1] }
}

/** Anybody can make an address: its token is kept once the host has taken it. */
export const keepToken = (token: string): void => void write(keys.token, token)

export function storedTheme(): Theme {
  const stored = read(keys.theme)
  return themes.find((theme) => theme === stored) ?? "system"
}

export function applyTheme(theme: Theme): void {
  write(keys.theme, theme)
  document.documentElement.dataset.theme = theme
}

export function storedLanguage(): Language {
  const stored = read(keys.language) ?? navigator.language
  return stored.startsWith("zh") ? "zh" : "en"
}

export function applyLanguage(language: Language): void {
  write(keys.language, language)
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en"
}

/** What is written and not sent, per address. */
export const storedDraft = (place: string): string => read(`factum.draft.${place}`) ?? ""

export function keepDraft(place: string, text: string): void {
  if (text === "") drop(`factum.draft.${place}`)
  else write(`factum.draft.${place}`, text)
}

/** What was taken out to be sent stands before what was written since. */
export function joined(inputs: readonly InputPartView[], draft: string): string {
  const taken = inputs.flatMap((part) => (part.kind === "text" ? [part.text] : []))
  return [...taken, draft].filter(Boolean).join("\n")
}

const editPrefix = "factum.edit."

/** What is changed of artifacts and not saved. */
export const edits: EditShelf = {
  load: () =>
    storedKeys(editPrefix).flatMap((key) => {
      const kept: unknown = attempt(() => JSON.parse(read(key) ?? ""), undefined)
      if (typeof kept !== "object" || kept === null || !("text" in kept)) return []
      const { text, base } = kept as { text: unknown; base?: unknown }
      if (typeof text !== "string") return []
      return [{ id: key.slice(editPrefix.length), text, ...(typeof base === "string" && { base }) }]
    }),
  keep: (id, edit) =>
    edit === undefined ? drop(editPrefix + id) : write(editPrefix + id, JSON.stringify(edit)),
}

const shelfPrefix = "factum.outbox."

/** One entry a message, so that two tabs do not overwrite each other's. */
export const shelf: Shelf = {
  load: () => storedKeys(shelfPrefix).flatMap((key) => pendingIn(read(key))),
  put: (pending) => write(shelfPrefix + pending.turn_id, JSON.stringify(pending)),
  drop: (turn_id) => drop(shelfPrefix + turn_id),
}

function pendingIn(text: string | undefined): Pending[] {
  try {
    const kept = text === undefined ? undefined : (JSON.parse(text) as Partial<Pending>)
    return kept?.turn_id !== undefined && kept.input !== undefined ? [kept as Pending] : []
  } catch {
    return []
  }
}

const pins = "factum.pinned."
const seen = "factum.seen."
const closed = "factum.closed."

/** Which sessions a person pinned, and when each was last looked at. */
export const marks: Marks = {
  isPinned: (sessionId) => read(pins + sessionId) !== undefined,
  pin: (sessionId, pinned) => (pinned ? write(pins + sessionId, "1") : drop(pins + sessionId)),
  seen: (sessionId, at) => write(seen + sessionId, at),
  // A session that this browser never showed is not news.
  isUnread: (sessionId, at) => at > (read(seen + sessionId) ?? at),
  isClosed: (sessionId, needsYou) => needsYou <= Number(read(closed + sessionId) ?? -1),
  close: (sessionId, needsYou) =>
    needsYou === undefined ? drop(closed + sessionId) : write(closed + sessionId, String(needsYou)),
}

export type LayoutSizes = {
  side: number
  workspace: number
  isSideOpen: boolean
  /** Until a person chooses, it is open where a session has something to show in it. */
  isWorkspaceOpen?: boolean
}
const usualLayout: LayoutSizes = { side: 232, workspace: 520, isSideOpen: true }

export function storedLayout(): LayoutSizes {
  const kept: unknown = attempt(() => JSON.parse(read("factum.layout") ?? "{}"), {})
  return typeof kept === "object" ? { ...usualLayout, ...kept } : usualLayout
}
export const keepLayout = (sizes: LayoutSizes): void => void write("factum.layout", JSON.stringify(sizes))

export const wantsNotifications = (): boolean => read("factum.notify") === "on"
export const keepNotifications = (on: boolean): void => void write("factum.notify", on ? "on" : "off")

// A browser may forbid storage; the page then works for this visit only.
function attempt<T>(action: () => T, otherwise: T): T {
  try {
    return action()
  } catch {
    return otherwise
  }
}

const read = (key: string) => attempt(() => localStorage.getItem(key) ?? undefined, undefined)
const write = (key: string, value: string) => attempt(() => localStorage.setItem(key, value), undefined)
const drop = (key: string) => attempt(() => localStorage.removeItem(key), undefined)
const storedKeys = (prefix: string) =>
  attempt(
    () =>
      Object.keys(localStorage)
        .filter((key) => key.startsWith(prefix))
        .sort(),
    [],
  )
