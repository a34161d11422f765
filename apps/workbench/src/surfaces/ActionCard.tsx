import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react"
import {
  type Field,
  type FieldProblem,
  fieldIn,
  fieldsOf,
  filledIn,
  wholeAnswer,
  writtenAnswer,
} from "../client/answer-form.ts"
import type { Answer } from "../client/answers.ts"
import { type ActionView, isWaiting } from "../client/conversation.ts"
import type { Intent } from "../client/store.ts"
import { told, useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { instant } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"
import { AnswerForm, fieldLook } from "./AnswerForm.tsx"
import { Passage } from "./Call.tsx"
import { Settled } from "./Settled.tsx"

type Props = { action: ActionView; answer?: Answer | undefined; onIntent: (intent: Intent) => void }
type Request = NonNullable<ActionView["request"]>
type Decision = Request["decisions"][number]

export function Action(props: Props) {
  const { action, answer } = props
  if (action.resolution !== undefined) return <Settled action={action} problem={answer?.problem} />
  return action.request === undefined ? null : <Card {...props} request={action.request} />
}

function Card({ action, request, answer, onIntent }: Props & { request: Request }) {
  const words = useWords()
  const titleId = useId()
  const card = useRef<HTMLElement>(null)
  useFocusOnward(card)
  const isMine = isWaiting(action)
  const { detail, safe_input } = request
  return (
    <section
      ref={card}
      aria-labelledby={titleId}
      data-action={action.action_id}
      data-open
      tabIndex={-1}
      onKeyDown={onCardKey}
      className={`bg-page my-3 rounded-lg border px-3 py-2.5 ${isMine ? "border-accent" : "border-edge"}`}
    >
      <div className="flex items-start gap-2">
        <span className="flex h-5 items-center">
          <State state={isMine ? "needsYou" : "waiting"} quiet />
        </span>
        <h3 id={titleId} className="min-w-0 flex-1 font-semibold [overflow-wrap:anywhere]">
          {told(words, request.title)}
        </h3>
        {action.required_at !== undefined && (
          <time className="meta py-0.5" dateTime={action.required_at}>
            {words.since(instant(action.required_at))}
          </time>
        )}
      </div>
      <p data-role="asker" className="meta pl-[22px] [overflow-wrap:anywhere]">
        {aboutOf(request).join(" · ")}
      </p>
      <div className="pl-[22px] max-sm:pl-0">
        {detail !== undefined && <p className="plain-text mt-2">{told(words, detail)}</p>}
        {safe_input !== undefined && (
          <div className="bg-raised mt-2 rounded-md px-2.5 py-1.5">
            <Passage name={words.askedFor} excerpt={safe_input} />
          </div>
        )}
        {isMine ? (
          <Deciding action={action} request={request} answer={answer} onIntent={onIntent} />
        ) : (
          <p className="text-meta mt-2">{words.waitsFor[request.decided_by]}</p>
        )}
      </div>
    </section>
  )

  function aboutOf({ requester, tool, risk, deadline }: Request): string[] {
    const who = requester.name ?? requester.id
    const kind = words.requesters[requester.kind]
    return [
      words.asks(who === undefined ? kind : `${kind} ${who}`),
      tool !== undefined && words.tool(tool),
      risk !== undefined && words.risks[risk],
      deadline !== undefined && words.until(instant(deadline)),
    ].filter((text) => text !== false)
  }
}

/** What the person fills in and chooses. The buttons say what they send; nothing else changes here. */
function Deciding({ action, request, answer, onIntent }: Props & { request: Request }) {
  const words = useWords()
  const noteId = useId()
  const [note, setNote] = useState("")
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({})
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (Object.keys(problems).length > 0)
      box.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [problems])
  const { answer_schema, decisions } = request
  const fields = answer_schema === undefined ? undefined : fieldsOf(answer_schema)
  const isBusy = answer?.state === "sending" || answer?.state === "sent"
  const refusedAt = answer?.problem && answer_schema && fieldIn(answer.problem.field, fields)

  const decide = ({ id, effect }: Decision) => {
    // Who says no owes no answer.
    const filled = answer_schema === undefined || effect === "deny" ? undefined : fill(fields, texts)
    setProblems(filled === undefined || filled.ok ? {} : filled.problems)
    if (isBusy || filled?.ok === false) return
    onIntent({
      control: "respond",
      action_id: action.action_id,
      decision: id,
      ...(filled !== undefined && { payload: filled.payload }),
      ...(note.trim() !== "" && { note: note.trim() }),
    })
  }
  const keys = new Map([
    [decisions.find(({ effect }) => effect === "allow"), "y"],
    [decisions.find(({ effect }) => effect === "deny"), "n"],
  ])

  return (
    <div ref={box}>
      {answer_schema !== undefined && (
        <AnswerForm
          schema={answer_schema}
          fields={fields}
          texts={texts}
          onText={(name, text) => setTexts({ ...texts, [name]: text })}
          problemAt={(name) => {
            const problem = problems[name]
            if (problem !== undefined) return words.fieldProblem(problem)
            return refusedAt === name ? answer?.problem?.message : undefined
          }}
        />
      )}
      <div className="mt-3 flex flex-wrap items-center justify-end gap-2">
        <label htmlFor={noteId} className="sr-only">
          {words.note}
        </label>
        <input
          id={noteId}
          value={note}
          placeholder={words.note}
          onChange={(event) => setNote(event.target.value)}
          className={`${fieldLook} min-w-40 flex-1 max-sm:basis-full`}
        />
        {decisions.map((decision, at) => (
          <Button
            key={decision.id}
            look={at === decisions.findIndex(({ effect }) => effect !== "deny") ? "primary" : "plain"}
            disabled={isBusy}
            className="max-w-full shrink! whitespace-normal!"
            data-decision={decision.id}
            aria-keyshortcuts={keys.get(decision)}
            onClick={() => decide(decision)}
          >
            {told(words, decision.label)}
            {keys.has(decision) && (
              <span
                aria-hidden="true"
                className="ml-1.5 text-[11px] leading-none opacity-70 pointer-coarse:hidden"
              >
                {keys.get(decision)}
              </span>
            )}
          </Button>
        ))}
      </div>
      <p role="status" data-role="answer" className="meta empty:hidden mt-2 text-right">
        {answer?.state === "sending" && words.answerSending}
        {answer?.state === "sent" && words.answerSent}
        {answer?.problem !== undefined && refusedAt === undefined && (
          <span className="text-bad">{words.problems[answer.problem.code] ?? answer.problem.message}</span>
        )}
      </p>
    </div>
  )
}

/** `y` and `n` decide while the card has the focus, but not while something is written in it. */
function onCardKey(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget: card, key, nativeEvent } = event
  if (nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
  if (target instanceof HTMLElement && target.matches("input, textarea, select")) {
    if (key !== "Escape") return
    // It leaves the field; elsewhere it would stop the turn.
    event.stopPropagation()
    card.focus()
  } else if ((key === "y" || key === "n") && !event.repeat) {
    card.querySelector<HTMLButtonElement>(`button[aria-keyshortcuts=${key}]`)?.click()
  }
}

/** A card goes away with its buttons: the keyboard goes on to the next one, or to the conversation. */
function useFocusOnward(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const gone = card.current
    return () => {
      if (gone?.contains(document.activeElement) !== true) return
      const region = gone.parentElement?.closest<HTMLElement>("[tabindex='0']")
      const cards = [...(region?.querySelectorAll<HTMLElement>("[data-action][data-open]") ?? [])]
      const next = cards.find((other) => other !== gone) ?? region
      next?.focus({ preventScroll: next === region })
    }
  }, [card])
}

const fill = (fields: readonly Field[] | undefined, texts: Readonly<Record<string, string>>) =>
  fields === undefined ? writtenAnswer(texts[wholeAnswer] ?? "") : filledIn(fields, texts)
