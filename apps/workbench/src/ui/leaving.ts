import type { KeyboardEvent } from "react"

/** Escape leaves a small form, and nothing else hears of it: elsewhere it stops the turn. */
export const leaving = (leave: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Escape" || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.stopPropagation()
  leave()
}
