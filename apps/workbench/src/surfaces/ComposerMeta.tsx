import type { ComposerView } from "@factum/agent-ui"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { Menu } from "../ui/Menu.tsx"
import { count } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"

/** What the next request will be given; what is missing is never shown as there. */
export function ContextChips({ view: { chips, warnings } }: { view: ComposerView }) {
  const words = useWords()
  if (chips.length + warnings.length === 0) return null
  return (
    <ul
      aria-label={words.talk.contextChips}
      className="thin-scroll flex max-h-16 flex-wrap gap-1 overflow-y-auto px-2 pt-2"
    >
      {chips.map(({ id, label, tokens, state, said }) => (
        <li
          key={id}
          data-chip={id}
          data-state={state}
          title={said}
          className="border-line meta inline-flex max-w-56 items-center gap-1.5 rounded-md border px-1.5 py-0.5"
        >
          {state !== "ready" && <State state={state} quiet />}
          <span className="truncate">{label ?? id}</span>
          {tokens !== undefined && <span>{count(tokens)}</span>}
        </li>
      ))}
      {warnings.map((warning) => (
        <li key={warning} className="meta bg-warn rounded-md px-1.5 py-0.5">
          {warning}
        </li>
      ))}
    </ul>
  )
}

/** What a message may ask for: to be bound more than the host binds everybody, never less. */
const stricter = ["plan", "ask"]
const usual = "usual"

/** Under which mode the next message is worked on: as the host is set up, until a stricter one is chosen. */
export function ModeMenu({
  view,
  chosen,
  onChoose,
}: {
  view: ComposerView
  chosen: string | undefined
  onChoose: (mode: string | undefined) => void
}) {
  const words = useWords()
  const known = view.mode === "unknown" || view.mode === "unavailable" ? undefined : view.mode
  const mode = chosen ?? known
  const name = wordOf(words.talk.modes, mode ?? usual)
  return (
    <Menu
      label={words.talk.modeOf(name)}
      button={
        <span data-role="mode">
          {words.talk.modeOf(name)} <span aria-hidden="true">▾</span>
        </span>
      }
      items={[usual, ...stricter].map((id) => ({
        id,
        label: wordOf(words.talk.modes, id),
        checked: id === (chosen ?? usual),
      }))}
      onChoose={(id) => onChoose(id === usual ? undefined : id)}
    />
  )
}
