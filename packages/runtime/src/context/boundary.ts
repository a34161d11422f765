import type { Compaction, Ref, SessionState } from "@factum/facts"
import { readRef } from "../outputs/spill.ts"
import type { BlobStore } from "../ports/log.ts"
import { Carried, carriedText } from "./carried.ts"

/** Up to where history is told by a summary. */
export type Boundary = { to: number; summary: string; carried?: Carried }

/** The newest boundary whose summary can be read; one that cannot is as if it had not been made. */
export function boundaryIn(
  state: SessionState,
  thread_id: string,
  blobs: BlobStore,
): { boundary?: Boundary; warnings: readonly string[] } {
  const warnings: string[] = []
  for (const one of (state.entities.contexts[thread_id]?.compactions ?? []).toReversed()) {
    const boundary = read(one, blobs)
    if (boundary !== undefined) return { boundary, warnings }
    warnings.push(`The summary of facts ${one.from} to ${one.to} cannot be read and is not used.`)
  }
  return { warnings }
}

function read({ to, summary_ref, carried_ref }: Compaction, blobs: BlobStore): Boundary | undefined {
  const summary = textOf(summary_ref, blobs)
  if (summary === undefined) return undefined
  const text = carried_ref === undefined ? undefined : textOf(carried_ref, blobs)
  if (text === undefined) return { to, summary }
  const carried = Carried.safeParse(JSON.parse(text))
  return carried.success ? { to, summary, carried: carried.data } : { to, summary }
}

function textOf(ref: Ref, blobs: BlobStore): string | undefined {
  const found = readRef(ref, blobs)
  return found.ok ? Buffer.from(found.bytes).toString("utf8") : undefined
}

/** As the model is told it, in the place of what it stands for. */
export function boundaryText({ summary, carried }: Boundary, tokens: number): string {
  const told = carried === undefined ? "" : carriedText(carried, tokens)
  return [
    "[What came before in this conversation, summed up to save room. All of it is kept in the history.]",
    summary,
    told,
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}
