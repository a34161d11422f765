import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react"
import { useWords } from "../i18n/words.ts"
import { Menu } from "./Menu.tsx"

export type TabItem = { id: string; label: ReactNode; badge?: ReactNode }

/** One of several panes is shown; arrows move between their names. Those that have no room are in a menu beside them. */
export function Tabs({
  label,
  tabs,
  selected,
  onSelect,
  panel,
}: {
  label: string
  tabs: readonly TabItem[]
  selected: string
  onSelect: (id: string) => void
  /** The id of the pane that they choose. */
  panel: string
}) {
  const words = useWords()
  const row = useRef<HTMLDivElement>(null)
  const hidden = useHidden(row, tabs.length)
  // The one that is chosen is always in sight, also by a key or an address.
  useLayoutEffect(() => {
    const tab = row.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(selected)}"]`)
    if (tab) bringIn(row.current, tab)
  }, [selected])
  const keys = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = tabs.findIndex(({ id }) => id === selected)
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const next = by === undefined ? undefined : tabs[(at + by + tabs.length) % tabs.length]
    if (next === undefined) return
    event.preventDefault()
    onSelect(next.id)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div className="border-line flex h-9 shrink-0 items-stretch border-b">
      <div
        ref={row}
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={keys}
        className="flex min-w-0 flex-1 [scrollbar-width:none] items-stretch gap-1 overflow-x-auto px-2"
      >
        {tabs.map(({ id, label: name, badge }) => (
          <button
            key={id}
            type="button"
            role="tab"
            data-tab={id}
            aria-selected={id === selected}
            aria-controls={panel}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
            className="text-meta hover:text-ink aria-selected:border-accent aria-selected:text-ink inline-flex shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2 text-[13px] whitespace-nowrap"
          >
            {name}
            {badge}
          </button>
        ))}
      </div>
      {hidden.length > 0 && (
        <Menu
          below
          className="border-line shrink-0 items-center border-l px-0.5"
          label={words.moreTabs(hidden.length)}
          button={
            <span data-more={hidden.length} className="tabular-nums">
              +{hidden.length} <span aria-hidden="true">▾</span>
            </span>
          }
          items={tabs.map(({ id, label: name }) => ({ id, label: name, checked: id === selected }))}
          onChoose={onSelect}
        />
      )}
    </div>
  )
}

/** Moves the row alone: what is around it stays. */
function bringIn(row: HTMLElement | null, tab: HTMLElement): void {
  if (row === null) return
  const margin = 8
  const from = tab.offsetLeft - row.offsetLeft - margin
  const to = from + tab.offsetWidth + 2 * margin
  if (from < row.scrollLeft) row.scrollLeft = from
  else if (to > row.scrollLeft + row.clientWidth) row.scrollLeft = to - row.clientWidth
}

/** The tabs that are not wholly in sight. */
function useHidden(row: RefObject<HTMLDivElement | null>, count: number): readonly string[] {
  const [hidden, setHidden] = useState<readonly string[]>([])
  const look = useCallback(() => {
    const element = row.current
    if (element === null) return
    const from = element.scrollLeft - 1
    const to = element.scrollLeft + element.clientWidth + 1
    const out = [...element.querySelectorAll<HTMLElement>("[data-tab]")].flatMap((tab) => {
      const at = tab.offsetLeft - element.offsetLeft
      return at < from || at + tab.offsetWidth > to ? [tab.dataset.tab ?? ""] : []
    })
    setHidden((before) => (before.join() === out.join() ? before : out))
  }, [row])
  useEffect(() => {
    const element = row.current
    if (element === null || count === 0) return
    const sizes = new ResizeObserver(() => {
      const chosen = element.querySelector<HTMLElement>("[aria-selected=true]")
      if (chosen) bringIn(element, chosen)
      look()
    })
    sizes.observe(element)
    element.addEventListener("scroll", look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener("scroll", look)
    }
  }, [row, look, count])
  return hidden
}
