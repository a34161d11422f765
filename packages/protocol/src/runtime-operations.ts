import type { Action } from "./action.ts"
import { issue, type ProtocolIssue } from "./issues.ts"

/** What the runtime itself does when it is asked to execute an action. */
export const runtimeOperations = ["wait", "merge", "checkpoint", "summarize", "expand_references"] as const
export type RuntimeOperation = (typeof runtimeOperations)[number]

export function runtimeOperation({ operation }: Pick<Action, "operation">): RuntimeOperation | undefined {
  const name = operation === "expand_reference" ? "expand_references" : operation
  return runtimeOperations.find((known) => known === name)
}

export function checkOperation(action: Action, path: string): ProtocolIssue[] {
  if (action.executor?.type !== "runtime" || runtimeOperation(action) !== undefined) return []
  const message = `The runtime does not offer ${JSON.stringify(action.operation ?? "")}.`
  return [issue("unknown_operation", path, message, `Use ${runtimeOperations.join(", ")}.`)]
}
