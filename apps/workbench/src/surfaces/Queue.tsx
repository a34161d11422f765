import type { ComposerView, Intent } from "@factum/agent-ui"
import type { Pending } from "@factum/client"
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
}

/** What waits for its own turn, in order. */
export function Queue({ view, sessionId, pending, onIntent, onPromote }: Props) {
  const words = useWords()
  const { queued, threadId } = view
  const known = new Set(queued.map(({ turnId }) => turnId))
  const sending = pending.filter(({ behind, turn_id }) => behind && !known.has(turn_id))
  const count = queued.length + sending.length
  if (count === 0) return null
  const remove = (id: string) =>
    onIntent({
      control: "stop",
      target: {
        kind: "queued_turn",
        id,
        ...(sessionId !== undefined && { sessionId }),
        ...(threadId !== undefined && { threadId }),
      },
    })
  return (
    <section
      aria-label={words.talk.queued(count)}
      className="border-line bg-raised mb-2 rounded-lg border px-3 pt-2 pb-1 max-sm:px-2"
    >
      <h2 className="meta flex items-center gap-1.5">
        <State state="waiting" quiet />
        {words.talk.queued(count)}
      </h2>
      <ol className="thin-scroll max-h-36 overflow-y-auto">
        {queued.map(({ queuedTurnId, preview = words.talk.queuedText }, at) => (
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
              onClick={() => remove(queuedTurnId)}
            >
              {words.talk.remove}
            </Button>
          </li>
        ))}
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
  )
}
