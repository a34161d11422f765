import type { Assignee, Intent, WorkBoardView, WorkItem } from "@factum/agent-ui"

export type Grouping = "status" | "person"
export type BoardColumn = {
  id: string
  /** Absent for the column of a status, whose name is in the catalog. */
  person?: Assignee | "nobody"
  items: readonly WorkItem[]
}

/** Work by where it stands, or by who has it. */
export function columnsBy(grouping: Grouping, { columns, items, people }: WorkBoardView): BoardColumn[] {
  if (grouping === "status")
    return columns.map(({ column }) => ({
      id: column,
      items: items.filter((item) => item.column === column),
    }))
  const of = (id: string | undefined) => items.filter((item) => assigneeOf(item)?.id === id)
  return [
    { id: "nobody", person: "nobody", items: of(undefined) },
    ...people.map((person) => ({ id: `person:${person.id}`, person, items: of(person.id) })),
  ]
}

export const assigneeOf = ({ assignee }: WorkItem) => (typeof assignee === "string" ? undefined : assignee)

const canDo = ({ controls }: WorkItem, wanted: string) =>
  controls.some(({ control, enabled }) => control === wanted && enabled)

/** What dropping an item on a column asks of its owner; nothing where the owner alone moves it. */
export function dropIntent(item: WorkItem, column: BoardColumn): Intent | undefined {
  const { person } = column
  if (column.items.includes(item)) return undefined
  if (person !== undefined && person !== "nobody")
    return canDo(item, "assign")
      ? { control: "assign", workItemId: item.taskId, assignee: person.id }
      : undefined
  return column.id === "reviewing" && canDo(item, "request_review") ? reviewIntent(item) : undefined
}

export const reviewIntent = ({ taskId }: WorkItem): Intent => ({
  control: "request_review",
  target: { kind: "task", id: taskId },
})
