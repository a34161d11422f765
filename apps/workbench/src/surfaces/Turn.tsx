import { memo } from "react"
import type { Answer } from "../client/answers.ts"
import { isOpened } from "../client/calls.ts"
import type { RequestView, Step, TurnView } from "../client/conversation.ts"
import { turnFoot } from "../client/foot.ts"
import type { Intent } from "../client/store.ts"
import { useWords } from "../i18n/words.ts"
import { clock } from "../ui/measures.ts"
import { Action } from "./ActionCard.tsx"
import { Call } from "./Call.tsx"
import type { Draft } from "./Composer.tsx"
import { Foot } from "./Foot.tsx"
import { Output } from "./Output.tsx"

type Props = {
  turn: TurnView
  isLast: boolean
  isStale: boolean
  answers: ReadonlyMap<string, Answer>
  onIntent: (intent: Intent) => void
  onDraft: Draft["change"]
}

/** How much of a message that was not sent is shown; the whole may be what was too long. */
const enough = 600

export const Turn = memo(function Turn({ turn, isLast, isStale, answers, ...does }: Props) {
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
        {turn.steps.map((step) => (
          <TurnStep key={step.id} step={step} {...{ turn, isStale, answers }} onIntent={does.onIntent} />
        ))}
        <Foot foot={turnFoot(turn, isStale)} turn={turn} isLast={isLast} {...does} />
      </div>
    </article>
  )
})

type StepProps = Pick<Props, "turn" | "isStale" | "answers" | "onIntent"> & { step: Step }

function TurnStep({ step, turn, isStale, answers, onIntent }: StepProps) {
  const { requests, calls, actions } = turn
  const shownActions = actions.filter(({ action_id, tool_call_id }) =>
    step.kind === "call"
      ? tool_call_id === step.id
      : // An action stands with the call that it is about.
        action_id === step.id && !calls.some((call) => call.tool_call_id === tool_call_id),
  )
  const request = requests.find(({ request_id }) => request_id === step.id)
  const call = calls.find(({ tool_call_id }) => tool_call_id === step.id)
  return (
    <>
      {request !== undefined && (
        <Output request={request} isLast={request === requests.at(-1)} opened={openedParts(turn, request)} />
      )}
      {call !== undefined && <Call {...{ call, turn, isStale }} />}
      {shownActions.map((action) => (
        <Action
          key={action.action_id}
          action={action}
          answer={answers.get(action.action_id)}
          onIntent={onIntent}
        />
      ))}
    </>
  )
}

/** As one text, so that it compares as the same. */
const openedParts = (turn: TurnView, { request_id, parts }: RequestView): string =>
  parts
    .filter(({ call_id }) => isOpened(turn, request_id, call_id))
    .map(({ key }) => key)
    .join("\n")

const shortened = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= enough ? text : `${text.slice(0, enough)}…`
