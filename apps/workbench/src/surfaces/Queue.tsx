import type { ComposerView, InputPartView, Intent } from "@factum/agent-ui"
import { newId, type Pending } from "@factum/client"
import { useEffect, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { State } from "../ui/State.tsx"
import { textOf } from "./Unsent.tsx"

type Props = {
  view: ComposerView
  sessionId: string | undefined
  pending: readonly Pending[]
  onIntent: (intent: Intent) => void
  onPromote: (queuedTurnId: string, threadId: string) => void
  /** What a message that waits holds, so that it can be sent again. */
  inputsOf?: ((turnId: string) => readonly InputPartView[] | undefined) | undefined
}

/** What waits for its own turn, in order. */
type QueuedRow = ComposerView["queued"][number]
type Removed = { id: string; text: string; inputs: readonly InputPartView[] }
const undoMs = 8000

export function Queue({ view, sessionId, pending, onIntent, onPromote, inputsOf }: Props) {
  const words = useWords()
  const [removed, setRemoved] = useState<Removed>()
  useEffect(() => {
    if (removed === undefined) return
    const timer = setTimeout(() => setRemoved(undefined), undoMs)
    return () => clearTimeout(timer)
  }, [removed])
  const { queued, threadId } = view
  const known = new Set(queued.map(({ turnId }) => turnId))
  const sending = pending.filter(({ behind, turn_id }) => behind && !known.has(turn_id))
  const count = queued.length + sending.length
  const undo = removed !== undefined && sessionId !== undefined && (
    <p
      role="status"
      data-role="undo"
      className="meta bg-raised mb-2 flex items-center gap-2 rounded-lg px-3 py-0.5"
    >
      <span className="min-w-0 flex-1 truncate">{words.talk.wasRemoved(removed.text)}</span>
      <Button
        look="bare"
        title={words.talk.undoHint}
        aria-label={`${words.talk.undo}: ${words.talk.undoHint}`}
        onClick={() => {
          setRemoved(undefined)
          onIntent({
            control: view.activeRunId === undefined ? "send" : "queue",
            sessionId,
            ...(threadId !== undefined && { threadId }),
            inputs: [...removed.inputs],
            clientId: newId("trn"),
          })
        }}
      >
        {words.talk.undo}
      </Button>
    </p>
  )
  if (count === 0) return undo || null
  const remove = ({ queuedTurnId: id, turnId, preview = words.talk.queuedText }: QueuedRow) => {
    const inputs = turnId === undefined ? undefined : inputsOf?.(turnId)
    if (inputs !== undefined) setRemoved({ id, text: preview, inputs })
    onIntent({
      control: "stop",
      target: {
        kind: "queued_turn",
        id,
        ...(sessionId !== undefined && { sessionId }),
        ...(threadId !== undefined && { threadId }),
      },
    })
  }
  return (
    <>
      {undo}
      <section
        aria-label={words.talk.queued(count)}
        className="border-line bg-raised mb-2 rounded-lg border px-3 pt-2 pb-1 max-sm:px-2"
      >
        <h2 className="meta flex items-center gap-1.5">
          <State state="waiting" quiet />
          {words.talk.queued(count)}
        </h2>
        <ol className="thin-scroll max-h-36 overflow-y-auto">
          {queued.map((row, at) => {
            const { queuedTurnId, preview = words.talk.queuedText } = row
            return (
              <li key={queuedTurnId} data-queued={queuedTurnId} className="flex items-center gap-1">
                <span aria-hidden="true" className="meta w-4">
                  {at + 1}
                </span>
                <span data-role="queued" className="min-w-0 flex-1 truncate" title={preview}>
                  {preview}
                </span>
                {at > 0 && threadId !== undefined && (
                  <Button
                    look="bare"
                    className="max-sm:px-1.5"
                    aria-label={words.talk.promoteLabel(preview)}
                    onClick={() => onPromote(queuedTurnId, threadId)}
                  >
                    {words.talk.promote}
                  </Button>
                )}
                <Button
                  look="bare"
                  className="max-sm:px-1.5"
                  aria-label={words.talk.removeLabel(preview)}
                  onClick={() => remove(row)}
                >
                  {words.talk.remove}
                </Button>
              </li>
            )
          })}
          {sending.map((one) => (
            <li key={one.turn_id} data-queued={one.turn_id} className="flex items-center gap-1">
              <span data-role="queued" className="min-w-0 flex-1 truncate pl-5">
                {textOf(one)}
              </span>
              <span className="meta px-2 py-1">{words.talk.sending}</span>
            </li>
          ))}
        </ol>
      </section>
    </>
  )
}
