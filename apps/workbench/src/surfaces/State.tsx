import { glyphs, type StateWord } from "../client/status.ts"
import { useWords } from "../i18n/words.ts"

/** A shape, and the word beside it or for those who do not see the shape. */
export function State({ state, quiet = false }: { state: StateWord; quiet?: boolean }) {
  const word = useWords().states[state]
  return (
    <span className="inline-flex items-baseline gap-1" data-state={state} title={quiet ? word : undefined}>
      <span aria-hidden="true" className="glyph inline-block w-3 text-center" data-state={state}>
        {glyphs[state]}
      </span>
      <span className={quiet ? "sr-only" : undefined}>{word}</span>
    </span>
  )
}
