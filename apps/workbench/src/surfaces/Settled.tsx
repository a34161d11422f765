import type { Answer } from "../client/answers.ts"
import type { ActionView } from "../client/conversation.ts"
import { told, useWords } from "../i18n/words.ts"
import { instant } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"

/** What was asked and who decided what, in one line. */
export function Settled({ action, problem }: { action: ActionView; problem: Answer["problem"] }) {
  const words = useWords()
  const { request, resolution, resolved_at } = action
  if (resolution === undefined) return null
  const { reason, decision, decider, note } = resolution
  const label = request?.decisions.find(({ id }) => id === decision)?.label ?? decision
  const outcome = reason === "answered" ? told(words, label) : words.unanswered[reason]
  return (
    <div data-action={action.action_id} data-resolved={reason} className="meta my-1 pl-[22px]">
      <p className="flex flex-wrap items-center gap-x-1.5">
        <State state={reason === "answered" ? "done" : "cancelled"} quiet />
        <span>{told(words, request?.title ?? words.askedOutside)}</span>
        <strong className="text-ink font-medium">{outcome}</strong>
        <span>· {words.deciders[decider.kind]}</span>
        {resolved_at !== undefined && <time dateTime={resolved_at}>· {instant(resolved_at)}</time>}
        {/* Why it was withdrawn is told by the turn. */}
        {reason === "answered" && note !== undefined && <span className="min-w-0 truncate">· {note}</span>}
      </p>
      {problem !== undefined && <p role="status">{words.problems[problem.code] ?? problem.message}</p>}
    </div>
  )
}
