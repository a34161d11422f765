import type { Origin } from "../action.ts"
import type { Declaration } from "../declaration/normalized.ts"
import { issue, type ProtocolIssue } from "../issues.ts"
import type { Limits } from "../limits.ts"
import { noteSection, type Sections } from "../markdown.ts"

/** Where a declaration comes from: all that a carrier's reader knows beside its JSON. */
export type Source = {
  origin: Origin
  text: string
  sections: Sections
  limits: Limits
  /** Present for an agent that works on an action of another. */
  assignment?: { action_id: string }
}

/** What a carrier says, with all that its own grammar finds wrong. Without issues it still has to pass the checks. */
export type Draft = {
  declaration: Declaration
  issues: ProtocolIssue[]
  /** Where a field of the graph's n-th action stands in the source; without a field, the action itself. */
  where: (index: number, field?: string) => string
  /** Where the list of actions stands. */
  list: string
  /** Kinds of items in an older spelling. */
  legacy: readonly string[]
}

/** Told instead of anything else about a list that is too long to be looked at. */
export const tooMany = (path: string, what: string, count: number, most: number): ProtocolIssue =>
  issue(
    "too_many_actions",
    path,
    `There are ${count} ${what}; at most ${most} are allowed.`,
    `Declare fewer ${what} at once.`,
  )

/** The section that is written for the user, when there is one. */
export function noteIn(sections: Sections): string | undefined {
  const text = sections.find((section) => section.id === noteSection)?.text
  return text === "" ? undefined : text
}
