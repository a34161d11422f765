import { signed } from "./actor.ts"
import type { Cells } from "./cells.ts"
import type { Given } from "./decision.ts"
import type { ArtifactListener, ArtifactScope } from "./ports/artifact.ts"
import type { FactLog } from "./ports/log.ts"

type Ports = { cells: Cells; log: FactLog; given: Given; wake: (session_id: string) => void }

/** How the owner of artifacts tells sessions: each change is one fact, also when it is told twice. */
export function artifactListener({ cells, log, given, wake }: Ports): ArtifactListener {
  return {
    mask: given.mask,
    locate: (about) => locate(about, log, given),
    async tell({ about, payload, by }, claim) {
      const key = `artifact:${claim}`
      const { session_id } = about
      // A session that is not there any more has nobody to be told.
      if (log.head(session_id) === 0) return true
      const told = await cells.inLine(session_id, async (cell) => {
        if (log.claimed(key) !== undefined) return true
        const fact = { type: "artifact.changed" as const, ...about, payload }
        return (await cells.commit(cell, signed([fact], by), [{ key, value: "told" }])).ok
      })
      if (told) wake(session_id)
      return told
    },
  }
}

function locate(about: ArtifactScope, log: FactLog, given: Given): ReturnType<ArtifactListener["locate"]> {
  const { session_id, thread_id, turn_id } = about
  if (log.head(session_id) === 0) return { ok: false, reason: `There is no session ${session_id}.` }
  const named = turn_id ?? thread_id
  if (named === undefined) return { ok: true, about }
  const place = given.place(named)
  const foreign =
    place?.kind !== (turn_id === undefined ? "thread" : "turn") ||
    place.session_id !== session_id ||
    (thread_id !== undefined && place.thread_id !== thread_id)
  if (foreign) return { ok: false, reason: `${named} does not belong to ${session_id}.` }
  return { ok: true, about: { ...about, thread_id: place.thread_id } }
}
