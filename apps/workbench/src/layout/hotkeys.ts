import { useEffect, useRef } from "react"

/** Keys as `mod+k`, `alt+enter`, `?`, or one after another as `g t`. `mod` is Command on a Mac, Control elsewhere. */
export type Hotkeys = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** How long the first key of two waits for the second. */
const patienceMs = 1200

const isMac = typeof navigator !== "undefined" && /Mac|iP(hone|ad|od)/.test(navigator.platform)

/** Bare letters do nothing while somebody writes. */
export function useHotkeys(hotkeys: Hotkeys): void {
  const latest = useRef(hotkeys)
  latest.current = hotkeys
  useEffect(() => {
    let first: { key: string; at: number } | undefined
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const key = nameOf(event)
      const bare = !event.metaKey && !event.ctrlKey && !event.altKey
      // From inside of a shadow root, the target is only its host.
      if (bare && key.length <= 1 && isWriting(event.composedPath()[0])) return
      const pair = first && event.timeStamp - first.at < patienceMs ? `${first.key} ${key}` : undefined
      first = undefined
      const action = (pair !== undefined && latest.current[pair]) || latest.current[key]
      if (action) {
        event.preventDefault()
        return action(event)
      }
      const begins = Object.keys(latest.current).some((name) => name.startsWith(`${key} `))
      if (begins) first = { key, at: event.timeStamp }
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
}

export function nameOf(
  event: Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">,
): string {
  const mod = isMac ? event.metaKey : event.ctrlKey
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  // The shift of a sign such as ? is part of the sign.
  const shift = event.shiftKey && event.key.length > 1
  return [mod && "mod", event.altKey && "alt", shift && "shift", key === "Enter" ? "enter" : key]
    .filter(Boolean)
    .join("+")
}

/** How a key is written for people. */
export function shown(keys: string): string[] {
  return keys.split(/[ +]/).map((key) => names[key] ?? key)
}
const names: Readonly<Record<string, string>> = isMac
  ? { mod: "⌘", alt: "⌥", shift: "⇧", enter: "↩", Escape: "Esc" }
  : { mod: "Ctrl", alt: "Alt", shift: "Shift", enter: "Enter", Escape: "Esc" }

function isWriting(target: EventTarget | undefined): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
