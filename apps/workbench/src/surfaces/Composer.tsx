import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { keepDraft, storedDraft } from "../client/settings.ts"
import type { Intent } from "../client/store.ts"
import type { WorkbenchView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"
import { Queue } from "./Queue.tsx"

type Props = { place: string; view: WorkbenchView; onIntent: (intent: Intent) => void }

export function Composer({ place, view, onIntent }: Props) {
  const words = useWords()
  const [draft, setDraft] = useState(() => storedDraft(place))
  const [asking, setAsking] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const running = view.active !== undefined && view.session_id !== undefined
  const disabled = draft.trim() === "" || view.creating

  useEffect(() => {
    if (!running) return setAsking(false)
    const onEscape = (event: globalThis.KeyboardEvent) => {
      if (event.key === "Escape" && !event.isComposing) setAsking((before) => !before)
    }
    addEventListener("keydown", onEscape)
    return () => removeEventListener("keydown", onEscape)
  }, [running])

  const write = (text: string) => {
    setDraft(text)
    keepDraft(place, text)
  }
  const send = () => {
    if (disabled) return
    onIntent({ control: "send", text: draft })
    write("")
  }
  const stop = () => {
    setAsking(false)
    onIntent({ control: "stop" })
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
        {asking && <AskStop onYes={stop} onNo={() => setAsking(false)} />}
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
                {running && (
                  <>
                    <kbd className="ml-3">Esc</kbd> {words.keyStop}
                  </>
                )}
              </span>
            </p>
            {running && (
              <Button onClick={stop}>
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

function AskStop({ onYes, onNo }: { onYes: () => void; onNo: () => void }) {
  const words = useWords()
  return (
    <div
      role="alertdialog"
      aria-label={words.stopAsk}
      className="bg-raised border-line mb-2 flex flex-wrap items-center gap-2 rounded-lg border px-3 py-2"
    >
      <span className="min-w-0 flex-1">{words.stopAsk}</span>
      <Button look="primary" autoFocus onClick={onYes}>
        {words.stopYes}
      </Button>
      <Button onClick={onNo}>{words.stopNo}</Button>
    </div>
  )
}
