import type { BackgroundRow, BackgroundTeammateView } from "@factum/agent-ui"
import { memo } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { ActOn } from "../ui/ActOn.tsx"
import { Facts } from "../ui/Facts.tsx"
import { nameOf } from "../ui/Name.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Status } from "../ui/Status.tsx"
import { MarkLine, SurfacePanel } from "../ui/SurfacePanel.tsx"
import { Ago, At } from "../ui/Time.tsx"
import type { SurfaceProps } from "./props.ts"

/** Agents and jobs that wake by a schedule or an event: why, when last, when next. */
export const BackgroundTeammates = memo(function BackgroundTeammates({
  view,
  onIntent,
}: SurfaceProps<BackgroundTeammateView>) {
  const { catalog } = useWords()
  const { teammates } = view
  return (
    <SurfacePanel view={view} has={teammates.length > 0} marks={teammates} count={teammates.length}>
      <Rows
        label={catalog.surface.background_teammate}
        items={teammates}
        idOf={({ kind, id }) => `${kind}:${id}`}
        head={(row) => <Head row={row} />}
      >
        {(row) => {
          const target = { kind: row.kind, id: row.id }
          return (
            <>
              <Detail row={row} />
              <ActOn
                offered={row.controls}
                name={titleOf(row)}
                onIntent={onIntent}
                makes={{
                  stop: { control: "stop", target },
                  retry: { control: "retry", target },
                  ...(row.kind === "agent" && { close: { control: "close", agentId: row.id } }),
                  open_detail: { control: "open_detail", target },
                }}
              />
            </>
          )
        }}
      </Rows>
    </SurfacePanel>
  )
})

const titleOf = ({ title, id }: BackgroundRow) =>
  title === "unknown" || title === "unavailable" ? id : title

function Head({ row }: { row: BackgroundRow }) {
  const { catalog, team } = useWords()
  const { nextWakeAt, schedule } = row
  const hasSchedule = schedule !== "unknown" && schedule !== "unavailable"
  return (
    <>
      <span className="mt-[3px] flex">
        <Status status={row.paused ? "paused" : row.status} quiet />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{titleOf(row)}</span>
        <span className="meta flex flex-wrap gap-x-1.5">
          {row.kind === "job" && <span>{team.background.job}</span>}
          {hasSchedule && <span>{schedule}</span>}
          {nextWakeAt !== "unknown" && nextWakeAt !== "unavailable" && !row.paused && (
            <span>
              {team.background.nextWake} <At time={nextWakeAt} />
            </span>
          )}
        </span>
      </span>
      <span className="meta shrink-0 pt-0.5">
        {row.paused
          ? team.background.paused
          : row.status === "unknown"
            ? catalog.state.unknown
            : wordOf(catalog.status, row.status)}
      </span>
    </>
  )
}

function Detail({ row }: { row: BackgroundRow }) {
  const words = useWords()
  const { fields, background } = words.team
  const { who, nextWakeAt, failure } = row
  const isTime = nextWakeAt !== "unknown" && nextWakeAt !== "unavailable"
  return (
    <>
      <MarkLine mark={row} />
      {row.sleeping && <p className="meta">{background.asleep}</p>}
      <Facts
        facts={[
          [fields.wake, row.wakeReason],
          [fields.schedule, row.schedule],
          [fields.next, isTime ? <At key="next" time={nextWakeAt} /> : nextWakeAt],
          [fields.currentRun, row.currentRunId],
          [fields.lastRun, row.lastRunRef],
          [fields.failure, failure?.message ?? failure?.category],
          [fields.runtime, row.runtimeStatus],
          [fields.assignee, row.kind === "job" && who && nameOf(words, who)],
          [fields.updated, row.at && <Ago key="at" time={row.at} />],
        ]}
      />
    </>
  )
}
