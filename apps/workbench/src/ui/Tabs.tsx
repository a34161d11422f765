import type { KeyboardEvent, ReactNode } from "react"

export type TabItem = { id: string; label: ReactNode; badge?: ReactNode }

/** One of several panes is shown; arrows move between their names. */
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
    <div
      role="tablist"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={keys}
      className="border-line thin-scroll flex h-9 shrink-0 items-stretch gap-1 overflow-x-auto border-b px-2"
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
          className="text-meta hover:text-ink aria-selected:border-accent aria-selected:text-ink inline-flex items-center gap-1.5 border-b-2 border-transparent px-2 text-[13px] whitespace-nowrap"
        >
          {name}
          {badge}
        </button>
      ))}
    </div>
  )
}
