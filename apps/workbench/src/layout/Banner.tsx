import { useEffect, useRef, useState } from "react"
import { usePage, useShell } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { duration } from "../ui/measures.ts"
import { useSeconds } from "../ui/useSeconds.ts"

/** Said only when something stands between the reader and the truth, and when it no longer does. */
export function Banner() {
  const words = useWords()
  const page = usePage()
  const { connection, problem, reading } = useShell()
  const isRepaired = useRepaired(connection.state)
  return (
    <div role="status" data-connection={connection.state}>
      {connection.state === "lost" && (
        <Line action={words.tryNow} onAction={page.reconnect}>
          <strong className="font-medium">{words.lost}</strong> <LostFor since={connection.since} />{" "}
          <span className="max-sm:hidden">{words.lostHint}</span>
        </Line>
      )}
      {isRepaired && connection.state === "live" && <Line>{words.repaired}</Line>}
      {connection.state === "refused" && (
        <Line action={words.readAgain} onAction={() => location.reload()}>
          {words.streamRefused(connection.status)}
        </Line>
      )}
      {reading !== undefined && <Line>{words.readingBack(reading)}</Line>}
      {problem !== undefined && (
        <Line action={words.dismiss} onAction={page.dismiss}>
          {words.problems[problem.code] ?? problem.message}
        </Line>
      )}
    </div>
  )
}

const shownMs = 4000

function useRepaired(state: string): boolean {
  const [isRepaired, setRepaired] = useState(false)
  const before = useRef(state)
  useEffect(() => {
    if (state === "lost") before.current = "lost"
    if (state !== "live" || before.current !== "lost") return
    before.current = "live"
    setRepaired(true)
    const timer = setTimeout(() => setRepaired(false), shownMs)
    return () => clearTimeout(timer)
  }, [state])
  return isRepaired
}

type LineProps = { children: React.ReactNode; action?: string; onAction?: () => void }

function Line({ children, action, onAction }: LineProps) {
  return (
    <div className="bg-warn border-line flex items-center gap-2 border-b px-4 py-1">
      <p className="min-w-0 flex-1">{children}</p>
      {action !== undefined && (
        <Button look="plain" className="bg-transparent" onClick={onAction}>
          {action}
        </Button>
      )}
    </div>
  )
}

/** Hidden from screen readers, which would read every second. */
function LostFor({ since }: { since: number }) {
  const words = useWords()
  const seconds = useSeconds(since) ?? 0
  if (seconds === 0) return null
  return (
    <span aria-hidden="true" className="tabular-nums">
      {words.lostFor(duration(seconds, words.units, true))}.
    </span>
  )
}
