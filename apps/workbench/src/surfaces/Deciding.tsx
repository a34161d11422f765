import type { ActionCard, HitlView } from "@factum/agent-ui"
import { useEffect, useId, useMemo, useRef, useState } from "react"
import {
  type Field,
  type FieldProblem,
  fieldIn,
  fieldsOf,
  filledIn,
  wholeAnswer,
  writtenAnswer,
} from "../client/answer-form.ts"
import { told, useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { AnswerForm, fieldLook } from "./AnswerForm.tsx"
import { type Decision, decisionsOf, intentOf } from "./decisions.ts"
import type { SurfaceProps } from "./props.ts"

type Props = { card: ActionCard; onIntent: SurfaceProps<HitlView>["onIntent"] }

/** The one field of a request that gave no form: a secret, an answer in words, or changes. */
const plainField: Field = {
  name: "answer",
  title: "",
  kind: "text",
  required: true,
  choices: [],
  initial: "",
}

/** What the person fills in and chooses. The buttons say what they send; nothing else changes here. */
export function Deciding({ card, onIntent }: Props) {
  const words = useWords()
  const noteId = useId()
  const secretId = useId()
  const [note, setNote] = useState("")
  // React writes the value of a field that it controls into the markup, where a secret must not stand.
  const secret = useRef<HTMLInputElement>(null)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [editing, setEditing] = useState<string>()
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({})
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (Object.keys(problems).length > 0)
      box.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [problems])
  const decisions = useMemo(() => decisionsOf(card), [card])
  const { schema, error } = card
  const answers = decisions.filter(({ control }) => control === "answer")
  // Several answers are a choice; a single one, or none that the owner named, is to be written.
  const wantsText = schema === undefined && !card.secret && answers.length === 1
  const fields = schema === undefined ? (wantsText ? [plainField] : undefined) : fieldsOf(schema)
  const isBusy = card.status === "answering"
  const refusal = error === undefined ? undefined : refusalIn(error, fields)

  const decide = (decision: Decision) => {
    if (isBusy || !decision.enabled) return
    const { control } = decision
    if (control === "edit" && editing === undefined) {
      setEditing(card.plan?.text ?? card.plan?.steps.map(({ title }) => title).join("\n") ?? "")
      return
    }
    const noted = note.trim() === "" ? {} : { note: note.trim() }
    if (card.secret && control === "answer" && secret.current !== null) {
      const { value } = secret.current
      if (value === "") return setProblems({ secret: { kind: "required" } })
      // Handed over and forgotten: it stays nowhere on this page.
      secret.current.value = ""
      setProblems({})
      return onIntent(intentOf(card.actionId, decision, { secret: value }))
    }
    // Who says no owes no answer.
    const asks = control === "answer" && (schema !== undefined || wantsText)
    const filled = asks ? fill(fields, texts) : undefined
    setProblems(filled === undefined || filled.ok ? {} : filled.problems)
    if (filled?.ok === false) return
    const data =
      control === "edit" ? { [card.plan === undefined ? "changes" : "plan"]: editing ?? "" } : filled?.payload
    onIntent(intentOf(card.actionId, decision, { ...(data && { data }), ...noted }))
  }
  const keys = new Map<Decision | undefined, string>([
    [decisions.find(({ control }) => control === "approve"), "y"],
    [decisions.find(({ control }) => control === "reject"), "n"],
    [decisions.find(({ control }) => control === "edit" || control === "answer"), "e"],
  ])
  const first = decisions.find(({ control }) => control !== "reject")

  return (
    <div ref={box}>
      {fields !== undefined || schema !== undefined ? (
        <AnswerForm
          schema={schema ?? {}}
          fields={fields?.map((field) =>
            field === plainField ? { ...field, title: words.talk.answerText } : field,
          )}
          texts={texts}
          onText={(name, text) => setTexts({ ...texts, [name]: text })}
          problemAt={(name) => {
            const problem = problems[name]
            if (problem !== undefined) return words.talk.fieldProblem(problem)
            if (refusal?.field !== name) return undefined
            const rule = /^misfit (.+)$/.exec(refusal.message)?.[1]
            return rule === undefined ? refusal.message : words.talk.misfit(rule)
          }}
        />
      ) : null}
      {card.secret && (
        <div className="mt-3" data-field="secret">
          <label htmlFor={secretId} className="block text-[13px] font-medium">
            {card.policyScope ?? words.talk.secret}
          </label>
          <p className="meta">{words.talk.secretHint}</p>
          <input
            ref={secret}
            id={secretId}
            type="password"
            autoComplete="off"
            disabled={isBusy}
            aria-invalid={problems.secret !== undefined}
            className={`${fieldLook} mt-1 block w-full max-w-80`}
          />
          {problems.secret && (
            <p role="alert" className="text-bad mt-1 text-[13px]">
              {words.talk.fieldProblem(problems.secret)}
            </p>
          )}
        </div>
      )}
      {editing !== undefined && (
        <label className="mt-3 block text-[13px] font-medium">
          {words.talk.changes}
          <textarea
            // biome-ignore lint/a11y/noAutofocus: it was opened to be written in
            autoFocus
            value={editing}
            placeholder={words.talk.changesHint}
            onChange={(event) => setEditing(event.target.value)}
            className={`${fieldLook} field-sizing-content mt-1 block max-h-80 min-h-16 w-full resize-none font-normal`}
          />
        </label>
      )}
      <div className="mt-3 flex flex-wrap items-center justify-end gap-2">
        {!card.secret && (
          <>
            <label htmlFor={noteId} className="sr-only">
              {words.talk.note}
            </label>
            <input
              id={noteId}
              value={note}
              placeholder={words.talk.note}
              onChange={(event) => setNote(event.target.value)}
              className={`${fieldLook} min-w-40 flex-1 max-sm:basis-full`}
            />
          </>
        )}
        {decisions.map((decision) => (
          <Button
            key={decision.key}
            look={decision === first ? "primary" : "plain"}
            disabled={isBusy || !decision.enabled}
            title={decision.reason && words.catalog.reason[decision.reason]}
            className="max-w-full shrink! whitespace-normal!"
            data-decision={decision.key}
            data-control={decision.control}
            aria-keyshortcuts={keys.get(decision)}
            onClick={() => decide(decision)}
          >
            {decision.label === undefined
              ? words.catalog.control[decision.control]
              : told(words, decision.label)}
            {keys.has(decision) && (
              <span
                aria-hidden="true"
                data-key
                // The keys act while the card has the focus; their place stays, so that nothing moves under the pointer.
                className="invisible ml-1.5 text-[11px] leading-none opacity-70 group-focus/card:visible group-has-[button:focus]/card:visible pointer-coarse:hidden"
              >
                {keys.get(decision)}
              </span>
            )}
          </Button>
        ))}
      </div>
      <p role="status" data-role="answer" className="meta empty:hidden mt-2 text-right">
        {isBusy && words.talk.answerSending}
        {refusal !== undefined && refusal.field === undefined && (
          <span className="text-bad">
            {words.talk.refusedAnswer}: {words.problems[refusal.message] ?? refusal.message}
          </span>
        )}
      </p>
    </div>
  )
}

/** The owner may name the part of the answer that it refused. */
function refusalIn(error: string, fields: readonly Field[] | undefined) {
  const named = /^(input\.payload\S*): (.*)$/s.exec(error)
  const field = fieldIn(named?.[1], fields)
  return { message: named?.[2] ?? error, ...(field !== undefined && { field }) }
}

const fill = (fields: readonly Field[] | undefined, texts: Readonly<Record<string, string>>) =>
  fields === undefined ? writtenAnswer(texts[wholeAnswer] ?? "") : filledIn(fields, texts)
