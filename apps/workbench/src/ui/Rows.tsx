import { type KeyboardEvent, type ReactNode, useId, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"

const page = 50

/** A list of which one item stands open, with its details and controls; long ones are shown a page at a time. */
export function Rows<T>({
  label,
  items,
  idOf,
  head,
  children,
}: {
  label: string
  items: readonly T[]
  idOf: (item: T) => string
  head: (item: T) => ReactNode
  children: (item: T) => ReactNode
}) {
  const { team } = useWords()
  const [shown, setShown] = useState(page)
  const [chosen, setChosen] = useState<string | null>()
  const first = items[0]
  // The first one is what needs attention most; it stays open until another is chosen.
  const open = chosen === undefined ? first && idOf(first) : chosen
  return (
    <>
      <ul aria-label={label} onKeyDown={moveFocus} className="flex flex-col">
        {items.slice(0, shown).map((item) => {
          const id = idOf(item)
          return (
            <Row
              key={id}
              id={id}
              head={head(item)}
              open={id === open}
              onOpen={() => setChosen(id === open ? null : id)}
            >
              {id === open && children(item)}
            </Row>
          )
        })}
      </ul>
      {items.length > shown && (
        <Button look="bare" className="m-2 self-start" onClick={() => setShown(shown + page)}>
          {team.more(Math.min(page, items.length - shown))}
        </Button>
      )}
    </>
  )
}

function Row({
  id,
  head,
  open,
  onOpen,
  children,
}: {
  id: string
  head: ReactNode
  open: boolean
  onOpen: () => void
  children: ReactNode
}) {
  const body = useId()
  return (
    <li
      data-item={id}
      className="border-line border-t first:border-t-0 data-open:bg-raised"
      data-open={open || undefined}
    >
      <button
        type="button"
        data-row
        aria-expanded={open}
        aria-controls={open ? body : undefined}
        onClick={onOpen}
        className="hover:bg-hover flex w-full min-w-0 items-start gap-2 px-3 py-1.5 text-left pointer-coarse:min-h-9"
      >
        {head}
      </button>
      {open && (
        <div id={body} className="flex flex-col gap-1.5 px-3 pb-3 pl-[34px]">
          {children}
        </div>
      )}
    </li>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
  if (by === undefined || !(event.target instanceof HTMLElement) || !event.target.matches("[data-row]"))
    return
  event.preventDefault()
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")]
  rows[rows.indexOf(event.target) + by]?.focus()
}
