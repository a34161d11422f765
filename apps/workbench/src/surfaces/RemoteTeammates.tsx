import type { RemoteRow, RemoteTeammateView } from "@factum/agent-ui"
import { memo } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { ActOn, said } from "../ui/ActOn.tsx"
import { Facts, listed } from "../ui/Facts.tsx"
import { nameOf, Tag } from "../ui/Name.tsx"
import { Rows } from "../ui/Rows.tsx"
import { SayBox } from "../ui/SayBox.tsx"
import { Status } from "../ui/Status.tsx"
import { MarkLine, SurfacePanel } from "../ui/SurfacePanel.tsx"
import { Ago } from "../ui/Time.tsx"
import { MessageLines } from "./MessageLines.tsx"
import type { SurfaceProps } from "./props.ts"
import { RemoteAnswer } from "./RemoteAnswer.tsx"

/** Agents of other systems: what they can do, how their task stands, what they need. */
export const RemoteTeammates = memo(function RemoteTeammates({
  view,
  onIntent,
}: SurfaceProps<RemoteTeammateView>) {
  const words = useWords()
  const { catalog, team } = words
  const { teammates } = view
  return (
    <SurfacePanel view={view} has={teammates.length > 0} marks={teammates} count={teammates.length}>
      <Rows
        label={catalog.surface.remote_teammate}
        items={teammates}
        idOf={({ agentId }) => agentId}
        head={(row) => <Head row={row} />}
      >
        {(row) => {
          const target = { kind: "agent" as const, id: row.agentId }
          const [request] = row.requests
          const name = row.who === undefined ? row.agentId : nameOf(words, row.who)
          return (
            <>
              <Detail row={row} />
              <ActOn
                offered={row.controls}
                name={name}
                onIntent={onIntent}
                makes={{
                  stop: { control: "stop", target },
                  open_detail: { control: "open_detail", target },
                }}
                asks={{
                  ...(request && {
                    answer: (leave) => (
                      <RemoteAnswer
                        request={request}
                        onLeave={leave}
                        onIntent={(intent) => {
                          leave()
                          onIntent(intent)
                        }}
                      />
                    ),
                  }),
                  continue_agent: (leave) => (
                    <SayBox
                      label={team.continueHint(name)}
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
          )
        }}
      </Rows>
    </SurfacePanel>
  )
})

function Head({ row }: { row: RemoteRow }) {
  const words = useWords()
  const { catalog, team } = words
  return (
    <>
      <span className="mt-[3px] flex">
        <Status status={row.status} quiet />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">
          {row.who === undefined ? row.agentId : nameOf(words, row.who)}
          <Tag>{team.remoteMark}</Tag>
        </span>
        <span className="meta block">
          {row.connection === "disconnected"
            ? team.remote.disconnected
            : row.connection === "connected"
              ? team.remote.connected
              : team.because(
                  team.fields.connection,
                  row.connection === "unknown" ? team.notReported : row.connection,
                )}
        </span>
      </span>
      <span className={`meta shrink-0 pt-0.5 ${row.needs === undefined ? "" : "text-accent font-medium"}`}>
        {row.needs === undefined
          ? row.status === "unknown"
            ? catalog.state.unknown
            : wordOf(catalog.status, row.status)
          : wordOf(team.remote.needs, row.needs)}
      </span>
    </>
  )
}

function Detail({ row }: { row: RemoteRow }) {
  const { team } = useWords()
  const { fields } = team
  const { failure } = row
  return (
    <>
      <MarkLine mark={row} />
      {row.requests.map(({ actionId, title }) => (
        <p key={actionId} data-request={actionId}>
          {title ?? actionId}
        </p>
      ))}
      <Facts
        facts={[
          [fields.status, <Status key="status" status={row.status} />],
          [fields.card, row.cardRef],
          [fields.capabilities, listed(row.capabilities)],
          [fields.remoteTask, row.remoteTaskId],
          [fields.outcome, row.outcome],
          [fields.failure, failure?.message ?? failure?.category],
          [fields.result, row.resultRef],
          [fields.artifacts, listed(row.artifacts.map(({ title, artifactId }) => title ?? artifactId))],
          [fields.updated, row.at && <Ago key="at" time={row.at} />],
        ]}
      />
      {row.messages.length > 0 && <MessageLines label={team.remote.messages} messages={row.messages} />}
    </>
  )
}
