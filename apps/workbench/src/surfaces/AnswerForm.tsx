import { useId } from "react"
import { type Field, wholeAnswer } from "../client/answer-form.ts"
import { useWords } from "../i18n/words.ts"

export const fieldLook =
  "border-edge bg-page placeholder:text-meta aria-invalid:border-bad rounded-md border px-2.5 py-1 text-base leading-5 sm:text-[13px]"

type Props = {
  schema: object
  /** Absent for an answer that is written as JSON. */
  fields: readonly Field[] | undefined
  texts: Readonly<Record<string, string>>
  onText: (name: string, text: string) => void
  problemAt: (name: string) => string | undefined
}

export function AnswerForm({ schema, fields, texts, onText, problemAt }: Props) {
  const words = useWords()
  const shared = (name: string) => ({
    onText: (text: string) => onText(name, text),
    problem: problemAt(name),
  })
  if (fields === undefined) {
    const json: Field = {
      name: wholeAnswer,
      title: words.talk.answerJson,
      kind: "text",
      required: true,
      choices: [],
      initial: "",
    }
    return (
      <>
        <Entry field={json} isCode text={texts[wholeAnswer] ?? ""} {...shared(wholeAnswer)} />
        <details className="mt-1">
          <summary className="meta hover:text-ink w-fit cursor-pointer">{words.talk.answerSchema}</summary>
          <pre className="plain-text thin-scroll text-meta max-h-60 overflow-y-auto font-mono text-[13px]">
            {JSON.stringify(schema, null, 2)}
          </pre>
        </details>
      </>
    )
  }
  const whole = problemAt(wholeAnswer)
  return (
    <>
      {fields.map((field) => (
        <Entry
          key={field.name}
          field={field}
          text={texts[field.name] ?? field.initial}
          {...shared(field.name)}
        />
      ))}
      {whole !== undefined && (
        <p role="alert" className="text-bad mt-2 text-[13px]">
          {whole}
        </p>
      )}
    </>
  )
}

type EntryProps = {
  field: Field
  text: string
  isCode?: boolean
  onText: (text: string) => void
  problem: string | undefined
}

function Entry({ field, text, isCode = false, onText, problem }: EntryProps) {
  const words = useWords()
  const id = useId()
  const { title, description, required } = field
  const told = { "aria-invalid": problem !== undefined, "aria-describedby": `${id}-more` }
  return (
    <div className="mt-3" data-field={field.name}>
      <label htmlFor={id} className="block text-[13px] font-medium">
        {title}
        {!required && <span className="meta font-normal"> · {words.talk.optional}</span>}
      </label>
      {description !== undefined && <p className="meta">{description}</p>}
      {field.choices.length > 0 ? (
        <select
          id={id}
          value={text}
          aria-required={required}
          {...told}
          onChange={(event) => onText(event.target.value)}
          className={`${fieldLook} mt-1 h-[30px] max-w-full max-sm:h-9`}
        >
          <option value="">{words.talk.choose}</option>
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {field.kind === "boolean" ? words.talk.truth[choice === "true" ? "yes" : "no"] : plain(choice)}
            </option>
          ))}
        </select>
      ) : field.kind === "text" ? (
        <textarea
          id={id}
          value={text}
          rows={isCode ? 4 : 1}
          spellCheck={!isCode}
          aria-required={required}
          {...told}
          onChange={(event) => onText(event.target.value)}
          className={`${fieldLook} field-sizing-content mt-1 block max-h-48 w-full resize-none ${isCode ? "min-h-20 font-mono" : ""}`}
        />
      ) : (
        <input
          id={id}
          value={text}
          inputMode="decimal"
          aria-required={required}
          {...told}
          onChange={(event) => onText(event.target.value)}
          className={`${fieldLook} mt-1 block w-40 tabular-nums`}
        />
      )}
      <p id={`${id}-more`} role="alert" className="text-bad mt-1 text-[13px] empty:hidden">
        {problem}
      </p>
    </div>
  )
}

/** A choice is kept as JSON; a text reads better without its quotes. */
function plain(choice: string): string {
  const value: unknown = JSON.parse(choice)
  return typeof value === "string" ? value : choice
}
