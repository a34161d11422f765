import type { Capsule, TaskCapsuleView } from "@factum/agent-ui"
import { memo } from "react"
import { useWords } from "../i18n/words.ts"
import { ActOn } from "../ui/ActOn.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Progress } from "../ui/Meter.tsx"
import { nameOf } from "../ui/Name.tsx"
import { Rows } from "../ui/Rows.tsx"
import { useStanding } from "../ui/Stale.tsx"
import { Status, saidOf } from "../ui/Status.tsx"
import { MarkLine, SurfacePanel } from "../ui/SurfacePanel.tsx"
import { Ago } from "../ui/Time.tsx"
import type { SurfaceProps } from "./props.ts"

/** The work that is under way or waits, at a glance. */
export const TaskCapsules = memo(function TaskCapsules({ view, onIntent }: SurfaceProps<TaskCapsuleView>) {
  const { catalog, team } = useWords()
  const { capsules } = view
  return (
    <SurfacePanel view={view} has={capsules.length > 0} marks={capsules} count={capsules.length}>
      <Rows
        label={catalog.surface.task_capsule}
        items={capsules}
        idOf={({ kind, id }) => `${kind}:${id}`}
        head={(capsule) => <Head capsule={capsule} />}
      >
        {(capsule) => (
          <>
            <Detail capsule={capsule} />
            <ActOn
              offered={capsule.controls}
              name={titleOf(capsule, team.unnamed)}
              onIntent={onIntent}
              makes={{
                stop: { control: "stop", target: capsule.target },
                retry: { control: "retry", target: capsule.target },
                open_detail: { control: "open_detail", target: capsule.target },
              }}
            />
          </>
        )}
      </Rows>
    </SurfacePanel>
  )
})

const titleOf = ({ title, id, kind }: Capsule, unnamed: string) =>
  title !== "unknown" && title !== "unavailable" ? title : kind === "queued_turn" ? unnamed : id || unnamed

function Head({ capsule }: { capsule: Capsule }) {
  const words = useWords()
  const { catalog, team } = words
  const standing = useStanding()
  const { progress, status, state } = capsule
  return (
    <>
      <span className="mt-[3px] flex">
        <Status status={state === "blocked" ? "blocked" : status} quiet />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate">{titleOf(capsule, team.unnamed)}</span>
        <span className="meta flex items-center gap-1.5">
          <span>{team.kinds[capsule.kind]}</span>
          {capsule.kind === "queued_turn" && capsule.position !== undefined && (
            <span>{team.inQueue(capsule.position)}</span>
          )}
        </span>
      </span>
      <span
        className={`meta flex shrink-0 items-center gap-1.5 pt-0.5 ${capsule.group === "needs_input" ? "text-accent font-medium" : ""}`}
      >
        {progress?.done !== undefined && capsule.group !== "done" ? (
          <>
            <Progress
              label={titleOf(capsule, team.unnamed)}
              done={progress.done}
              {...(progress.total !== undefined && { total: progress.total })}
            />
            {team.progress(progress.done, progress.total)}
          </>
        ) : capsule.kind === "run" && capsule.group === "running" ? (
          standing(saidOf(words, capsule.status))
        ) : (
          standing(catalog.group[capsule.group])
        )}
      </span>
    </>
  )
}

function Detail({ capsule }: { capsule: Capsule }) {
  const words = useWords()
  const { fields } = words.team
  const { who, failure, progress } = capsule
  // Of the conversation's own runs the conversation tells; here they can be stopped.
  if (capsule.kind === "run" || capsule.kind === "queued_turn") return <MarkLine mark={capsule} />
  return (
    <>
      <MarkLine mark={capsule} />
      <Facts
        facts={[
          [fields.status, <Status key="status" status={capsule.status} />],
          [fields.assignee, who && nameOf(words, who)],
          [fields.summary, progress?.note],
          [fields.failure, failure?.message ?? failure?.category],
          [fields.reason, failure?.next],
          [fields.schedule, capsule.schedule],
          [fields.wake, capsule.wakeReason],
          [fields.lastRun, capsule.lastRunRef],
          [fields.updated, capsule.at && <Ago key="at" time={capsule.at} />],
        ]}
      />
    </>
  )
}
