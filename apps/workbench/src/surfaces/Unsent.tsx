import type { Pending } from "@factum/client"
import { memo } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { State } from "../ui/State.tsx"

export const textOf = ({ input }: Pending): string =>
  input.input.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n")

/** A message that the host does not have: on its way, or refused and kept for the person to decide. */
export const Unsent = memo(function Unsent({
  pending,
  onResend,
  onEdit,
  onDiscard,
}: {
  pending: Pending
  onResend: (turnId: string) => void
  onEdit: (pending: Pending) => void
  onDiscard: (turnId: string) => void
}) {
  const words = useWords()
  const { refusal, turn_id } = pending
  return (
    <article data-turn={turn_id} data-status={refusal === undefined ? "sending" : "unsent"} className="pb-2">
      <div className="bg-raised mt-6 ml-auto w-fit max-w-[85%] rounded-lg px-3 py-2">
        <div data-role="user" className="plain-text thin-scroll max-h-60 overflow-y-auto">
          {textOf(pending).slice(0, 20_000)}
        </div>
        <p className="meta mt-1 flex items-center gap-1.5">
          <State state={refusal === undefined ? "waiting" : "failed"} quiet />
          {refusal === undefined ? words.talk.sending : words.talk.notSent}
        </p>
      </div>
      {refusal !== undefined && (
        <div className="mt-2 flex flex-wrap items-center justify-end gap-2">
          <p className="text-bad">{words.problems[refusal.code] ?? refusal.message}</p>
          {refusal.code !== "too_large" && (
            <Button onClick={() => onResend(turn_id)}>{words.talk.resend}</Button>
          )}
          <Button onClick={() => onEdit(pending)}>{words.talk.edit}</Button>
          <Button look="bare" onClick={() => onDiscard(turn_id)}>
            {words.talk.discard}
          </Button>
        </div>
      )}
    </article>
  )
})
