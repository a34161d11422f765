import type { Intent } from "../client/store.ts"
import type { QueueRow } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { State } from "../ui/State.tsx"

export function Queue({ rows, onIntent }: { rows: readonly QueueRow[]; onIntent: (intent: Intent) => void }) {
  const words = useWords()
  if (rows.length === 0) return null
  return (
    <section
      aria-label={words.queued(rows.length)}
      className="border-line bg-raised mb-2 rounded-lg border px-3 pt-2 pb-1 max-sm:px-2"
    >
      <h2 className="meta flex items-center gap-1.5">
        <State state="waiting" quiet />
        {words.queued(rows.length)}
      </h2>
      <ol className="max-h-36 overflow-y-auto">
        {rows.map((row, at) => (
          <li key={row.turn_id} data-queued={row.turn_id} className="flex items-center gap-1">
            <span aria-hidden="true" className="meta w-4">
              {at + 1}
            </span>
            <span data-role="queued" className="min-w-0 flex-1 truncate" title={row.text}>
              {row.text ?? words.textOutside}
            </span>
            <QueueControls row={row} onIntent={onIntent} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function QueueControls({ row, onIntent }: { row: QueueRow; onIntent: (intent: Intent) => void }) {
  const words = useWords()
  const { place, text = "" } = row
  if (place === undefined) return <span className="meta px-2 py-1">{words.sending}</span>
  return (
    <>
      {!row.first && (
        <Button
          look="bare"
          className="max-sm:px-1.5"
          aria-label={words.promoteLabel(text)}
          onClick={() => onIntent({ control: "promote", place })}
        >
          {words.promote}
        </Button>
      )}
      <Button
        look="bare"
        className="max-sm:px-1.5"
        aria-label={words.removeLabel(text)}
        onClick={() => onIntent({ control: "remove", place })}
      >
        {words.remove}
      </Button>
    </>
  )
}
