import type { ToolOutcome, ToolRun } from "../../ports/tool.ts"
import { checkedByTool, sandboxApplied, sandboxViolation } from "../../sandbox/sandbox.ts"
import { failed } from "./define.ts"

/** Records the boundary of a call that speaks with a host by itself; an outcome is there where it may not go on. */
export async function stoppedBefore(host: string, run: ToolRun): Promise<ToolOutcome | undefined> {
  const applied = sandboxApplied(checkedByTool(run.boundary, run))
  if (reaches(run, host))
    return (await run.record([applied])) ? undefined : failed("interrupted", "The call is over.")
  const { profile } = run.boundary
  const violation = sandboxViolation({
    operation: "connect",
    target: host,
    profile,
    detected_by: "tool",
    prevented: true,
  })
  await run.record([applied, violation])
  return failed("sandbox_violation", `The network rule does not let this call reach ${host}.`, "Ask for it.")
}

/** Whether the boundary of a call lets it speak with a host. */
export function reaches({ boundary: { network } }: ToolRun, host: string): boolean {
  if (typeof network !== "object") return network === "all"
  return network.domains.some((domain) =>
    domain.startsWith("*.") ? host.endsWith(domain.slice(1)) : host === domain,
  )
}
