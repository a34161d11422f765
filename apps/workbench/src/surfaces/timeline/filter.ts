import type { Span } from "@factum/agent-ui"
import { type StateWord, stateWord } from "../../ui/status.ts"

export type Wanted = { text: string; kinds: ReadonlySet<Span["kind"]>; states: ReadonlySet<StateWord> }
export const everything: Wanted = { text: "", kinds: new Set(), states: new Set() }

/** What fits; of a run that has a fitting line, the run itself too, so that the line has its place. */
export function filterSpans(spans: readonly Span[], { text, kinds, states }: Wanted): readonly Span[] {
  const letters = text.trim().toLowerCase()
  if (letters === "" && kinds.size === 0 && states.size === 0) return spans
  const fits = ({ search, kind, status }: Span) =>
    search.includes(letters) &&
    (kinds.size === 0 || kinds.has(kind)) &&
    (states.size === 0 || states.has(stateWord(status)))
  const found = new Set(spans.filter(fits))
  const runs = new Set([...found].map(({ runId }) => runId))
  return spans.filter((span) => found.has(span) || (span.kind === "run" && runs.has(span.runId)))
}

/** The kinds and states that occur, in the order in which they first do. */
export const kindsIn = (spans: readonly Span[]) => [...new Set(spans.map(({ kind }) => kind))]
export const statesIn = (spans: readonly Span[]) => [...new Set(spans.map(({ status }) => stateWord(status)))]
