import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react"

export type MenuItem = {
  id: string
  label: ReactNode
  hint?: ReactNode
  checked?: boolean
  disabled?: boolean
}

/** A button that opens a list of choices: arrows move, Enter chooses, Escape closes and gives the focus back. */
export function Menu({
  label,
  button,
  items,
  onChoose,
  className = "",
  below = false,
}: {
  label: string
  button: ReactNode
  items: readonly MenuItem[]
  onChoose: (id: string) => void
  className?: string
  /** Opens downwards, where the button stands at the top. */
  below?: boolean
}) {
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const close = (refocus: boolean) => {
    setOpen(false)
    if (refocus) trigger.current?.focus()
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation()
      return close(true)
    }
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const all = [...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([disabled])") ?? [])]
    const at = all.findIndex((item) => item.contains(document.activeElement))
    all[Math.min(all.length - 1, Math.max(0, at + by))]?.focus()
  }
  return (
    <span className={`relative inline-flex ${className}`}>
      <button
        ref={trigger}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        title={label}
        className="text-meta hover:text-ink hover:bg-hover rounded-md px-2 py-1 text-[13px] leading-5"
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return
          event.preventDefault()
          setOpen(true)
        }}
      >
        {button}
      </button>
      {open && (
        <div
          ref={(element) => {
            list.current = element
            if (element !== null && !element.contains(document.activeElement))
              element.querySelector<HTMLElement>("[role^=menuitem]:not([disabled])")?.focus()
          }}
          id={id}
          role="menu"
          data-below={below || undefined}
          tabIndex={-1}
          aria-label={label}
          onKeyDown={keys}
          onBlur={({ relatedTarget }) => {
            if (relatedTarget instanceof Node && list.current?.contains(relatedTarget)) return
            if (relatedTarget !== trigger.current) close(false)
          }}
          className="border-line bg-page absolute right-0 bottom-full z-20 mb-1 min-w-44 rounded-md border py-1 shadow-lg data-below:top-full data-below:bottom-auto data-below:mt-1 data-below:mb-0"
        >
          {items.map((item) => (
            <button
              key={item.id}
              type="button"
              {...roleOf(item)}
              disabled={item.disabled}
              className="focus:bg-hover hover:bg-hover flex w-full items-baseline gap-3 px-3 py-1 text-left text-[13px] disabled:opacity-45"
              onClick={() => {
                close(true)
                onChoose(item.id)
              }}
            >
              <span aria-hidden="true" className="w-3">
                {item.checked ? "✓" : ""}
              </span>
              <span className="flex-1">{item.label}</span>
              {item.hint !== undefined && <span className="meta">{item.hint}</span>}
            </button>
          ))}
        </div>
      )}
    </span>
  )
}

const roleOf = ({ checked }: MenuItem) =>
  checked === undefined
    ? ({ role: "menuitem" } as const)
    : ({ role: "menuitemradio", "aria-checked": checked } as const)
