import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import type { Intent } from "../client/store.ts"
import type { WorkbenchView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"
import { Queue } from "./Queue.tsx"

type Props = {
  view: WorkbenchView
  draft: string
  onDraft: (text: string) => void
  onIntent: (intent: Intent) => void
}

export function Composer({ view, draft, onDraft, onIntent }: Props) {
  const words = useWords()
  const [asking, setAsking] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const running = view.active !== undefined
  const blank = draft.trim() === "" || view.creating || view.loading

  useEffect(() => {
    if (!running) setAsking(false)
  }, [running])

  useEffect(() => {
    if (!running) return
    const onEscape = (event: globalThis.KeyboardEvent) => {
      if (event.key === "Escape" && !event.isComposing) setAsking((before) => !before)
    }
    addEventListener("keydown", onEscape)
    return () => removeEventListener("keydown", onEscape)
  }, [running])

  const send = () => {
    if (blank) return
    onIntent({ control: "send", text: draft })
    onDraft("")
  }
  const stop = () => {
    setAsking(false)
    onIntent({ control: "stop" })
    box.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends a composition chooses a character; it does not send.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className="border-line mx-auto w-full max-w-3xl border-t px-4 py-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Queue rows={view.queue} onIntent={onIntent} />
      {asking && <AskStop onYes={stop} onNo={() => setAsking(false)} />}
      <textarea
        ref={box}
        // biome-ignore lint/a11y/noAutofocus: writing is what the page is opened for
        autoFocus
        aria-label={words.message}
        placeholder={words.placeholder}
        value={draft}
        rows={2}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKeyDown}
        className="border-edge placeholder:text-meta field-sizing-content max-h-48 min-h-14 w-full resize-none rounded border bg-transparent px-3 py-2 text-base sm:text-sm"
      />
      <div className="mt-1 flex items-center justify-end gap-2">
        {running && view.session_id !== undefined && <Button onClick={stop}>{words.stop}</Button>}
        <Button type="submit" look="primary" disabled={blank}>
          {running ? words.queue : words.send}
        </Button>
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
      className="bg-raised mb-2 flex items-center gap-2 rounded px-3 py-2"
    >
      <span className="min-w-0 flex-1">{words.stopAsk}</span>
      {/* biome-ignore lint/a11y/noAutofocus: the question takes the keyboard, so that Enter answers it */}
      <Button look="primary" autoFocus onClick={onYes}>
        {words.stopYes}
      </Button>
      <Button onClick={onNo}>{words.stopNo}</Button>
    </div>
  )
}
