import type { Intent } from "../client/store.ts"
import type { QueueRow } from "../client/view.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"

export function Queue({ rows, onIntent }: { rows: readonly QueueRow[]; onIntent: (intent: Intent) => void }) {
  const words = useWords()
  if (rows.length === 0) return null
  return (
    <section aria-label={words.queued(rows.length)} className="border-line mb-2 border-b pb-1">
      <h2 className="meta">{words.queued(rows.length)}</h2>
      <ol className="max-h-32 overflow-y-auto">
        {rows.map((row) => (
          <li key={row.turn_id} data-queued={row.turn_id} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">{row.text ?? words.textOutside}</span>
            <QueueControls row={row} onIntent={onIntent} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function QueueControls({ row, onIntent }: { row: QueueRow; onIntent: (intent: Intent) => void }) {
  const words = useWords()
  const { queued_turn_id, text = "" } = row
  if (queued_turn_id === undefined) return <span className="meta">{words.sending}</span>
  return (
    <>
      {row.first ? (
        <span className="meta px-2">{words.next}</span>
      ) : (
        <Button
          look="bare"
          aria-label={words.promoteLabel(text)}
          onClick={() => onIntent({ control: "promote", queued_turn_id })}
        >
          {words.promote}
        </Button>
      )}
      <Button
        look="bare"
        aria-label={words.removeLabel(text)}
        onClick={() => onIntent({ control: "remove", queued_turn_id })}
      >
        {words.remove}
      </Button>
    </>
  )
}
