import { useWords } from "../i18n/words.ts"
import type { StateWord } from "./status.ts"

/** A shape, and the word beside it or for those who do not see the shape. */
export function State({
  state,
  quiet = false,
  said,
}: {
  state: StateWord
  quiet?: boolean
  /** Its owner's own word for it. */
  said?: string
}) {
  const words = useWords()
  const word = said ?? words.states[state]
  return (
    <span className="inline-flex items-center gap-1.5" data-state={state} title={quiet ? word : undefined}>
      <Glyph state={state} />
      <span className={quiet ? "sr-only" : undefined}>{word}</span>
    </span>
  )
}

/** Drawn, since few fonts have all of the shapes and no two draw them alike. */
function Glyph({ state }: { state: StateWord }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className="glyph size-3.5 shrink-0"
      data-state={state}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {shapes[state]}
    </svg>
  )
}

const ring = <circle cx="8" cy="8" r="5.25" />

const shapes: Record<StateWord, React.ReactNode> = {
  running: <circle cx="8" cy="8" r="5" fill="currentColor" />,
  waiting: (
    <>
      {ring}
      <path d="M8 2.75a5.25 5.25 0 0 0 0 10.5z" fill="currentColor" />
    </>
  ),
  needsYou: <path d="M8 2.5 14 13H2z" fill="currentColor" />,
  done: <path d="m3 8.5 3.5 3.5L13 4.5" />,
  failed: <path d="m4 4 8 8m0-8-8 8" />,
  cancelled: (
    <>
      {ring}
      <path d="m4.5 11.5 7-7" />
    </>
  ),
  unknown: <path d="M5.5 5.75a2.5 2.5 0 1 1 3.6 2.2C8.3 8.4 8 8.9 8 9.75M8 13v.01" />,
  idle: ring,
  stale: <path d="M4 2.5h8L8 8l4 5.5H4L8 8z" />,
  blocked: (
    <>
      <rect x="2.75" y="2.75" width="10.5" height="10.5" />
      <path d="M6.5 6.5h3v3h-3z" fill="currentColor" />
    </>
  ),
  unavailable: (
    <>
      {ring}
      <path d="M2 14 14 2" />
    </>
  ),
}
