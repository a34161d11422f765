import {
  type Explanation,
  isSecret,
  looksOnly,
  mayTell,
  type Part,
  type Policy,
  type Where,
} from "../policy/index.ts"
import type { Boundary, ToolRun } from "../ports/tool.ts"

/** What an allowed call is given: these paths and no others, and a boundary no wider than what was judged. */
export type Allowed = Required<Pick<ToolRun, "granted" | "mayRead" | "boundary">>

export function allowedRun(
  { policy, where, parts, tool }: { policy: Policy; where: Where; parts: readonly Part[]; tool: string },
  explained: Explanation,
  paths: readonly string[],
  boundary: Boundary,
): Allowed {
  const judged = paths.some((path) => isSecret(path, where))
  const mayRead = (path: string): boolean =>
    mayTell(path, { rules: policy.rules, tool, where, parts }) &&
    (judged || policy.mode === "full" || !isSecret(path, where))
  const looks = policy.mode === "plan" || looksOnly(policy.mode, parts, explained)
  return { granted: paths, mayRead, boundary: looks ? narrowed(boundary) : boundary }
}

/** Should a command that is taken as looking do more, it cannot. Who wants no sandbox at all has none. */
function narrowed(boundary: Boundary): Boundary {
  const none = boundary.profile === "full" && boundary.network === "all"
  return none ? boundary : { profile: "read_only", network: "none" }
}
