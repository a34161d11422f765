import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter"
import type { WorkItem } from "@factum/agent-ui"
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { Status } from "../ui/Status.tsx"
import { assigneeOf, type BoardColumn } from "./board-columns.ts"
import { titleOf } from "./WorkBoard.tsx"

type LaneProps = {
  column: BoardColumn
  name: string
  chosenId: string | undefined
  held: WorkItem | undefined
  isOver: boolean
  help: string
  onChoose: (item: WorkItem) => void
  onDrop: (workItemId: string) => void
  takes: (workItemId: string) => boolean
  onKey: (event: KeyboardEvent, item: WorkItem) => void
}

const idIn = (source: { data: Record<string, unknown> }) =>
  typeof source.data.workItemId === "string" ? source.data.workItemId : undefined

/** One column: its name, how many, and the cards; a card may be dropped where the owner can be asked for it. */
export function Lane(props: LaneProps) {
  const { column, name, isOver } = props
  const { team } = useWords()
  const heading = useId()
  const element = useRef<HTMLElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [dragged, setDragged] = useState<"takes" | "refuses">()
  useEffect(() => {
    if (element.current === null) return
    return dropTargetForElements({
      element: element.current,
      onDragEnter: ({ source }) => setDragged(latest.current.takes(idIn(source) ?? "") ? "takes" : "refuses"),
      onDragLeave: () => setDragged(undefined),
      onDrop: ({ source }) => {
        setDragged(undefined)
        const id = idIn(source)
        if (id !== undefined) latest.current.onDrop(id)
      },
    })
  }, [])
  return (
    <section
      ref={element}
      aria-labelledby={heading}
      data-column={column.id}
      data-over={isOver || dragged === "takes" || undefined}
      className="data-over:outline-accent flex min-w-0 flex-col gap-1.5 rounded-md data-over:outline-2 @md:w-44 @md:shrink-0 @md:grow"
    >
      <h3 id={heading} className="meta border-line flex items-center gap-1.5 border-b pb-1">
        <span className="min-w-0 truncate font-medium" title={name}>
          {name}
        </span>
        <span>{column.items.length}</span>
        {dragged === "takes" && <span className="text-accent ml-auto">{team.board.dropHere}</span>}
      </h3>
      {column.items.length === 0 ? (
        <p className="meta hidden @md:block">{team.board.none}</p>
      ) : (
        <ul className="flex flex-col gap-1.5">
          {column.items.map((item) => (
            <Card key={item.workItemId} item={item} {...props} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Card({ item, chosenId, held, help, onChoose, onKey }: LaneProps & { item: WorkItem }) {
  const { team } = useWords()
  const button = useRef<HTMLButtonElement>(null)
  const { workItemId, priority, comments, progress } = item
  useEffect(() => {
    if (button.current === null) return
    return draggable({ element: button.current, getInitialData: () => ({ workItemId }) })
  }, [workItemId])
  const assignee = assigneeOf(item)
  const notes = [
    assignee ? (assignee.name ?? assignee.id) : team.board.nobody,
    priority !== "unknown" && priority !== "unavailable" && String(priority),
    progress?.done !== undefined && team.progress(progress.done, progress.total),
    comments.length > 0 && team.board.comments(comments.length),
  ].filter(Boolean)
  return (
    <li>
      <button
        ref={button}
        type="button"
        data-card={workItemId}
        data-held={held?.workItemId === workItemId || undefined}
        aria-pressed={chosenId === workItemId}
        aria-describedby={help}
        onClick={() => onChoose(item)}
        onKeyDown={(event) => onKey(event, item)}
        className="border-line bg-page hover:border-edge aria-pressed:border-accent data-held:border-accent data-held:bg-hover flex w-full cursor-grab items-start gap-2 rounded-md border px-2 py-1.5 text-left data-held:border-dashed"
      >
        <span className="mt-[3px] flex">
          <Status status={item.state === "blocked" ? "blocked" : item.status} quiet />
        </span>
        <span className="min-w-0 flex-1">
          <span className="line-clamp-3 break-words">{titleOf(item)}</span>
          <span className="meta block break-words">{notes.join(" · ")}</span>
        </span>
      </button>
    </li>
  )
}
