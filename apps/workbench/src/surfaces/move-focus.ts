import type { KeyboardEvent } from "react"

/** Arrows and j/k go from row to row of a list. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
  if (by === undefined || !(event.target instanceof HTMLElement) || !event.target.matches("[data-row]"))
    return
  event.preventDefault()
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")]
  rows[rows.indexOf(event.target) + by]?.focus()
}
