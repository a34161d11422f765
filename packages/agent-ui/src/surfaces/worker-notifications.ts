import type { NotificationPayload } from "../events/index.ts"
import type { AvailablePorts } from "../ports.ts"
import type { NotificationEntity } from "../state.ts"
import { surfaceControls } from "../taxonomy.ts"
import { kept } from "./memo.ts"
import { aim, offer } from "./offer.ts"
import { assemble, inScope, ready } from "./standing.ts"
import { groupOf, type StatusGroup } from "./status-group.ts"
import { type TeamRow, teamRow } from "./team-roster.ts"
import { type ControlView, type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { type Doer, doerOf, given, picked, type Who, whoIs } from "./who.ts"

export type NotificationRow = Mark & {
  notificationId: string
  kind: string
  who?: Who
  taskId?: string
  status: Known<string>
  group: StatusGroup
  summary: Known<string>
  resultRef: Known<string>
  usage: Known<NonNullable<NotificationPayload["usage"]>>
  durationMs: Known<number>
  toolCount?: number
  at?: string
  controls: readonly ControlView[]
}
export type WorkerNotificationsView = View & {
  /** Newest first. */
  notifications: readonly NotificationRow[]
  counts: { done: number; failed: number; killed: number }
  teams: readonly TeamRow[]
}

export const workerNotifications: Surface<WorkerNotificationsView> = {
  reads: ["notifications", "agents", "teams"],
  select(state, scope, ports) {
    const rows = inScope(state, state.notifications, scope).map((entity) =>
      row(entity, doerOf(state, entity.origin), ports),
    )
    const count = (is: (row: NotificationRow) => boolean) => rows.filter(is).length
    return assemble(
      "worker_notifications",
      { state, scope, ports },
      {
        has: rows.length > 0,
        marks: rows,
        aims: {
          retry: aim(rows.some(canRetry), "team.retry"),
          open_detail: aim(rows.length > 0, "session.read", "evidence.read"),
        },
      },
      {
        notifications: rows.toReversed(),
        counts: {
          done: count(({ group, status }) => group === "done" && status !== "killed"),
          failed: count(({ group }) => group === "failed"),
          killed: count(({ status }) => status === "killed"),
        },
        teams: inScope(state, state.teams, scope).map(teamRow),
      },
    )
  },
}

const row = kept((entity: NotificationEntity, doer: Doer, ports: AvailablePorts): NotificationRow => {
  const { origin } = entity
  const status = known(entity.status)
  const group = groupOf(status)
  return {
    ...picked(entity, "notificationId", "toolCount"),
    ...markOf(entity),
    kind: entity.kind ?? "unknown",
    status,
    group,
    summary: known(entity.summary),
    resultRef: entity.resultRef ?? "unavailable",
    usage: known(entity.usage),
    durationMs: known(entity.durationMs),
    ...given({ who: whoIs(doer), taskId: origin.taskId, at: origin.timestamp }),
    controls: offer(surfaceControls.worker_notifications, ports, {
      retry: aim(canRetry({ group, status }) && origin.agentId !== undefined, "team.retry"),
      open_detail: aim(true, "session.read", "evidence.read"),
    }),
  }
})

const canRetry = ({ group, status }: { group: StatusGroup; status: string }) =>
  group === "failed" || status === "killed"

function markOf({ status, origin }: NotificationEntity): Mark {
  if (status === "blocked" || status === "refused") return { state: "blocked", reason: "unknown" }
  if (status === undefined) return { state: "unknown", reason: "status_unknown" }
  return origin.persistence === "archive" && origin.phase === "archived"
    ? { state: "stale", reason: "archived_copy" }
    : ready
}
