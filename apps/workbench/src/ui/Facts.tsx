import type { Known } from "@factum/agent-ui"
import { Fragment, type ReactNode } from "react"
import { useWords } from "../i18n/words.ts"

export type Fact = readonly [label: string, value: ReactNode]

/** Names and values in two columns. A value that is absent takes no room; one that is unknown says so. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const told = facts.filter(([, value]) => value !== undefined && value !== "" && value !== false)
  if (told.length === 0) return null
  return (
    <dl className="meta grid grid-cols-[minmax(4.5rem,max-content)_minmax(0,1fr)] gap-x-3 gap-y-0.5">
      {told.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd className="text-ink min-w-0 break-words">
            {typeof value === "string" ? <Value value={value} /> : value}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

/** A fact, or in plain words that it was not told. */
export function Value({ value }: { value: Known<string> }) {
  const { team } = useWords()
  if (value !== "unknown" && value !== "unavailable") return value
  return (
    <span className="text-meta italic" data-known={value}>
      {value === "unknown" ? team.notReported : team.unavailable}
    </span>
  )
}

/** The items of a list, or that they were not told. */
export const listed = (items: Known<readonly string[]> | undefined): string | undefined =>
  items === undefined || typeof items === "string" ? items : items.length === 0 ? undefined : items.join(", ")
