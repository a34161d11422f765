import { z } from "zod"
import { Id } from "../ids.ts"
import { Names } from "../known.ts"
import { Ref } from "../refs.ts"
import { CommandScope, defineCommand } from "./define-command.ts"

/** Running work is not held up; the result says that it was running and which sequence it reflects. */
const result = z.object({
  evidence_id: Id,
  refs: z.array(Ref).min(1),
  sequence: z.int().min(0),
  unfinished: z.boolean(),
  missing: Names,
})

function exportCommand(doc: string) {
  return defineCommand({
    doc,
    mutates: true,
    input: CommandScope,
    result,
    refusals: ["not_found", "scope_mismatch"],
    emits: ["evidence.changed"],
  })
}

export const exportCommands = {
  export_evidence: exportCommand("Exports the evidence of a scope from the same facts as every reader."),
  export_replay: exportCommand("Exports what rebuilds the read model in an empty store without any effect."),
  export_review: exportCommand(
    "Exports what a reviewer needs: decisions, boundaries, hooks, processes, costs.",
  ),
} as const
