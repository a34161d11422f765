import { useEffect, useState } from "react"
import { useWords } from "../i18n/words.ts"

/** Puts a text on the clipboard and says so for a moment. */
export function Copy({
  text,
  label,
  name,
}: {
  text: string | (() => string)
  label?: string
  /** What stands there; the usual word when left out. */
  name?: string
}) {
  const words = useWords()
  const [told, setTold] = useState<"copied" | "failed">()
  useEffect(() => {
    if (told === undefined) return
    const timer = setTimeout(() => setTold(undefined), 1500)
    return () => clearTimeout(timer)
  }, [told])
  const copy = () =>
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setTold("copied"),
      () => setTold("failed"),
    )
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label ?? words.copy}
      className="meta hover:text-ink hover:bg-hover rounded px-1.5 py-0.5"
    >
      <span aria-live="polite">
        {told === undefined ? (name ?? words.copy) : told === "copied" ? words.copied : words.copyFailed}
      </span>
    </button>
  )
}
