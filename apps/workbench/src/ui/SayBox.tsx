import { type FormEvent, useId, useRef, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"
import { leaving } from "./leaving.ts"

export const fieldLook =
  "border-edge bg-page placeholder:text-meta w-full rounded-md border px-2.5 py-1 text-base leading-5 sm:text-[13px]"

/** A few words to somebody: Enter sends them, Escape leaves. */
export function SayBox({
  label,
  onSay,
  onLeave,
  focused = true,
}: {
  label: string
  onSay: (text: string) => void
  onLeave?: () => void
  focused?: boolean
}) {
  const words = useWords()
  const id = useId()
  const box = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState("")
  const say = (event?: FormEvent) => {
    event?.preventDefault()
    if (text.trim() === "") return
    onSay(text.trim())
    setText("")
  }
  return (
    <form
      className="flex flex-col gap-1.5"
      onSubmit={say}
      onKeyDown={leaving(onLeave ?? (() => box.current?.blur()))}
    >
      <label htmlFor={id} className="meta">
        {label}
      </label>
      <textarea
        ref={box}
        id={id}
        // biome-ignore lint/a11y/noAutofocus: it opens because its button was pressed
        autoFocus={focused}
        rows={2}
        value={text}
        className={`${fieldLook} field-sizing-content max-h-40 resize-none`}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === "Enter" && !event.shiftKey) say(event)
        }}
      />
      <div className="flex gap-1.5">
        <Button type="submit" look="primary" disabled={text.trim() === ""}>
          {words.team.send}
        </Button>
        {onLeave && (
          <Button look="bare" onClick={onLeave}>
            {words.team.cancel}
          </Button>
        )}
      </div>
    </form>
  )
}
