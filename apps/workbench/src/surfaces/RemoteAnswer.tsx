import type { Intent, RemoteRequest } from "@factum/agent-ui"
import { type FormEvent, type Ref, useEffect, useId, useRef, useState } from "react"
import {
  type Field,
  type FieldProblem,
  fieldsOf,
  filledIn,
  wholeAnswer,
  writtenAnswer,
} from "../client/answer-form.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { leaving } from "../ui/leaving.ts"
import { fieldLook } from "../ui/SayBox.tsx"

/** The answer that a remote agent waits for: its fields, its choices, or a credential that is never shown. */
export function RemoteAnswer({
  request,
  onIntent,
  onLeave,
}: {
  request: RemoteRequest
  onIntent: (intent: Intent) => void
  onLeave: () => void
}) {
  const { team, talk } = useWords()
  const form = useRef<HTMLFormElement>(null)
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({})
  useEffect(() => {
    if (Object.keys(problems).length > 0)
      form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [problems])
  const { actionId, actionType, schema, options = [] } = request
  const secret = useRef<HTMLInputElement>(null)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const isSecret = actionType === "credential_request"
  const fields = schema === undefined ? undefined : fieldsOf(schema)
  const asJson = schema !== undefined && fields === undefined
  if (!isSecret && fields === undefined && !asJson && options.length > 0) {
    return (
      <div className="flex flex-wrap gap-1.5">
        {options.map(({ id, label }) => (
          <Button key={id} onClick={() => onIntent({ control: "answer", actionId, option: id })}>
            {label ?? id}
          </Button>
        ))}
      </div>
    )
  }
  const asked = isSecret ? [] : (fields ?? [{ ...wholeField, title: team.remote.yourAnswer }])
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (isSecret && secret.current !== null) {
      const { value } = secret.current
      // Handed over and forgotten: it stays nowhere on this page.
      secret.current.value = ""
      return onIntent({ control: "answer", actionId, secret: value })
    }
    const filled = asJson ? writtenAnswer(texts.answer ?? "") : filledIn(asked, texts)
    setProblems(filled.ok ? {} : filled.problems)
    if (filled.ok) onIntent({ control: "answer", actionId, data: filled.payload })
  }
  const problemAt = (name: string) => {
    // An answer that is written as a whole has one field; its problem has no name.
    const problem = problems[name] ?? (asJson ? problems[wholeAnswer] : undefined)
    return problem && talk.fieldProblem(problem)
  }
  return (
    <form
      ref={form}
      noValidate={!isSecret}
      onSubmit={send}
      className="flex flex-col gap-1.5"
      onKeyDown={leaving(onLeave)}
    >
      {isSecret && <SecretEntry ref={secret} />}
      {asked.map((field) => (
        <Entry
          key={field.name}
          field={field}
          problem={problemAt(field.name)}
          text={texts[field.name] ?? field.initial}
          onText={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
      <div className="flex gap-1.5">
        <Button type="submit" look="primary">
          {team.send}
        </Button>
        <Button look="bare" onClick={onLeave}>
          {team.cancel}
        </Button>
      </div>
    </form>
  )
}

const wholeField: Field = {
  name: "answer",
  title: "",
  kind: "text",
  required: true,
  choices: [],
  initial: "",
}

/** React writes the value of a field that it controls into the markup, where a secret must not stand. */
function SecretEntry({ ref }: { ref: Ref<HTMLInputElement> }) {
  const { team } = useWords()
  const id = useId()
  return (
    <>
      <label htmlFor={id} className="meta">
        {team.remote.secret}
      </label>
      <input ref={ref} id={id} type="password" autoComplete="off" required className={fieldLook} />
    </>
  )
}

function Entry({
  field,
  problem,
  text,
  onText,
}: {
  field: Field
  problem: string | undefined
  text: string
  onText: (text: string) => void
}) {
  const { team } = useWords()
  const id = useId()
  const choices = field.kind === "boolean" ? ["true", "false"] : field.choices
  const shared = {
    id,
    value: text,
    required: field.required,
    className: `${fieldLook} aria-invalid:border-bad`,
    "aria-invalid": problem !== undefined,
    "aria-describedby": `${id}-problem`,
  }
  return (
    <>
      <label htmlFor={id} className="meta">
        {field.title}
      </label>
      {choices.length > 0 ? (
        <select {...shared} onChange={({ target }) => onText(target.value)}>
          <option value="">{team.remote.choose}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice.replaceAll('"', "")}
            </option>
          ))}
        </select>
      ) : (
        <input {...shared} autoComplete="off" onChange={({ target }) => onText(target.value)} />
      )}
      <p id={`${id}-problem`} role="alert" className="text-bad meta empty:hidden">
        {problem}
      </p>
    </>
  )
}
