import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Ref } from "../refs.ts"
import { family } from "../state.ts"

const Source = z.object({ kind: z.enum(["context", "memory", "knowledge", "source", "policy"]), ref: Ref })

export const ContextResolved = defineEvent("context.resolved", {
  version: 1,
  doc: "The sources chosen for the turn, as references; what was asked for and not found is listed as missing.",
  scope: "turn",
  payload: z.object({
    selected: z.array(Source),
    missing: z.array(z.object({ name: z.string(), reason: z.string() })),
    warnings: z.array(z.string()),
    history: z.object({ turns: z.int().min(0), through_sequence: z.int().min(0) }),
  }),
})

export const CompactionStarted = defineEvent("context.compaction.started", {
  version: 1,
  doc: "The runtime began to replace a range of history by a summary.",
  scope: "thread",
  payload: z.object({
    compaction_id: z.string(),
    cause: z.string(),
    from: z.int().min(1),
    to: z.int().min(1),
  }),
})

/** What goes over the boundary as facts: the record of goals and outcomes, and what was open when it was made. */
const Carried = z.object({
  ref: Ref,
  goals: z.int().min(0),
  receipts: z.int().min(0),
  open_actions: z.array(z.string()),
  queued_turns: z.array(z.string()),
  active_tasks: z.array(z.string()),
})

export const CompactionCompleted = defineEvent("context.compaction.completed", {
  version: 1,
  doc: "The summary is in force from here on; the range it stands for stays readable.",
  scope: "thread",
  payload: z.object({
    compaction_id: z.string(),
    from: z.int().min(1),
    to: z.int().min(1),
    summary_ref: Ref,
    kept: z.array(Ref),
    /** Who summed up: a model, or an extract that needs none. */
    by: z.enum(["model", "extract"]).optional(),
    carried: Carried.optional(),
  }),
})

export const CompactionFailed = defineEvent("context.compaction.failed", {
  version: 1,
  doc: "No summary was made; the old context stays in force.",
  scope: "thread",
  payload: z.object({ compaction_id: z.string(), cause: z.string() }),
})

export const contextEvents = [
  ContextResolved,
  CompactionStarted,
  CompactionCompleted,
  CompactionFailed,
] as const
export type ContextEvent = EventOf<(typeof contextEvents)[number]>

export type Compaction = {
  compaction_id: string
  from: number
  to: number
  summary_ref: Ref
  carried_ref?: Ref
}
export type ContextBoundary = {
  thread_id: string
  selected: readonly z.infer<typeof Source>[]
  missing: readonly { name: string; reason: string }[]
  warnings: readonly string[]
  compactions: readonly Compaction[]
  compacting?: string
}

const settled = ({ compacting: _, ...rest }: ContextBoundary): ContextBoundary => rest

export const contextBoundary = fold<ContextBoundary, ContextEvent>(
  { thread_id: "", selected: [], missing: [], warnings: [], compactions: [] },
  {
    "context.resolved": (s, e) => ({
      ...s,
      thread_id: e.thread_id,
      selected: e.payload.selected,
      missing: e.payload.missing,
      warnings: e.payload.warnings,
    }),
    "context.compaction.started": (s, e) => ({
      ...s,
      thread_id: e.thread_id,
      compacting: e.payload.compaction_id,
    }),
    "context.compaction.completed": (s, e) => {
      const { compaction_id, from, to, summary_ref, carried } = e.payload
      const one = { compaction_id, from, to, summary_ref }
      const compactions = [
        ...s.compactions,
        carried === undefined ? one : { ...one, carried_ref: carried.ref },
      ]
      return { ...settled(s), thread_id: e.thread_id, compactions }
    },
    "context.compaction.failed": (s, e) => {
      const warnings = [...s.warnings, `Compaction failed: ${e.payload.cause}`].slice(-16)
      return { ...settled(s), thread_id: e.thread_id, warnings }
    },
  },
)

export const contexts = family(contextBoundary, (e) => e.thread_id)
