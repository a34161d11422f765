import type { ReactNode } from "react"
import { useWords } from "../i18n/words.ts"
import { State } from "./State.tsx"
import type { StateWord } from "./status.ts"

export type FallbackState = "empty" | "loading" | "unknown" | "unavailable" | "stale" | "blocked"

const glyphs: Record<FallbackState, StateWord> = {
  empty: "idle",
  loading: "waiting",
  unknown: "unknown",
  unavailable: "unavailable",
  stale: "stale",
  blocked: "blocked",
}

/** A surface without facts to draw: what is the matter, why, and what can be done. */
export function Fallback({
  state,
  title,
  reason,
  children,
}: {
  state: FallbackState
  title: ReactNode
  reason?: ReactNode
  children?: ReactNode
}) {
  return (
    <div
      className="flex flex-col items-center gap-1.5 px-6 py-8 text-center"
      data-fallback={state}
      role={state === "loading" ? "status" : undefined}
    >
      <State state={glyphs[state]} quiet />
      <p className="text-ink font-medium">{title}</p>
      {reason !== undefined && <p className="meta max-w-prose">{reason}</p>}
      {children}
    </div>
  )
}

/** A line above facts that are shown all the same: stale, blocked, or not whole. */
export function Notice({
  state,
  children,
}: {
  state: "unknown" | "unavailable" | "stale" | "blocked"
  children: ReactNode
}) {
  const words = useWords()
  return (
    <p
      className="border-line bg-raised meta flex items-center gap-2 border-b px-3 py-1.5"
      data-notice={state}
    >
      <State state={state} quiet />
      <span className="text-ink">{words.states[state]}</span>
      <span className="min-w-0 truncate">{children}</span>
    </p>
  )
}
