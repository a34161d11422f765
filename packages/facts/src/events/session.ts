import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { family } from "../state.ts"

export const SessionCreated = defineEvent("session.created", {
  version: 1,
  doc: "A durable container of work came into being; the first fact of its stream.",
  scope: "session",
  payload: z.object({ title: z.string(), metadata: z.record(z.string(), z.unknown()).optional() }),
})

export const SessionUpdated = defineEvent("session.updated", {
  version: 1,
  doc: "Metadata of the session changed; names each changed field.",
  scope: "session",
  payload: z.object({
    changed: z.array(z.enum(["title", "metadata", "archived"])).min(1),
    title: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    archived: z.boolean().optional(),
  }),
})

export const sessionEvents = [SessionCreated, SessionUpdated] as const
export type SessionEvent = EventOf<(typeof sessionEvents)[number]>

export type Session = {
  session_id: string
  title: string
  archived: boolean
  created_at: string
  updated_at: string
  metadata: Readonly<Record<string, unknown>>
}

const blank: Session = {
  session_id: "",
  title: "",
  archived: false,
  created_at: "unknown",
  updated_at: "unknown",
  metadata: {},
}

export const session = fold<Session, SessionEvent>(blank, {
  "session.created": (s, e) =>
    s.created_at !== "unknown"
      ? s
      : {
          session_id: e.session_id,
          title: e.payload.title,
          archived: false,
          created_at: e.timestamp,
          updated_at: e.timestamp,
          metadata: e.payload.metadata ?? {},
        },
  "session.updated": (s, e) => ({
    ...s,
    session_id: e.session_id,
    title: e.payload.title ?? s.title,
    metadata: e.payload.metadata ?? s.metadata,
    archived: e.payload.archived ?? s.archived,
    updated_at: e.timestamp,
  }),
})

export const sessions = family(session, (e) => e.session_id)
