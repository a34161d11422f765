import type { WorkbenchView } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"

/** Said only when something stands between the reader and the truth. */
export function Banner({ view }: { view: WorkbenchView }) {
  const words = useWords()
  const { connection, problem } = view
  const lines: string[] = []
  if (connection.state === "lost") lines.push(words.lost(clock(connection.since)))
  if (connection.state === "refused") lines.push(words.streamRefused(connection.status))
  if (problem !== undefined) lines.push(problem)
  return (
    <div role="status" aria-live="polite" data-connection={connection.state}>
      {lines.map((line) => (
        <p key={line} className="bg-warn px-4 py-1">
          {line}
        </p>
      ))}
    </div>
  )
}

const clock = (time: number): string =>
  new Date(time).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false })
