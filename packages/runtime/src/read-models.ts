import {
  artifactCheckpointSummary,
  type ChannelSummary,
  channelSummary,
  contextBoundarySnapshot,
  evidenceSummary,
  executionEnvironmentSnapshot,
  permissionSandboxSummary,
  queueSnapshot,
  routingLimitSummary,
  type SessionState,
  type SnapshotName,
  sessionSnapshot,
  subagentJobSummary,
  taskSnapshot,
  threadReadModel,
  toolInventorySnapshot,
} from "@factum/facts"
import { misplaced } from "./control/thread-view.ts"
import { type Given, reject } from "./decision.ts"
import { noSession } from "./reads.ts"
import type { Outcome } from "./runtime.ts"

type OfSession = (state: SessionState, given: Given) => unknown
type OfThread = (state: SessionState, thread_id: string) => unknown

const ofThread: { [N in SnapshotName]?: OfThread } = {
  thread_read_model: threadReadModel,
  tool_inventory_snapshot: toolInventorySnapshot,
  queue_snapshot: queueSnapshot,
  context_boundary_snapshot: contextBoundarySnapshot,
}

const ofSession: { [N in SnapshotName]?: OfSession } = {
  session_snapshot: (state) => sessionSnapshot(state),
  task_snapshot: (state) => taskSnapshot(state),
  artifact_checkpoint_summary: (state) => artifactCheckpointSummary(state),
  evidence_summary: (state) => evidenceSummary(state),
  permission_sandbox_summary: (state) => permissionSandboxSummary(state),
  execution_environment_snapshot: (state) => executionEnvironmentSnapshot(state),
  routing_limit_summary: (state) => routingLimitSummary(state),
  subagent_job_summary: (state) => subagentJobSummary(state),
  channel_summary: channelsNow,
}

export const isOfThread = (name: SnapshotName): boolean => ofThread[name] !== undefined

/** Any of the read models as of now. */
export function readModel(
  name: SnapshotName,
  { session_id, thread_id }: { session_id: string; thread_id?: string },
  state: SessionState,
  given: Given,
): Outcome {
  if (state.entities.sessions[session_id] === undefined) return noSession(session_id)
  const make = ofSession[name]
  if (make !== undefined) return { ok: true, result: structuredClone(make(state, given)) }
  if (thread_id === undefined) {
    return reject("invalid_input", `${name} is of a thread; name one.`, { field: "thread_id" })
  }
  const wrong = misplaced(given, thread_id, "thread_id", { session_id })
  return wrong ?? { ok: true, result: structuredClone(ofThread[name]?.(state, thread_id)) }
}

/** A channel that was connected when the host ended, and of which nothing was heard since, is not known to be. */
function channelsNow(state: SessionState, given: Given): ChannelSummary {
  const summary = channelSummary(state, acknowledgements(state, given))
  const channels = summary.channels.map((channel) => {
    const isGone = channel.connection === "connected" && given.acknowledged(channel.channel_id) === undefined
    return isGone ? { ...channel, connection: "unknown" as const, peer: "stale" as const } : channel
  })
  return { ...summary, channels }
}

function acknowledgements({ entities }: SessionState, given: Given): Record<string, number> {
  return Object.fromEntries(
    Object.keys(entities.channels).flatMap((id) => {
      const moved = given.acknowledged(id)
      return moved === undefined ? [] : [[id, moved]]
    }),
  )
}
