import type { TeammateRow, TeamRosterView, TeamRow } from "@factum/agent-ui"
import { memo, useState } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { ActOn, said } from "../ui/ActOn.tsx"
import { Controls } from "../ui/Controls.tsx"
import { Facts, listed } from "../ui/Facts.tsx"
import { Name, nameOf, Tag } from "../ui/Name.tsx"
import { Rows } from "../ui/Rows.tsx"
import { SayBox } from "../ui/SayBox.tsx"
import { Status } from "../ui/Status.tsx"
import { MarkLine, SurfacePanel } from "../ui/SurfacePanel.tsx"
import { DelegateForm } from "./DelegateForm.tsx"
import type { SurfaceProps } from "./props.ts"

/** Who works on the session, those who need a person first. */
export const TeamRoster = memo(function TeamRoster({ view, onIntent }: SurfaceProps<TeamRosterView>) {
  const words = useWords()
  const { catalog, team } = words
  const [delegating, setDelegating] = useState(false)
  const { teammates, teams, memory, topology, runId } = view
  const header = view.controls.filter(({ control }) => control === "delegate")
  return (
    <SurfacePanel
      view={view}
      has={teammates.length > 0}
      marks={teammates}
      count={teammates.length}
      onControl={(control) => control === "delegate" && setDelegating(!delegating)}
      actions={
        teammates.length > 0 && (
          <Controls
            quiet
            offered={header}
            about={catalog.surface.team_roster}
            onControl={() => setDelegating(!delegating)}
          />
        )
      }
      top={
        delegating &&
        runId !== undefined && (
          <DelegateForm
            onLeave={() => setDelegating(false)}
            onDelegate={(agent, objective) => {
              setDelegating(false)
              onIntent({ control: "delegate", runId, agent, objective })
            }}
          />
        )
      }
    >
      <Teams teams={teams} topology={topology} />
      <Rows
        label={catalog.surface.team_roster}
        items={teammates}
        idOf={({ agentId }) => agentId}
        head={(row) => <Head row={row} />}
      >
        {(row) => (
          <>
            <Detail row={row} />
            <ActOn
              offered={row.controls}
              name={nameOf(words, row.who)}
              onIntent={onIntent}
              makes={{
                wait: { control: "wait", agentIds: [row.agentId] },
                stop: { control: "stop", target: { kind: "agent", id: row.agentId } },
                close: { control: "close", agentId: row.agentId },
              }}
              asks={{
                continue_agent: (leave) => (
                  <SayBox
                    label={team.continueHint(nameOf(words, row.who))}
                    onLeave={leave}
                    onSay={(text) => {
                      leave()
                      onIntent({ control: "continue_agent", agentId: row.agentId, inputs: said(text) })
                    }}
                  />
                ),
              }}
            />
          </>
        )}
      </Rows>
      {memory.length > 0 && (
        <div className="border-line border-t px-3 py-2">
          <h3 className="meta font-medium">{team.memory}</h3>
          <ul>
            {memory.map(({ ref, scope, precedence, summary }) => (
              <li key={ref} className="py-0.5">
                <span className="break-words">{summary ?? ref}</span>{" "}
                <span className="meta">
                  {team.memoryScope(
                    scope === "unknown" ? team.notReported : scope,
                    precedence === "unknown" ? team.notReported : String(precedence),
                  )}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </SurfacePanel>
  )
})

function Head({ row }: { row: TeammateRow }) {
  const { team } = useWords()
  const role = row.role === "unknown" || row.role === "unavailable" ? undefined : row.role
  return (
    <>
      <span className="mt-[3px] flex">
        <Status status={row.status} quiet />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-baseline gap-x-1.5">
          <Name who={row.who} />
          {row.active && <Tag>{team.active}</Tag>}
        </span>
        <span className="meta block truncate">
          {[role, row.needsYou > 0 ? team.asks(row.needsYou) : undefined].filter(Boolean).join(" · ")}
        </span>
      </span>
      <span
        className={`meta shrink-0 pt-0.5 ${row.group === "needs_input" ? "text-accent font-medium" : ""}`}
      >
        <StatusWord status={row.status} />
      </span>
    </>
  )
}

function StatusWord({ status }: { status: string }) {
  const { catalog } = useWords()
  return status === "unknown" ? catalog.state.unknown : wordOf(catalog.status, status)
}

function Detail({ row }: { row: TeammateRow }) {
  const { team } = useWords()
  const { fields, limits } = team
  const { lineage, queueCounts, failure } = row
  const waits = row.limits
  return (
    <>
      <MarkLine mark={row} />
      {row.group === "queued" && waits && <p className="meta">{limits.queued}</p>}
      {waits?.retryableOverload && <p className="meta">{limits.overload}</p>}
      <Facts
        facts={[
          [fields.summary, row.summary],
          [fields.failure, failure?.message ?? failure?.category],
          [fields.role, row.role],
          [fields.source, row.source],
          [fields.model, row.model],
          [fields.policy, row.policy],
          [fields.mode, row.mode],
          [fields.capabilities, listed(row.capabilities)],
          [fields.isolation, row.isolation],
          [fields.runtime, row.runtimeStatus],
          [fields.latestTurn, row.latestTurnStatus],
          [fields.position, queueCounts && team.queue(queueCounts.queued ?? 0, queueCounts.active ?? 0)],
          [fields.reason, lineage.spawnReason],
          [fields.result, row.resultRef],
          [fields.task, lineage.taskId],
          [fields.session, lineage.sessionId],
          [fields.thread, lineage.threadId],
          [fields.parentSession, lineage.parentSessionId],
          [fields.parentThread, lineage.parentThreadId],
        ]}
      />
    </>
  )
}

function Teams({ teams, topology }: { teams: readonly TeamRow[]; topology: string | undefined }) {
  const { catalog, team } = useWords()
  if (teams.length === 0 && topology === undefined) return null
  return (
    <div className="px-3 pb-1">
      {topology !== undefined && <p className="meta">{wordOf(catalog.topology, topology)}</p>}
      {teams.map(({ teamId, teamName, teamPhase, status, limits, synthesis }) => (
        <p key={teamId} className="meta flex flex-wrap items-center gap-x-1.5" data-team={teamId}>
          <Status status={status} quiet />
          <span className="text-ink">
            {team.teamOf(teamName === "unknown" ? teamId : teamName, teamPhase)}
          </span>
          {limits?.teamParallelBudget !== undefined && (
            <span>{team.limits.parallel(limits.teamActiveCount, limits.teamParallelBudget)}</span>
          )}
          {limits?.providerParallelBudget !== undefined && (
            <span>{team.limits.provider(limits.providerParallelBudget)}</span>
          )}
          {synthesis && <span>{team.synthesis}</span>}
        </p>
      ))}
    </div>
  )
}
