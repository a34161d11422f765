import { z } from "zod"
import { Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"
import { PendingRequest, pendingRequests } from "./thread.ts"

export const PermissionSandboxSummary = defineSnapshot("permission_sandbox_summary", {
  version: 1,
  doc: "Permission state, pending approvals, the sandbox profile in force and refs of violations.",
  schema: z.object({
    ...reflected,
    permission: z.object({
      policy_version: Text,
      mode: Text,
      last_verdict: z.enum(["allow", "ask", "deny", "unknown"]),
    }),
    pending_approvals: z.array(PendingRequest),
    sandbox: z.object({
      profile: Text,
      in_force: z.union([z.boolean(), z.literal("unknown")]),
      network: Text,
    }),
    violations: z.array(
      z.object({ event_id: z.string(), operation: z.string(), target: z.string(), profile: z.string() }),
    ),
  }),
})
export type PermissionSandboxSummary = z.infer<typeof PermissionSandboxSummary.schema>

const approvals: ReadonlySet<string> = new Set(["tool_approval", "permission_grant", "delegated_permission"])

export function permissionSandboxSummary(
  state: SessionState,
  freshness?: Freshness,
): PermissionSandboxSummary {
  const { policies, evaluations, boundaries, catalogs } = state.entities
  const policy = Object.values(policies).at(-1)
  // A policy that never changed is told with the tools of each turn.
  const usual = Object.values(catalogs).at(-1)?.mode ?? "unknown"
  const judged = Object.values(evaluations).at(-1)
  const applied = Object.values(boundaries).findLast((one) => one.boundary !== undefined)?.boundary
  return {
    ...reflects(state, freshness),
    permission: {
      policy_version: policy?.version ?? judged?.explained?.policy_version ?? "unknown",
      mode: policy === undefined || policy.mode === "unknown" ? usual : policy.mode,
      last_verdict: judged?.verdict ?? "unknown",
    },
    pending_approvals: pendingRequests(state).filter(
      (request) => request.kind === "permission" || approvals.has(request.type),
    ),
    sandbox: {
      profile: applied?.profile ?? "unknown",
      in_force: applied?.in_force ?? "unknown",
      network: applied?.network ?? "unknown",
    },
    violations: Object.values(boundaries).flatMap((one) => one.violations),
  }
}
