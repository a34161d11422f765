import type { Agent } from "../agent.ts"
import { type HookCall, type HookOutcome, type HookPorts, runHooks } from "../hooks/index.ts"
import { blobRef } from "../outputs/spill.ts"
import type { Ids } from "../ports/clock.ts"
import type { BlobStore } from "../ports/log.ts"
import type { ToolFact } from "../ports/tool.ts"
import type { Redactor } from "../redact.ts"

export type PointPorts = {
  agent: Pick<Agent, "hooks" | "workspace">
  ids: Ids
  now: () => number
  blobs: BlobStore
  redactor: Redactor
  signal: AbortSignal
  /** Facts of the hooks, under the ids of the work; false when it is over and nothing more may happen. */
  record: (facts: readonly ToolFact[]) => Promise<boolean>
}

/** `go`: with this input. `blocked`: it must not happen, or what happened must not be used. */
export type Passed =
  | { kind: "go"; input: HookCall["input"]; rewritten: boolean }
  | { kind: "blocked"; message: string; next: string }
  | { kind: "stopped" }

export const hasHooks = ({ agent }: Pick<PointPorts, "agent">, point: HookCall["point"]): boolean =>
  agent.hooks?.some(({ on }) => on === point) ?? false

/**
 * What hooks say at a point of a turn, a model request or a compaction. Nobody can be asked there, so an ask stops it
 * as a deny does.
 */
export async function atPoint(ports: PointPorts, call: HookCall): Promise<Passed> {
  if (!hasHooks(ports, call.point)) return { kind: "go", input: call.input, rewritten: false }
  const outcome = await hooksAt(ports, call)
  if (outcome.stopped) return { kind: "stopped" }
  if (outcome.blocked !== undefined) return { kind: "blocked", ...outcome.blocked }
  if (outcome.verdict === "deny" || outcome.verdict === "ask") {
    const said = outcome.heard.find(({ verdict }) => verdict === outcome.verdict)
    const why = said?.note === undefined ? "" : ` ${said.note}`
    const message = `The hook ${said?.hook} does not let this happen.${why}`
    return { kind: "blocked", message, next: "Do it in another way, or change the hook." }
  }
  return { kind: "go", input: outcome.input, rewritten: outcome.rewritten_by.length > 0 }
}

export function hooksAt(ports: PointPorts, call: HookCall): Promise<HookOutcome> {
  return runHooks(call, ports.agent.hooks ?? [], hookPorts(ports))
}

function hookPorts({ agent, ids, now, blobs, redactor, signal, record }: PointPorts): HookPorts {
  const mask = (text: string) => redactor.text(text).value
  return {
    clock: { now },
    nextId: () => ids.next("hook_run"),
    mask,
    keep: async (text) => {
      const stored = await blobs.put(Buffer.from(mask(text)))
      return "ok" in stored ? undefined : blobRef(stored, "application/json")
    },
    record,
    cwd: agent.workspace.cwd,
    signal,
  }
}
