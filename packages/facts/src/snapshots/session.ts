import { z } from "zod"
import { Details, KnownTime, Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"
import { Step, steps } from "./step.ts"

export const SessionSnapshot = defineSnapshot("session_snapshot", {
  version: 1,
  doc: "Shell, title, timestamps, threads, recent steps and the cursor to older history.",
  schema: z.object({
    ...reflected,
    shell: z.object({ session_id: z.string(), archived: z.boolean(), metadata: Details }),
    title: z.string(),
    timestamps: z.object({ created_at: KnownTime, updated_at: KnownTime }),
    threads: z.array(
      z.object({
        thread_id: z.string(),
        status: Text,
        started_at: KnownTime,
        active_turn_id: z.string().optional(),
      }),
    ),
    recent: z.array(Step),
    /** Null when nothing is older than what is here. */
    history_cursor: z.string().nullable(),
  }),
})
export type SessionSnapshot = z.infer<typeof SessionSnapshot.schema>

export function sessionSnapshot(
  state: SessionState,
  given: { history_cursor?: string | null; freshness?: Freshness; recent?: number } = {},
): SessionSnapshot {
  const { sessions, threads } = state.entities
  const session = Object.values(sessions)[0]
  return {
    ...reflects(state, given.freshness),
    shell: {
      session_id: session?.session_id ?? "unknown",
      archived: session?.archived ?? false,
      metadata: { ...session?.metadata },
    },
    title: session?.title ?? "",
    timestamps: {
      created_at: session?.created_at ?? "unknown",
      updated_at: session?.updated_at ?? "unknown",
    },
    threads: Object.values(threads).map(({ changes: _, ...thread }) => thread),
    recent: latest(steps(state), given.recent ?? 50),
    history_cursor: given.history_cursor ?? null,
  }
}

const latest = <T>(all: readonly T[], count: number): T[] => all.slice(Math.max(0, all.length - count))
