import { useEffect, useRef, useState } from "react"
import { useSurface } from "../client/page.ts"
import { spokenTo } from "../client/spoken.ts"
import { useWords } from "../i18n/words.ts"
import { askedText } from "../surfaces/asked.ts"
import { readRow } from "../surfaces/Message.tsx"

/** Tells those who do not see the page what came: whole sentences, a new request and a failure once each. */
export function Announcer() {
  const words = useWords()
  const { messages, state } = useSurface("conversation")
  const { pending } = useSurface("hitl")
  const { status, failure, runId } = useSurface("runtime_status")
  const [said, setSaid] = useState({ text: "", times: 0 })
  const known = useRef<{ text: string; at: number; asked: Set<string>; run: string } | undefined>(undefined)
  const last = messages.findLast(({ role }) => role === "assistant")

  useEffect(() => {
    const text = last === undefined ? "" : readRow(last)
    const run = `${runId} ${status}`
    const asked = pending.map(({ actionId }) => actionId)
    if (state === "loading" || known.current === undefined) {
      // What was there before the page is not read.
      known.current = { text: last?.messageId ?? "", at: text.length, asked: new Set(asked), run }
      return
    }
    const before = known.current
    const at = last?.messageId === before.text ? before.at : 0
    const to = spokenTo(text, at, last?.state !== "streaming")
    const news = pending.filter(({ actionId }) => !before.asked.has(actionId))
    const why = failure?.category === undefined ? undefined : words.causes[failure.category]
    const ended =
      run === before.run
        ? []
        : status === "failed"
          ? [words.talk.announceFail(why ?? failure?.message ?? words.catalog.run.failed)]
          : status === "done"
            ? [words.talk.announceDone]
            : []
    const saying = [
      text.slice(at, to).trim(),
      ...news.map((card) => words.talk.announceAsk(askedText(card, words))),
      ...ended,
    ].filter(Boolean)
    known.current = { text: last?.messageId ?? "", at: to, asked: new Set([...before.asked, ...asked]), run }
    if (saying.length > 0) setSaid(({ times }) => ({ text: saying.join(" "), times: times + 1 }))
  }, [last, state, pending, status, failure, runId, words])

  return (
    <div className="sr-only" aria-live="polite" data-announcer>
      {/* The same words again are news too: a new element is read, an unchanged text is not. */}
      <span key={said.times}>{said.text}</span>
    </div>
  )
}
