import type { NotificationRow, WorkerNotificationsView } from "@factum/agent-ui"
import { memo } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { ActOn } from "../ui/ActOn.tsx"
import { Facts } from "../ui/Facts.tsx"
import { duration, count as shortCount } from "../ui/measures.ts"
import { nameOf } from "../ui/Name.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Status } from "../ui/Status.tsx"
import { MarkLine, SurfacePanel } from "../ui/SurfacePanel.tsx"
import { Ago } from "../ui/Time.tsx"
import type { SurfaceProps } from "./props.ts"

/** What workers reported, newest first: reports, never messages of a person or of the coordinator. */
export const WorkerNotifications = memo(function WorkerNotifications({
  view,
  onIntent,
}: SurfaceProps<WorkerNotificationsView>) {
  const words = useWords()
  const { catalog, team } = words
  const { notifications, counts } = view
  const told = [
    counts.done > 0 && team.counts.done(counts.done),
    counts.failed > 0 && team.counts.failed(counts.failed),
    counts.killed > 0 && team.counts.killed(counts.killed),
  ].filter(Boolean)
  return (
    <SurfacePanel
      view={view}
      has={notifications.length > 0}
      marks={notifications}
      actions={<span className="meta">{told.join(" · ")}</span>}
    >
      <Rows
        label={catalog.surface.worker_notifications}
        items={notifications}
        idOf={({ notificationId }) => notificationId}
        head={(row) => <Head row={row} />}
      >
        {(row) => (
          <>
            <Detail row={row} />
            <ActOn
              offered={row.controls}
              name={team.report(nameOf(words, row.who))}
              onIntent={onIntent}
              makes={intentsOf(row)}
            />
          </>
        )}
      </Rows>
    </SurfacePanel>
  )
})

function intentsOf({ who, taskId, notificationId }: NotificationRow) {
  const worker = who?.agentId === undefined ? undefined : ({ kind: "agent", id: who.agentId } as const)
  const detail = who?.sessionId
    ? ({ kind: "transcript", id: who.sessionId, sessionId: who.sessionId } as const)
    : (worker ?? ({ kind: "task", id: taskId ?? notificationId } as const))
  return {
    open_detail: { control: "open_detail", target: detail } as const,
    ...(worker && { retry: { control: "retry", target: worker } as const }),
  }
}

function Head({ row }: { row: NotificationRow }) {
  const words = useWords()
  const { team } = words
  return (
    <>
      <span className="mt-[3px] flex">
        <Status status={row.status} quiet />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-1.5">
          <span className="truncate font-medium">{nameOf(words, row.who)}</span>
          <span className="meta shrink-0">{wordOf(team.notificationKinds, row.kind)}</span>
        </span>
        <span className="text-meta line-clamp-2 break-words">
          {row.summary === "unknown" || row.summary === "unavailable" ? team.notReported : row.summary}
        </span>
      </span>
      {row.at !== undefined && (
        <span className="shrink-0 pt-0.5">
          <Ago time={row.at} />
        </span>
      )}
    </>
  )
}

function Detail({ row }: { row: NotificationRow }) {
  const words = useWords()
  const { team } = words
  const { fields } = team
  const { usage, durationMs } = row
  const spent =
    typeof usage === "string"
      ? usage
      : [
          (usage.inputTokens !== undefined || usage.outputTokens !== undefined) &&
            team.tokens(shortCount(usage.inputTokens ?? 0), shortCount(usage.outputTokens ?? 0)),
          usage.cost !== undefined && `${usage.cost} ${usage.currency ?? ""}`.trim(),
        ]
          .filter(Boolean)
          .join(" · ")
  return (
    <>
      <MarkLine mark={row} />
      <Facts
        facts={[
          [fields.status, <Status key="status" status={row.status} />],
          [fields.result, row.resultRef],
          [fields.usage, spent],
          [
            fields.duration,
            typeof durationMs === "number" ? duration(durationMs / 1000, words.units) : durationMs,
          ],
          [fields.tools, row.toolCount !== undefined && team.calls(row.toolCount)],
          [fields.task, row.taskId],
          [fields.session, row.who?.sessionId],
        ]}
      />
    </>
  )
}
