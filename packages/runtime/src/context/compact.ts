import type { Ref, SessionState } from "@factum/facts"
import { type Actor, signed } from "../actor.ts"
import type { World } from "../agent.ts"
import type { Cell } from "../cells.ts"
import {
  type Compacting,
  compactingIn,
  compactionFailed,
  compactionRange,
  compactionStarted,
  type Wanted,
} from "../control/compaction.ts"
import type { Draft } from "../decision.ts"
import { passagesOf } from "../execution/transcript.ts"
import type { Claim } from "../ports/log.ts"
import type { Recall } from "../recall.ts"
import type { Offer } from "../routing/index.ts"
import { boundaryIn } from "./boundary.ts"
import { type Carried, carriedAt, keptRefs } from "./carried.ts"
import { extract, type Summed, summedUp } from "./summary.ts"
import { type Place, type SummaryPorts, summaryRequests } from "./summary-requests.ts"
import type { Room } from "./window.ts"

export type CompactPorts = Pick<World, "blobs" | "redactor"> &
  SummaryPorts & {
    offers: readonly Offer[]
    recall: Recall
    /** Those that this process is working on: any other open one was cut off. */
    compacting: Set<string>
  }

export type Begun =
  | { kind: "begun"; work: Compacting }
  | { kind: "nothing" }
  | { kind: "busy" }
  | { kind: "unwritten"; reason: string }

/** Of a compaction that somebody asked for: who did, and what is claimed with its start. */
type Asked = { claims?: (work: Compacting) => readonly Claim[]; by?: Actor | undefined }

/** Writes down that a range is about to be summed up. To be called in the session's line. */
export async function beginCompaction(
  { cells, blobs, ids, compacting, recall }: CompactPorts,
  cell: Cell,
  thread_id: string,
  wanted: Wanted,
  { claims = () => [], by }: Asked = {},
): Promise<Begun> {
  const { state, session_id } = cell
  if (compactingIn(state, thread_id) !== undefined) return { kind: "busy" }
  const { boundary } = boundaryIn(state, thread_id, blobs)
  const after = boundary?.to ?? 0
  const passages = passagesOf(recall.since(state, after), thread_id, after, blobs)
  const range = compactionRange(state, thread_id, passages, after, wanted)
  if (range === undefined) return { kind: "nothing" }
  const compaction_id = ids.next("compaction")
  const work = { compaction_id, thread_id, range, ...(boundary === undefined ? {} : { before: boundary }) }
  compacting.add(compaction_id)
  const started = signed([compactionStarted(session_id, work, wanted.cause)], by)
  const done = await cells.commit(cell, started, claims(work))
  if (done.ok) return { kind: "begun", work }
  compacting.delete(compaction_id)
  return { kind: "unwritten", reason: done.code === "write_failed" ? done.reason : done.code }
}

export type By = { kind: "extract" } | { kind: "model"; offer: Offer }
export type Compacted = { ok: true } | { ok: false; cause: string }

/** Sums up and writes what came of it. However it ends, the log has an end for it, or the next start gives it one. */
export async function finishCompaction(
  ports: CompactPorts,
  place: Place,
  work: Compacting,
  by: By,
  room: Room,
  signal: AbortSignal,
): Promise<Compacted> {
  const { cells, compacting } = ports
  const { session_id } = place
  try {
    const { by: made, ...summed } = await sum(ports, place, work, by, room, signal)
    const kept = summed.ok ? await keep(ports, work, summed.text, cells.peek(session_id)) : summed
    return await cells.inLine(session_id, async (cell): Promise<Compacted> => {
      const { thread_id, compaction_id } = work
      // Someone else may have ended it: a rollback, for example, leaves nothing to sum up.
      const open = compactingIn(cell.state, thread_id) === compaction_id
      const end = !open
        ? []
        : kept.ok
          ? [completed(session_id, work, made, kept)]
          : compactionFailed(cell.state, thread_id, compaction_id, kept.cause)
      const done = await cells.commit(cell, end)
      if (!done.ok) return { ok: false, cause: `it could not be written (${done.code})` }
      if (!open) return { ok: false, cause: "it was given up" }
      return kept.ok ? { ok: true } : { ok: false, cause: kept.cause }
    })
  } finally {
    compacting.delete(work.compaction_id)
  }
}

/** A limit that lets no request be made does not keep the context from being summed up: an extract needs none. */
async function sum(
  ports: CompactPorts,
  place: Place,
  work: Compacting,
  by: By,
  room: Room,
  signal: AbortSignal,
): Promise<Summed & { by: By["kind"] }> {
  const { passages } = work.range
  const before = work.before?.summary
  if (by.kind === "model" && by.offer.via !== undefined) {
    const requests = summaryRequests(ports, place, work, by.offer, room)
    const summed = await summedUp(by.offer.via, passages, before, room, signal, requests)
    if (summed.ok || summed.limited !== true) return { ...summed, by: "model" }
  }
  return { ok: true, text: extract(passages, before, room), by: "extract" }
}

type Kept = { ok: true; summary_ref: Ref; carried_ref: Ref; carried: Carried; refs: Ref[] }

async function keep(
  { blobs, redactor, recall }: CompactPorts,
  { thread_id, range, before }: Compacting,
  text: string,
  remembered: SessionState,
): Promise<Kept | { ok: false; cause: string }> {
  const state = recall.since(remembered, before?.to ?? 0)
  const carried = carriedAt(state, thread_id, range.to, before?.carried)
  const summary = await blobs.put(Buffer.from(redactor.text(text).value))
  if ("ok" in summary) return { ok: false, cause: `The summary could not be kept: ${summary.reason}.` }
  const record = await blobs.put(Buffer.from(JSON.stringify(redactor.deep(carried).value)))
  if ("ok" in record) return { ok: false, cause: `The outcomes could not be kept: ${record.reason}.` }
  return {
    ok: true,
    summary_ref: refOf(summary, "text/markdown", "summary"),
    carried_ref: refOf(record, "application/json", "goals and outcomes"),
    carried,
    refs: keptRefs(state, thread_id, range.to),
  }
}

const refOf = (
  { digest, bytes }: { digest: string; bytes: number },
  media_type: string,
  title: string,
): Ref => ({
  uri: `blob:${digest}`,
  kind: "context",
  digest,
  bytes,
  media_type,
  title,
})

function completed(session_id: string, work: Compacting, by: By["kind"], kept: Kept): Draft {
  const { compaction_id, thread_id, range } = work
  const { summary_ref, carried_ref, carried, refs } = kept
  return {
    type: "context.compaction.completed",
    session_id,
    thread_id,
    payload: {
      compaction_id,
      from: range.from,
      to: range.to,
      summary_ref,
      kept: [carried_ref, ...refs],
      by,
      carried: {
        ref: carried_ref,
        goals: carried.goals.length,
        receipts: carried.receipts.length,
        open_actions: carried.open_actions.map(({ action_id }) => action_id),
        queued_turns: carried.queued_turns.map(({ queued_turn_id }) => queued_turn_id),
        active_tasks: carried.active_tasks.map(({ task_id }) => task_id),
      },
    },
  }
}
