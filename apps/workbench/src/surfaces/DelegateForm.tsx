import { type FormEvent, useId, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { leaving } from "../ui/leaving.ts"
import { fieldLook } from "../ui/SayBox.tsx"

/** Who should be given work, and which. */
export function DelegateForm({
  onDelegate,
  onLeave,
}: {
  onDelegate: (agent: string, objective: string) => void
  onLeave: () => void
}) {
  const { team } = useWords()
  const id = useId()
  const [agent, setAgent] = useState("")
  const [objective, setObjective] = useState("")
  const ready = agent.trim() !== "" && objective.trim() !== ""
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready) onDelegate(agent.trim(), objective.trim())
  }
  return (
    <form
      onSubmit={submit}
      onKeyDown={leaving(onLeave)}
      className="border-line flex flex-col gap-1.5 border-b px-3 pb-3"
    >
      <label htmlFor={`${id}who`} className="meta">
        {team.delegate.who}
      </label>
      <input
        id={`${id}who`}
        // biome-ignore lint/a11y/noAutofocus: it opens because its button was pressed
        autoFocus
        value={agent}
        className={fieldLook}
        onChange={(event) => setAgent(event.target.value)}
      />
      <label htmlFor={`${id}what`} className="meta">
        {team.delegate.objective}
      </label>
      <textarea
        id={`${id}what`}
        rows={2}
        value={objective}
        className={fieldLook}
        onChange={(event) => setObjective(event.target.value)}
      />
      <div className="flex gap-1.5">
        <Button type="submit" look="primary" disabled={!ready}>
          {team.delegate.open}
        </Button>
        <Button look="bare" onClick={onLeave}>
          {team.cancel}
        </Button>
      </div>
    </form>
  )
}
