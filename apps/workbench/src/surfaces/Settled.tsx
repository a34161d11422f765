import type { ActionCard } from "@factum/agent-ui"
import { wordOf } from "../i18n/catalog.ts"
import { told, useWords } from "../i18n/words.ts"
import { instant } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"
import { askedText } from "./asked.ts"

/** What was asked, by whom, and who decided what, in one line. */
export function Settled({ card }: { card: ActionCard }) {
  const words = useWords()
  const { status, decision, decidedBy, note, grant, error, options, requestedBy, at } = card
  const unanswered = status === "ended" ? "cancelled" : (decision ?? "unknown")
  const label = options.find(({ id }) => id === decision)?.label
  const outcome =
    words.talk.unanswered[unanswered] ?? told(words, label ?? wordOf(words.catalog.control, unanswered))
  const isAnswer = words.talk.unanswered[unanswered] === undefined
  const by = decidedBy === undefined ? undefined : (words.talk.deciders[decidedBy] ?? decidedBy)
  const who = requestedBy?.name === "unknown" ? requestedBy.agentId : requestedBy?.name
  return (
    <div
      data-action={card.actionId}
      data-resolved={isAnswer ? "answered" : unanswered}
      className="py-0.5 text-[13px]"
    >
      <p className="flex flex-wrap items-center gap-x-2">
        <State state={isAnswer ? "done" : "cancelled"} quiet />
        <span className="[overflow-wrap:anywhere]">{askedText(card, words)}</span>
        <strong className="font-medium">{outcome}</strong>
        <span className="meta">
          {[
            by,
            who !== undefined && words.talk.asks(words.talk.requesters[who] ?? who),
            grant !== undefined &&
              (grant.active === false ? words.talk.grantEnded : words.talk.granted(grant.scope ?? "")),
            grant?.expiresAt !== undefined && words.talk.grantUntil(instant(grant.expiresAt)),
            at !== undefined && instant(at),
            isAnswer && note,
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </p>
      {error !== undefined && (
        <p role="status" className="meta">
          {words.problems[error] ?? error}
        </p>
      )}
    </div>
  )
}
