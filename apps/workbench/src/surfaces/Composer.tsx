import type { ComposerView, InputPartView } from "@factum/agent-ui"
import type { Pending } from "@factum/client"
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type Ref,
  useImperativeHandle,
  useRef,
  useState,
} from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { State } from "../ui/State.tsx"
import { AttachedFiles, type Upload } from "./attachments.tsx"
import { ContextChips, ModeMenu } from "./ComposerMeta.tsx"
import type { SurfaceProps } from "./props.ts"
import { Queue } from "./Queue.tsx"
import { useComposing } from "./useComposing.ts"
import { useStop } from "./useStop.ts"

/** What others may do to the draft. */
export type Draft = {
  /** Puts back what was to be sent and did not leave. */
  giveBack: (inputs: readonly InputPartView[], mode?: string) => void
  focus: () => void
}
type Props = SurfaceProps<ComposerView> & {
  sessionId: string | undefined
  pending: readonly Pending[]
  isCreating: boolean
  upload: Upload
  onPromote: (queuedTurnId: string, threadId: string) => void
  inputsOf?: (turnId: string) => readonly InputPartView[] | undefined
  ref?: Ref<Draft>
}

export function Composer(props: Props) {
  const { view, sessionId, onIntent, ref } = props
  const words = useWords()
  const { attachments, draft, isRunning, usual, may, send, write, ...composing } = useComposing(props)
  const [isOver, setOver] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const stop = useStop(view, sessionId, onIntent)
  useImperativeHandle(ref, () => ({
    giveBack: composing.giveBack,
    focus: () => box.current?.focus(),
  }))
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends a composition chooses a character; Safari ends it first and only keeps the code 229.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
    if (event.key !== "Enter" || event.shiftKey || isComposing) return
    event.preventDefault()
    send((event.metaKey || event.ctrlKey) && isRunning ? "steer" : usual)
  }
  const take = (files: FileList | null | undefined, event?: { preventDefault: () => void }) => {
    if (files === null || files === undefined || files.length === 0) return
    event?.preventDefault()
    attachments.add([...files])
  }
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
          {composing.blocked !== undefined && (
            <p className="meta flex items-start gap-1.5 px-3 pt-2" data-notice="blocked">
              <State state="blocked" />
              <span className="min-w-0 break-words">{composing.blocked}</span>
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
            <ModeMenu view={view} chosen={composing.mode} onChoose={composing.setMode} />
            <p className="meta min-w-0 flex-1 pl-1" role="status">
              {composing.whyNot !== undefined && (
                <span data-role={composing.isHeld ? "held" : "why-not"}>{composing.whyNot}</span>
              )}
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
                disabled={!may("steer")}
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
              disabled={!may(usual)}
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
