import { type Actor, signed } from "./actor.ts"
import type { Cells } from "./cells.ts"
import type { Draft } from "./decision.ts"

/** What a host did or refused for somebody, in a class of facts that needs no session. */
export type HostReport =
  | {
      type: "runtime.warning"
      payload: {
        code: string
        message: string
        affected: { kind: string; id: string }[]
        detail?: Record<string, unknown>
      }
    }
  | { type: `x-factum.${string}`; payload: Readonly<Record<string, unknown>> }

/** Written to the runtime's own stream. False when it could not be. */
export const reporter =
  (cells: Cells, runtime_id: string) =>
  async (report: HostReport, by: Actor): Promise<boolean> => {
    // A class of our own stands in no table that a draft's type could come from.
    const draft = { ...report, runtime_id } as unknown as Draft
    const done = await cells.inLine(runtime_id, (cell) => cells.commit(cell, signed([draft], by)))
    return done.ok
  }
