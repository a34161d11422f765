import type { SessionTab } from "@factum/agent-ui"
import { type KeyboardEvent, useEffect, useRef } from "react"
import { useWords } from "../i18n/words.ts"
import { addressOf } from "../layout/address.ts"
import { Button } from "../ui/Button.tsx"
import { moment } from "../ui/measures.ts"
import { Sheet } from "../ui/Sheet.tsx"
import { State } from "../ui/State.tsx"
import { tabState, titleOf } from "./SessionTabs.tsx"

type Props = {
  tabs: readonly SessionTab[]
  open: string | undefined
  onPin: (sessionId: string, pinned: boolean) => void
  onClose: () => void
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }

/** Every session in one list, for when there are more than the row of tabs can show. */
export function SessionList({ tabs, open, onPin, onClose }: Props) {
  const words = useWords()
  const list = useRef<HTMLUListElement>(null)
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
      <ul ref={list} onKeyDown={onKeyDown} className="thin-scroll min-h-0 overflow-y-auto py-1">
        {tabs.map((tab) => {
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
      </ul>
    </Sheet>
  )
}
