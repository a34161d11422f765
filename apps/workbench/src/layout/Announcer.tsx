import { useEffect, useRef, useState } from "react"
import { ended, partsOf, type TurnView } from "../client/conversation.ts"
import { turnFoot } from "../client/foot.ts"
import { spokenTo } from "../client/spoken.ts"
import { told, useWords } from "../i18n/words.ts"
import { liveTitle } from "../surfaces/Foot.tsx"

/** Reads the running turn aloud, whole sentences at a time; what was there before the page is not read. */
export function Announcer({ turn }: { turn: TurnView | undefined }) {
  const words = useWords()
  const [said, setSaid] = useState("")
  const place = useRef<{ turn_id: string | undefined; at: number; last: string } | undefined>(undefined)

  useEffect(() => {
    const text = turn === undefined ? "" : answerOf(turn)
    if (place.current === undefined) {
      place.current = { turn_id: turn?.turn_id, at: text.length, last: "" }
      return
    }
    const now = place.current
    if (turn === undefined) return
    if (turn.turn_id !== now.turn_id) Object.assign(now, { turn_id: turn.turn_id, at: 0, last: "" })
    const to = spokenTo(text, now.at, ended(turn))
    const foot = turnFoot(turn)
    const asks = foot.kind === "live" ? (foot.asks ?? []) : []
    const does = foot.kind === "live" ? liveTitle(foot, words) : words.states[foot.state]
    const state = [does, ...asks.map((ask) => told(words, ask))].join(". ")
    const status = state === now.last ? "" : state
    const saying = [text.slice(now.at, to).trim(), status].filter(Boolean).join(" ")
    Object.assign(now, { at: to, last: state })
    if (saying !== "") setSaid(saying)
  }, [turn, words])

  return (
    <div className="sr-only" aria-live="polite" data-announcer>
      {said}
    </div>
  )
}

const answerOf = (turn: TurnView): string =>
  partsOf(turn)
    .filter((part) => part.kind === "text")
    .map((part) => part.text)
    .join("\n")
