import type { SessionReadModels, SessionSnapshot } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { HydrationPage } from "../../hydrate.ts"
import { given } from "./given.ts"
import { messagesOf } from "./snapshot-messages.ts"
import {
  artifactEvents,
  contextEvents,
  evidenceEvents,
  permissionEvents,
  teamEvents,
} from "./snapshot-refs.ts"
import { actionEvents, queueEvent, runEvents, taskEvents } from "./snapshot-work.ts"

/** What a host gives of a session; each but the first may be missing, and is then simply not applied. */
export type RuntimeSnapshots = Pick<SessionReadModels, "session_snapshot"> & Partial<SessionReadModels>

/** The steps of opening a session, in order; the fifth is whatever is asked for later, by ref. */
export type RuntimePage = HydrationPage & { step: 1 | 2 | 3 | 4; events: readonly AgentUiEvent[] }

export function fromSnapshots(read: RuntimeSnapshots): RuntimePage[] {
  const session = read.session_snapshot
  const sessionId = session.shell.session_id
  const threads = read.thread_read_models ?? []
  const { sequence, history_cursor } = session
  const page = {
    position: { stream: sessionId, sequence },
    cursor: String(sequence),
    ...given({ earlier: history_cursor ?? undefined }),
  }
  const steps: Pick<RuntimePage, "step" | "events">[] = [
    { step: 1, events: shell(session) },
    { step: 2, events: [messagesOf(session)] },
    {
      step: 3,
      events: [
        ...threads.flatMap((thread) => runEvents(sessionId, thread)),
        ...(read.queue_snapshots ?? []).map((queue) => queueEvent(sessionId, queue)),
        ...threads.flatMap((thread) => actionEvents(sessionId, thread)),
        ...(read.task_snapshot === undefined ? [] : taskEvents(sessionId, read.task_snapshot)),
        ...(read.subagent_job_summary === undefined ? [] : teamEvents(read.subagent_job_summary)),
      ],
    },
    {
      step: 4,
      events: [
        ...(read.permission_sandbox_summary === undefined
          ? []
          : permissionEvents(sessionId, read.permission_sandbox_summary)),
        ...(read.context_boundary_snapshots ?? []).flatMap((one) => contextEvents(sessionId, one)),
        ...(read.artifact_checkpoint_summary === undefined
          ? []
          : artifactEvents(sessionId, read.artifact_checkpoint_summary)),
        ...(read.evidence_summary === undefined ? [] : evidenceEvents(sessionId, read.evidence_summary)),
      ],
    },
  ]
  return steps.map((step) => ({ ...step, ...page }))
}

const tab = {
  owner: "session",
  scope: "session",
  phase: "hydrating",
  surface: "session_tabs",
  persistence: "snapshot",
} as const

function shell(session: SessionSnapshot): AgentUiEvent[] {
  const { shell, title, threads, freshness } = session
  const status = shell.archived ? "archived" : "open"
  const at = { ...tab, sessionId: shell.session_id }
  return [
    { ...at, type: "session.opened", payload: { title, status, stale: freshness === "stale" } },
    ...threads.map(({ thread_id, status }): AgentUiEvent => {
      return {
        ...at,
        scope: "thread",
        threadId: thread_id,
        type: "session.opened",
        ...(status === "unknown" ? { payload: {} } : { payload: { status } }),
      }
    }),
  ]
}
