import { memo } from "react"
import type { TurnView } from "../client/conversation.ts"
import { turnFoot } from "../client/foot.ts"
import { clock } from "../client/measures.ts"
import type { Intent } from "../client/store.ts"
import { useWords } from "../i18n/words.ts"
import type { Draft } from "./Composer.tsx"
import { Foot } from "./Foot.tsx"
import { Output } from "./Output.tsx"

type Props = {
  turn: TurnView
  isLast: boolean
  isStale: boolean
  onIntent: (intent: Intent) => void
  onDraft: Draft["change"]
}

/** How much of a message that was not sent is shown; the whole may be what was too long. */
const enough = 600

export const Turn = memo(function Turn({ turn, isLast, isStale, ...does }: Props) {
  const words = useWords()
  const { text, submitted_at } = turn
  return (
    <article data-turn={turn.turn_id} data-status={turn.status} className="pt-6">
      <div className="bg-raised flex items-baseline gap-3 rounded-lg px-3 py-2">
        <h2 className="sr-only">{words.you}</h2>
        <p
          data-role="user"
          className={`plain-text min-w-0 flex-1 ${text === undefined ? "text-meta" : "font-medium"}`}
        >
          {(turn.status === "unsent" ? shortened(text) : text) ?? words.textOutside}
        </p>
        {submitted_at !== undefined && (
          <time className="meta" dateTime={submitted_at} title={new Date(submitted_at).toLocaleString()}>
            {clock(submitted_at)}
          </time>
        )}
      </div>
      <div className="px-3">
        {turn.requests.map((request, at) => (
          <Output key={request.request_id} request={request} isLast={at === turn.requests.length - 1} />
        ))}
        <Foot foot={turnFoot(turn, isStale)} turn={turn} isLast={isLast} {...does} />
      </div>
    </article>
  )
})

const shortened = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= enough ? text : `${text.slice(0, enough)}…`
