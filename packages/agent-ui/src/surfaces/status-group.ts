import { capsuleGroups, statusGroups } from "../words.ts"

/** How a status weighs for a person, whatever kind of item it is of; one that is not listed is not judged. */
export type StatusGroup = (typeof capsuleGroups)[number]

const groups = new Map(
  capsuleGroups.flatMap((group) => statusGroups[group].split(/\s+/).map((word) => [word, group] as const)),
)
export const groupOf = (status: string): StatusGroup => groups.get(status) ?? "unknown"

/** Those that need a person first, then what works, then what has ended; equals keep their order. */
export function byAttention<T extends { group: StatusGroup }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => capsuleGroups.indexOf(a.group) - capsuleGroups.indexOf(b.group))
}

export function countGroups(items: readonly { group: StatusGroup }[]): Record<StatusGroup, number> {
  const counts = Object.fromEntries(capsuleGroups.map((group) => [group, 0])) as Record<StatusGroup, number>
  for (const { group } of items) counts[group] += 1
  return counts
}
