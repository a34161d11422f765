import { type KeyboardEvent, useEffect, useRef } from "react"
import { addressOf } from "../client/settings.ts"
import type { TabView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { moment } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"

type Props = { tabs: readonly TabView[]; open?: string | undefined; onClose: () => void }

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Every session in one list, for when there are more than the row of tabs can show. */
export function SessionList({ tabs, open, onClose }: Props) {
  const words = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useRef<HTMLUListElement>(null)

  useEffect(() => {
    dialog.current?.showModal()
    const links = list.current?.querySelectorAll("a")
    const current = [...(links ?? [])].find((link) => link.ariaCurrent !== null)
    ;(current ?? links?.[0])?.focus()
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined) return
    const links = [...(list.current?.querySelectorAll("a") ?? [])]
    const at = links.findIndex((link) => link.matches(":focus"))
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus()
    event.preventDefault()
  }
  const close = () => dialog.current?.close()

  return (
    <dialog
      ref={dialog}
      aria-label={words.allSessions}
      onClose={onClose}
      onKeyDown={onKeyDown}
      // The dialog's own box is filled, so that a click on it is one beside the box.
      onClick={(event) => event.target === event.currentTarget && close()}
      className="bg-page text-ink border-line m-auto max-h-[80dvh] w-[min(36rem,calc(100vw-1rem))] overflow-hidden rounded-lg border p-0 backdrop:bg-black/40"
    >
      <div className="flex max-h-[80dvh] flex-col">
        <div className="border-line flex items-center gap-2 border-b py-2 pr-2 pl-4">
          <h2 className="flex-1 font-semibold">{words.allSessions}</h2>
          <Button look="bare" onClick={close}>
            {words.close}
          </Button>
        </div>
        <ul ref={list} className="thin-scroll min-h-0 overflow-y-auto py-1">
          {tabs.map(({ session_id, title, state, updated_at }) => (
            <li key={session_id}>
              <a
                href={addressOf(session_id)}
                aria-current={session_id === open ? "page" : undefined}
                onClick={close}
                className="hover:bg-hover aria-[current=page]:bg-raised flex items-center gap-x-3 px-4 py-2 max-sm:flex-wrap focus-visible:outline-offset-[-2px]"
              >
                <span className="min-w-0 flex-1 truncate max-sm:basis-full">{title || words.untitled}</span>
                <span className="meta flex w-28 items-center">
                  <State state={state} />
                </span>
                {updated_at !== undefined && (
                  <time className="meta w-20 text-right" dateTime={updated_at}>
                    {moment(updated_at)}
                  </time>
                )}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </dialog>
  )
}
