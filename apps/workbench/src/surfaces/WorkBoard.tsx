import type { Intent, WorkBoardView, WorkItem } from "@factum/agent-ui"
import { memo, useId, useRef, useState } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { Choice } from "../ui/Choice.tsx"
import { SurfacePanel } from "../ui/SurfacePanel.tsx"
import { Lane } from "./BoardLane.tsx"
import { type BoardColumn, columnsBy, dropIntent, type Grouping } from "./board-columns.ts"
import { type BoardKey, readKey } from "./board-keys.ts"
import type { SurfaceProps } from "./props.ts"
import { WorkItemDetail } from "./WorkItemDetail.tsx"

type Held = { item: WorkItem; over: number }

/** Work that people and agents share. A move is a request: the card moves when the owner's fact says so. */
export const WorkBoard = memo(function WorkBoard({ view, onIntent }: SurfaceProps<WorkBoardView>) {
  const { catalog, team } = useWords()
  const { board } = team
  const [grouping, setGrouping] = useState<Grouping>("status")
  const [chosen, setChosen] = useState<{ id: string; assigning?: boolean }>()
  const [held, setHeld] = useState<Held>()
  const [spoken, setSpoken] = useState("")
  const root = useRef<HTMLDivElement>(null)
  const help = useId()
  const columns = columnsBy(grouping, view)
  const open = view.items.find(({ workItemId }) => workItemId === chosen?.id) ?? firstOf(view.items)
  const nameOf = ({ id, person }: BoardColumn) =>
    person === undefined
      ? id === "unknown"
        ? board.unknownColumn
        : wordOf(catalog.status, id)
      : person === "nobody"
        ? board.nobody
        : (person.name ?? person.id)

  const ask = (item: WorkItem, intent: Intent) => {
    const title = titleOf(item)
    onIntent(intent)
    if (intent.control === "assign") {
      const to = view.people.find(({ id }) => id === intent.assignee)
      setSpoken(board.askedAssign(title, to?.name ?? intent.assignee))
    } else if (intent.control === "request_review") setSpoken(board.askedReview(title))
  }
  const drop = (item: WorkItem, column: BoardColumn | undefined) => {
    setHeld(undefined)
    if (column === undefined || column.items.includes(item)) return setSpoken(board.back(titleOf(item)))
    const intent = dropIntent(item, column)
    if (intent) ask(item, intent)
    else setSpoken(board.refused(nameOf(column)))
  }
  const act = (key: BoardKey, item: WorkItem) => {
    const at = columns.findIndex(({ items }) => items.includes(item))
    switch (key.does) {
      case "pick":
        setHeld({ item, over: at })
        return setSpoken(board.picked(titleOf(item)))
      case "carry": {
        const over = Math.min(columns.length - 1, Math.max(0, (held?.over ?? at) + key.by))
        const column = columns[over]
        setHeld({ item, over })
        if (column) setSpoken(board.over(titleOf(item), nameOf(column)))
        return
      }
      case "drop":
        return held && drop(item, columns[held.over])
      case "put_back":
        setHeld(undefined)
        return setSpoken(board.back(titleOf(item)))
      case "assign":
        return setChosen({ id: item.workItemId, assigning: true })
      case "walk":
        return focusCard(root.current, columns, item, key)
    }
  }
  return (
    <SurfacePanel
      view={view}
      has={view.items.length > 0}
      marks={view.items}
      count={view.items.length}
      actions={
        view.items.length > 0 && (
          <Choice
            label={board.grouping}
            chosen={grouping}
            options={{ status: board.byStatus, person: board.byPerson }}
            onChoose={setGrouping}
          />
        )
      }
    >
      <p id={help} className="sr-only">
        {board.help}
      </p>
      <p aria-live="polite" data-spoken className={spoken === "" ? "sr-only" : "meta px-3 pb-1"}>
        {spoken}
      </p>
      <div ref={root} className="thin-scroll flex flex-col gap-2 px-3 pb-3 @md:flex-row @md:overflow-x-auto">
        {columns.map((column, index) => (
          <Lane
            key={column.id}
            column={column}
            name={nameOf(column)}
            chosenId={open?.workItemId}
            held={held?.item}
            isOver={held?.over === index}
            help={help}
            onChoose={({ workItemId }) => setChosen({ id: workItemId })}
            onDrop={(id) => {
              const item = view.items.find(({ workItemId }) => workItemId === id)
              if (item) drop(item, column)
            }}
            takes={(id) => {
              const item = view.items.find(({ workItemId }) => workItemId === id)
              return item !== undefined && dropIntent(item, column) !== undefined
            }}
            onKey={(event, item) => {
              const key = readKey(event.key, held !== undefined)
              if (key === undefined) return
              event.preventDefault()
              act(key, item)
            }}
          />
        ))}
      </div>
      {open && (
        <WorkItemDetail
          key={`${open.workItemId} ${chosen?.assigning === true}`}
          item={open}
          people={view.people}
          assigning={chosen?.id === open.workItemId && chosen.assigning === true}
          onIntent={(intent) => ask(open, intent)}
        />
      )}
    </SurfacePanel>
  )
})

export const titleOf = ({ title, workItemId }: WorkItem) =>
  title === "unknown" || title === "unavailable" ? workItemId : title

/** What stands in the way comes first. */
const firstOf = (items: readonly WorkItem[]) => items.find(({ state }) => state !== "ready") ?? items[0]

/** Up and down within a column, left and right to the nearest card of the next one that has any. */
function focusCard(
  root: HTMLElement | null,
  columns: readonly BoardColumn[],
  item: WorkItem,
  { dx, dy }: Extract<BoardKey, { does: "walk" }>,
) {
  const x = columns.findIndex(({ items }) => items.includes(item))
  const y = columns[x]?.items.indexOf(item) ?? 0
  let next = columns[x]?.items[y + dy]
  for (let at = x + dx; dx !== 0 && columns[at]; at += dx) {
    const { items } = columns[at] ?? { items: [] }
    next = items[Math.min(y, items.length - 1)]
    if (next) break
  }
  if (next) root?.querySelector<HTMLElement>(`[data-card="${CSS.escape(next.workItemId)}"]`)?.focus()
}
