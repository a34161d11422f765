import {
  type KeyboardEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react"
import { keepDraft, storedDraft } from "../client/settings.ts"
import type { Intent } from "../client/store.ts"
import type { WorkbenchView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Queue } from "./Queue.tsx"

/** What others may do to the draft. */
export type Draft = { change: (next: (draft: string) => string) => void }
type Props = {
  place: string
  view: WorkbenchView
  onIntent: (intent: Intent) => void
  ref: Ref<Draft>
}

export function Composer({ place, view, onIntent, ref }: Props) {
  const words = useWords()
  const [draft, setDraft] = useState(() => storedDraft(place))
  const box = useRef<HTMLTextAreaElement>(null)
  const running = view.active !== undefined && view.session_id !== undefined
  const disabled = draft.trim() === "" || view.creating
  const stop = useStop(view, onIntent)

  const write = (text: string) => {
    setDraft(text)
    keepDraft(place, text)
  }
  const send = () => {
    if (disabled) return
    onIntent({ control: "send", text: draft })
    write("")
  }
  useImperativeHandle(ref, () => ({
    change: (next) => {
      write(next(draft))
      box.current?.focus()
    },
  }))
  const onStop = () => {
    stop?.()
    box.current?.focus()
  }
  const onQueueIntent = (intent: Intent) => {
    onIntent(intent)
    // The row goes away with its buttons, so the keyboard needs another place.
    if (intent.control === "remove") box.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends a composition chooses a character; Safari ends it first and only keeps the code 229.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
    if (event.key !== "Enter" || event.shiftKey || isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className="px-4 pb-4 max-sm:px-2 max-sm:pb-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="mx-auto max-w-3xl">
        <Queue rows={view.queue} onIntent={onQueueIntent} />
        <div className="border-edge bg-page focus-within:border-accent focus-within:ring-accent/20 rounded-lg border focus-within:ring-3">
          <textarea
            ref={box}
            // biome-ignore lint/a11y/noAutofocus: writing is what the page is opened for
            autoFocus
            aria-label={words.message}
            placeholder={running ? words.placeholderQueue : words.placeholder}
            value={draft}
            rows={1}
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
            className="placeholder:text-meta field-sizing-content block max-h-48 min-h-11 w-full resize-none bg-transparent px-3 pt-3 pb-1 text-base leading-5 outline-none sm:text-sm"
          />
          <div className="flex items-center gap-2 px-2 pb-2">
            <p className="meta min-w-0 flex-1 truncate pl-1">
              <span className="max-sm:hidden">
                <kbd>Enter</kbd> {words.keySend}
                <kbd className="ml-3">Shift Enter</kbd> {words.keyLine}
                {stop && (
                  <>
                    <kbd className="ml-3">Esc</kbd> {words.keyStop}
                  </>
                )}
              </span>
            </p>
            {stop && (
              <Button onClick={onStop}>
                <span aria-hidden="true">■ </span>
                {words.stop}
              </Button>
            )}
            <Button type="submit" look="primary" disabled={disabled}>
              {running ? words.queue : words.send}
            </Button>
          </div>
        </div>
      </div>
    </form>
  )
}

/** Stops the turn that is shown as running and no other. One that the log does not know yet cannot be named. */
function useStop(
  { active, session_id }: WorkbenchView,
  onIntent: Props["onIntent"],
): (() => void) | undefined {
  const turn_id = session_id === undefined || active?.status === "sending" ? undefined : active?.turn_id
  const stop = useMemo(
    () => (turn_id === undefined ? undefined : () => onIntent({ control: "stop", turn_id })),
    [turn_id, onIntent],
  )
  useEffect(() => {
    if (stop === undefined) return
    const onEscape = (event: globalThis.KeyboardEvent) => {
      // In an open dialog the key closes the dialog.
      if (event.key !== "Escape" || event.repeat || event.isComposing) return
      if (document.querySelector("dialog[open]") === null) stop()
    }
    addEventListener("keydown", onEscape)
    return () => removeEventListener("keydown", onEscape)
  }, [stop])
  return stop
}
