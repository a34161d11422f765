import type { Assignee, Intent, WorkItem } from "@factum/agent-ui"
import { useWords } from "../i18n/words.ts"
import { ActOn } from "../ui/ActOn.tsx"
import { Button } from "../ui/Button.tsx"
import { Facts, listed } from "../ui/Facts.tsx"
import { leaving } from "../ui/leaving.ts"
import { Tag } from "../ui/Name.tsx"
import { Status } from "../ui/Status.tsx"
import { MarkLine } from "../ui/SurfacePanel.tsx"
import { assigneeOf, reviewIntent } from "./board-columns.ts"
import { titleOf } from "./WorkBoard.tsx"

/** The chosen card in full, with what can be done to it. */
export function WorkItemDetail({
  item,
  people,
  assigning,
  onIntent,
}: {
  item: WorkItem
  people: readonly Assignee[]
  assigning: boolean
  onIntent: (intent: Intent) => void
}) {
  const { team } = useWords()
  const { fields } = team
  const assignee = assigneeOf(item)
  const title = titleOf(item)
  return (
    <section aria-label={title} className="border-line flex flex-col gap-1.5 border-t px-3 py-2" data-detail>
      <h3 className="font-medium break-words">{title}</h3>
      <MarkLine mark={item} />
      <Facts
        facts={[
          [fields.status, <Status key="status" status={item.status} />],
          [fields.assignee, assignee ? (assignee.name ?? assignee.id) : "unknown"],
          [fields.priority, String(item.priority)],
          [fields.needs, listed(item.dependencies)],
          [fields.artifacts, listed(item.artifactRefs)],
          [fields.evidence, listed(item.evidenceRefs)],
          [fields.task, item.taskId],
        ]}
      />
      {item.comments.length > 0 && (
        <ul aria-label={fields.comments} className="flex flex-col gap-1">
          {item.comments.map(({ author, text, at }) => (
            <li key={`${at} ${author} ${text}`} className="break-words">
              <span className="meta">{author ?? team.notReported}</span> {text}
            </li>
          ))}
        </ul>
      )}
      <ActOn
        offered={item.controls}
        name={title}
        onIntent={onIntent}
        opened={assigning ? "assign" : undefined}
        makes={{
          request_review: reviewIntent(item),
          open_detail: { control: "open_detail", target: { kind: "task", id: item.taskId } },
        }}
        asks={{
          assign: (leave) => (
            <People
              label={team.board.assignTo(title)}
              people={people}
              onLeave={leave}
              onChoose={(id) => {
                leave()
                onIntent({ control: "assign", workItemId: item.taskId, assignee: id })
              }}
            />
          ),
        }}
      />
    </section>
  )
}

function People({
  label,
  people,
  onChoose,
  onLeave,
}: {
  label: string
  people: readonly Assignee[]
  onChoose: (id: string) => void
  onLeave: () => void
}) {
  const { team } = useWords()
  if (people.length === 0) return <p className="meta">{team.board.noPeople}</p>
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of choices, not of a form's fields
    <div role="group" aria-label={label} className="flex flex-wrap gap-1.5" onKeyDown={leaving(onLeave)}>
      {people.map(({ id, name, kind }, index) => (
        <Button key={id} data-person={id} autoFocus={index === 0} onClick={() => onChoose(id)}>
          {name ?? id}
          {kind === "human" && <Tag>{team.person}</Tag>}
        </Button>
      ))}
    </div>
  )
}
