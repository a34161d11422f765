import type { ComposerView, Control, InputPartView, Intent } from "@factum/agent-ui"
import { newId, type Pending } from "@factum/client"
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type Ref,
  useImperativeHandle,
  useRef,
  useState,
} from "react"
import { keepDraft, storedDraft } from "../client/settings.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { AttachedFiles, type Upload, useAttachments } from "./attachments.tsx"
import { ContextChips, ModeMenu } from "./ComposerMeta.tsx"
import type { SurfaceProps } from "./props.ts"
import { Queue } from "./Queue.tsx"
import { useStop } from "./useStop.ts"

/** What others may do to the draft. */
export type Draft = { change: (next: (draft: string) => string) => void; focus: () => void }
type Props = SurfaceProps<ComposerView> & {
  sessionId: string | undefined
  pending: readonly Pending[]
  /** The first message is on its way: there is no session yet that a second one could go to. */
  isCreating: boolean
  upload: Upload
  onPromote: (queuedTurnId: string, threadId: string) => void
  inputsOf?: (turnId: string) => readonly InputPartView[] | undefined
  ref?: Ref<Draft>
}
type Sending = "send" | "queue" | "steer"

export function Composer(props: Props) {
  const { view, sessionId, onIntent, isCreating, ref } = props
  const words = useWords()
  const place = sessionId ?? ""
  const [draft, setDraft] = useState(() => storedDraft(place) || (view.draft ?? ""))
  const [mode, setMode] = useState<string>()
  const [isOver, setOver] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const attachments = useAttachments(props.upload)
  const may = (control: Control) => view.controls.find((one) => one.control === control)
  const isRunning = view.activeRunId !== undefined
  const isEmpty = draft.trim() === "" && attachments.parts.length === 0
  const isBusy = isCreating || attachments.isUploading
  const stop = useStop(view, sessionId, onIntent)

  const write = (text: string) => {
    setDraft(text)
    keepDraft(place, text)
  }
  const send = (control: Sending) => {
    if (isEmpty || isBusy) return
    const inputs: InputPartView[] = [
      ...(draft.trim() === "" ? [] : [{ kind: "text" as const, text: draft }]),
      ...attachments.parts,
    ]
    onIntent(intentOf(control, inputs))
    write("")
    attachments.clear()
    setMode(undefined)
  }
  function intentOf(control: Sending, inputs: InputPartView[]): Intent {
    const clientId = newId(control === "steer" ? "str" : "trn")
    const at = view.threadId === undefined ? {} : { threadId: view.threadId }
    const chosen = mode === undefined ? {} : { mode }
    if (sessionId === undefined) return { control: "send", inputs, clientId, ...chosen }
    if (control === "steer")
      return { control, sessionId, ...at, runId: view.activeRunId ?? "", inputs, clientId }
    return { control, sessionId, ...at, ...chosen, inputs, clientId }
  }
  useImperativeHandle(ref, () => ({
    change: (next) => {
      write(next(draft))
      box.current?.focus()
    },
    focus: () => box.current?.focus(),
  }))
  const usual: Sending = isRunning ? "queue" : "send"
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends a composition chooses a character; Safari ends it first and only keeps the code 229.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
    if (event.key !== "Enter" || event.shiftKey || isComposing) return
    event.preventDefault()
    if ((event.metaKey || event.ctrlKey) && isRunning)
      return may("steer")?.enabled ? send("steer") : undefined
    send(usual)
  }
  const take = (files: FileList | null | undefined, event?: { preventDefault: () => void }) => {
    if (files === null || files === undefined || files.length === 0) return
    event?.preventDefault()
    attachments.add([...files])
  }
  const held = may(usual)?.reason === "held_while_stale"
  return (
    <form
      data-surface="composer"
      data-state={view.state}
      className="px-4 pb-3 max-sm:px-2 max-sm:pb-2"
      onSubmit={(event) => {
        event.preventDefault()
        send(usual)
      }}
      onDragOver={(event: DragEvent) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => {
        setOver(false)
        take(event.dataTransfer.files, event)
      }}
    >
      <div className="mx-auto max-w-3xl">
        <Queue
          view={view}
          sessionId={sessionId}
          pending={props.pending}
          onIntent={(intent) => {
            onIntent(intent)
            // The row goes away with its buttons, so the keyboard needs another place.
            box.current?.focus()
          }}
          onPromote={props.onPromote}
          inputsOf={props.inputsOf}
        />
        <div
          className={`bg-page focus-within:border-accent focus-within:ring-accent/20 relative rounded-lg border focus-within:ring-3 ${isOver ? "border-accent" : "border-edge"}`}
        >
          {isOver && (
            <p className="bg-page/90 absolute inset-0 z-10 grid place-items-center rounded-lg">
              {words.talk.drop}
            </p>
          )}
          <ContextChips view={view} />
          <AttachedFiles attachments={attachments} />
          <textarea
            ref={box}
            // biome-ignore lint/a11y/noAutofocus: writing is what the page is opened for
            autoFocus
            aria-label={words.talk.message}
            placeholder={isRunning ? words.talk.placeholderRunning : words.talk.placeholder}
            value={draft}
            rows={1}
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={(event: ClipboardEvent) => take(event.clipboardData.files, event)}
            className="placeholder:text-meta field-sizing-content block max-h-48 min-h-11 w-full resize-none bg-transparent px-3 pt-3 pb-1 text-base leading-5 outline-none sm:text-sm"
          />
          <div className="flex flex-wrap items-center gap-1 px-2 pb-2">
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              onChange={(event) => {
                take(event.target.files)
                event.target.value = ""
              }}
            />
            <Button
              look="bare"
              aria-label={words.talk.attach}
              title={words.talk.attach}
              onClick={() => picker.current?.click()}
            >
              <Clip />
            </Button>
            <ModeMenu view={view} chosen={mode} onChoose={setMode} />
            <p className="meta min-w-0 flex-1 truncate pl-1">
              {held && <span data-role="held">{words.talk.held}</span>}
            </p>
            {stop && (
              <Button
                data-control="interrupt"
                onClick={() => stop.press(() => box.current?.focus())}
                title={words.talk.keyStop}
              >
                <span aria-hidden="true" className="max-sm:hidden">
                  ■{" "}
                </span>
                {words.catalog.control.interrupt}
              </Button>
            )}
            {isRunning && (
              <Button
                data-control="steer"
                disabled={isEmpty || isBusy || !may("steer")?.enabled}
                title={words.talk.steerHint}
                aria-keyshortcuts="Control+Enter"
                onClick={() => send("steer")}
                className="border-dashed!"
              >
                <span aria-hidden="true" className="max-sm:hidden">
                  ↳{" "}
                </span>
                {words.catalog.control.steer}
              </Button>
            )}
            <Button
              type="submit"
              look="primary"
              data-control={usual}
              disabled={isEmpty || isBusy}
              title={isRunning ? words.talk.queueHint : words.talk.sendHint}
            >
              <span aria-hidden="true" className="max-sm:hidden">
                {isRunning ? "≡ " : "↑ "}
              </span>
              {words.catalog.control[usual]}
            </Button>
          </div>
        </div>
        {stop?.isAsking && (
          <p role="alert" className="meta mt-1 text-center" data-role="stop-confirm">
            {words.talk.stopConfirm}
          </p>
        )}
      </div>
    </form>
  )
}

function Clip() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className="size-4"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
    >
      <path d="m13 7.5-5.2 5.2a3 3 0 0 1-4.3-4.3l5.6-5.6a2 2 0 0 1 2.9 2.9L6.6 11a1 1 0 0 1-1.4-1.4L10 4.8" />
    </svg>
  )
}
