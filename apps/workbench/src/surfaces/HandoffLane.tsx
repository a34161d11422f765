import type { HandoffLaneView, HandoffRow } from "@factum/agent-ui"
import { memo } from "react"
import { useWords } from "../i18n/words.ts"
import { ActOn, said } from "../ui/ActOn.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Name, nameOf } from "../ui/Name.tsx"
import { Rows } from "../ui/Rows.tsx"
import { SayBox } from "../ui/SayBox.tsx"
import { Status } from "../ui/Status.tsx"
import { MarkLine, SurfacePanel } from "../ui/SurfacePanel.tsx"
import { Ago, At } from "../ui/Time.tsx"
import type { SurfaceProps } from "./props.ts"

/** Who owned the conversation, and to whom it went, newest first. */
export const HandoffLane = memo(function HandoffLane({ view, onIntent }: SurfaceProps<HandoffLaneView>) {
  const words = useWords()
  const { catalog, team } = words
  const { handoffs, activeOwner } = view
  return (
    <SurfacePanel
      view={view}
      has={handoffs.length > 0}
      marks={handoffs}
      actions={
        handoffs.length > 0 && (
          <span className="meta flex gap-1.5" data-owner>
            {team.handoff.owner}
            <Name who={activeOwner} />
          </span>
        )
      }
    >
      <Rows
        label={catalog.surface.handoff_lane}
        items={handoffs.toReversed()}
        idOf={({ handoffId }) => handoffId}
        head={(row) => <Head row={row} />}
      >
        {(row) => (
          <>
            <Detail row={row} />
            <ActOn
              offered={row.controls}
              name={nameOf(words, row.to)}
              onIntent={onIntent}
              {...(agentOf(row) !== undefined && {
                makes: {
                  open_detail: { control: "open_detail", target: { kind: "agent", id: agentOf(row) ?? "" } },
                },
              })}
              asks={{
                continue_agent: (leave) => (
                  <SayBox
                    label={team.continueHint(nameOf(words, row.to))}
                    onLeave={leave}
                    onSay={(text) => {
                      leave()
                      const agentId = agentOf(row)
                      if (agentId !== undefined)
                        onIntent({ control: "continue_agent", agentId, inputs: said(text) })
                    }}
                  />
                ),
              }}
            />
          </>
        )}
      </Rows>
    </SurfacePanel>
  )
})

const agentOf = ({ to }: HandoffRow) => (typeof to === "string" ? undefined : to.agentId)

function Head({ row }: { row: HandoffRow }) {
  const { team } = useWords()
  return (
    <>
      <span className="mt-[3px] flex">
        <Status status={row.status} quiet />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-baseline gap-x-1.5">
          <Name who={row.from} />
          <span className="meta">
            <span aria-hidden="true">→</span>
            <span className="sr-only">{team.handoff.to}</span>
          </span>
          <Name who={row.to} />
        </span>
        <span className="text-meta line-clamp-2 break-words">
          {row.reasonGiven === "unknown" || row.reasonGiven === "unavailable"
            ? team.notReported
            : row.reasonGiven}
        </span>
      </span>
      {row.at !== undefined && <Ago time={row.at} />}
    </>
  )
}

function Detail({ row }: { row: HandoffRow }) {
  const { fields } = useWords().team
  return (
    <>
      <MarkLine mark={row} />
      <Facts
        facts={[
          [fields.status, <Status key="status" status={row.status} />],
          [fields.reason, row.reasonGiven],
          [fields.returnReason, row.returnReason],
          [fields.resume, row.resumeTarget],
          [fields.boundary, row.memoryBoundary],
          [fields.accepted, row.acceptedAt && <At key="accepted" time={row.acceptedAt} />],
        ]}
      />
    </>
  )
}
