import { useWords } from "../i18n/words.ts"
import { instant } from "./measures.ts"
import { useSeconds } from "./useSeconds.ts"

/** How long ago, with the exact time on hover. */
export function Ago({ time }: { time: string }) {
  const words = useWords()
  const seconds = useSeconds(time) ?? 0
  if (Number.isNaN(new Date(time).getTime())) return <span className="meta">{words.states.unknown}</span>
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()} className="meta">
      {words.ago(seconds)}
    </time>
  )
}

/** A moment of today by its clock, of another day with its date. */
export function At({ time }: { time: string }) {
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()} className="meta">
      {instant(time)}
    </time>
  )
}
