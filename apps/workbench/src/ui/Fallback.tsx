import type { ReactNode } from "react"
import { useWords } from "../i18n/words.ts"
import { State } from "./State.tsx"
import type { StateWord } from "./status.ts"

export type FallbackState = "empty" | "loading" | "unknown" | "unavailable" | "stale" | "blocked"

const glyphs: Record<Exclude<FallbackState, "empty">, StateWord> = {
  loading: "waiting",
  unknown: "unknown",
  unavailable: "unavailable",
  stale: "stale",
  blocked: "blocked",
}

/** A surface without facts to draw: what is the matter and why, in a line; nothing is quieter than nothing. */
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
  const isEmpty = state === "empty"
  return (
    <div
      className="flex flex-col items-start gap-1.5 px-3 py-2"
      data-fallback={state}
      role={state === "loading" ? "status" : undefined}
    >
      <p className="meta flex max-w-prose items-start gap-1.5">
        {!isEmpty && (
          <span className="flex h-4 items-center">
            <State state={glyphs[state]} quiet />
          </span>
        )}
        <span className="min-w-0">
          <span className={isEmpty ? "" : "text-ink"}>{title}</span>
          {reason !== undefined && reason !== null && (
            <span className={isEmpty ? "hidden @sm:inline" : ""}> · {reason}</span>
          )}
        </span>
      </p>
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
