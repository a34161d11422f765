import { type Clock, type Ids, systemClock, systemIds } from "../../ports/clock.ts"
import type { BlobStore } from "../../ports/log.ts"
import { Artifacts } from "./owner.ts"
import { Shelf } from "./shelf.ts"

export * from "../../ports/artifact.ts"
export { Artifacts } from "./owner.ts"

/** A file beside the log, in a directory that the caller owns; bytes go to the blob store. */
export function openArtifacts(
  path: string,
  { blobs, clock = systemClock, ids = systemIds(clock) }: { blobs: BlobStore; clock?: Clock; ids?: Ids },
): { ok: true; artifacts: Artifacts } | { ok: false; message: string } {
  try {
    return { ok: true, artifacts: new Artifacts({ shelf: new Shelf(path), blobs, clock, ids }) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const fix = "Restore it from a backup, or move it away to start without artifacts"
    return { ok: false, message: `${path} cannot be used: ${reason}. ${fix}.` }
  }
}
