import type { SessionTab } from "@factum/agent-ui"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { addressOf } from "../layout/address.ts"
import { Button } from "../ui/Button.tsx"
import { moment } from "../ui/measures.ts"
import { Sheet } from "../ui/Sheet.tsx"
import { State } from "../ui/State.tsx"
import { inOrder, tabState, titleOf } from "./SessionTabs.tsx"

type Props = {
  tabs: readonly SessionTab[]
  open: string | undefined
  /** There are sessions that were not read yet. */
  hasMore: boolean
  onPin: (sessionId: string, pinned: boolean) => void
  onFind: Find | undefined
  onClose: () => void
}
/** Asks the host for sessions with these words in their title, or for the next ones; gives where it goes on. */
export type Find = (search: string, before?: string | number) => Promise<string | number | undefined>

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }

/** Every session in one list, for when there are more than the row of tabs can show. */
export function SessionList({ tabs, open, hasMore, onPin, onFind, onClose }: Props) {
  const words = useWords()
  const list = useRef<HTMLUListElement>(null)
  const [search, setSearch] = useState("")
  const [found, setFound] = useState<{ search: string; next: string | number | undefined }>()
  const [isBusy, setBusy] = useState(false)
  const wanted = search.trim().toLowerCase()
  const shown = inOrder(tabs).filter((tab) => titleOf(tab).toLowerCase().includes(wanted))
  const rest = found?.search === wanted ? found.next : undefined
  const mayGoOn = wanted === "" ? hasMore : rest !== undefined
  const find = async (text: string, before?: string | number) => {
    setBusy(true)
    const next = await onFind?.(text, before)
    setFound({ search: text, next })
    setBusy(false)
  }
  const latest = useRef(find)
  latest.current = find
  // The host is asked when the typing rests.
  useEffect(() => {
    if (wanted === "") return
    const timer = setTimeout(() => void latest.current(wanted), 250)
    return () => clearTimeout(timer)
  }, [wanted])
  useEffect(() => {
    const links = [...(list.current?.querySelectorAll("a") ?? [])]
    ;(links.find((link) => link.ariaCurrent !== null) ?? links[0])?.focus()
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined) return
    const links = [...(list.current?.querySelectorAll("a") ?? [])]
    const at = links.findIndex((link) => link.matches(":focus"))
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus()
    event.preventDefault()
  }
  return (
    <Sheet open label={words.allSessions} onClose={onClose}>
      <div className="border-line flex items-center gap-2 border-b py-2 pr-2 pl-4">
        <h2 className="flex-1 font-semibold">{words.allSessions}</h2>
        <Button look="bare" onClick={onClose}>
          {words.close}
        </Button>
      </div>
      {onFind !== undefined && (
        <input
          type="search"
          value={search}
          placeholder={words.findSession}
          aria-label={words.findSession}
          className="border-edge bg-page mx-4 mt-2 rounded-md border px-2 py-1"
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      <ul ref={list} onKeyDown={onKeyDown} className="thin-scroll min-h-0 overflow-y-auto py-1">
        {shown.map((tab) => {
          const { sessionId, pinned, at } = tab
          const title = titleOf(tab) || words.untitled
          return (
            <li key={sessionId} className="hover:bg-hover flex items-center pr-2">
              <a
                href={addressOf({ session: sessionId })}
                aria-current={sessionId === open ? "page" : undefined}
                onClick={onClose}
                className="aria-[current=page]:bg-raised flex min-w-0 flex-1 items-center gap-x-3 px-4 py-2 max-sm:flex-wrap focus-visible:outline-offset-[-2px]"
              >
                <span className="min-w-0 flex-1 truncate max-sm:basis-full">{title}</span>
                <span className="meta flex w-28 items-center">
                  <State state={tabState(tab)} />
                </span>
                {at !== undefined && (
                  <time className="meta w-20 text-right" dateTime={at}>
                    {moment(at)}
                  </time>
                )}
              </a>
              <Button
                look="bare"
                aria-pressed={pinned}
                aria-label={pinned ? words.unpinLabel(title) : words.pinLabel(title)}
                onClick={() => onPin(sessionId, !pinned)}
              >
                {pinned ? words.unpin : words.pin}
              </Button>
            </li>
          )
        })}
        {shown.length === 0 && !isBusy && <li className="meta px-4 py-2">{words.noSessionFits}</li>}
        {mayGoOn && onFind !== undefined && (
          <li className="px-4 py-2">
            <Button disabled={isBusy} data-more-sessions onClick={() => void find(wanted, rest)}>
              {words.moreSessions}
            </Button>
          </li>
        )}
      </ul>
    </Sheet>
  )
}
