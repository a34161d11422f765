import type { Action, ExecutorRequest } from "./action.ts"
import type { Registry, Where } from "./check.ts"
import type { Executor } from "./executor.ts"
import { type IssueCode, issue, type ProtocolIssue } from "./issues.ts"
import { joined } from "./json.ts"
import { checkOperation } from "./runtime-operations.ts"
import { mayUse } from "./select.ts"

/** A named executor must exist, be of the stated type, be executable and be allowed; its input must fit. */
export function checkExecutor(action: Action, registry: Registry, where: Where): ProtocolIssue[] {
  const request = action.executor
  if (request === undefined) return []
  const operation = checkOperation(action, where("operation"))
  if (request.target === "auto") return operation
  const named = registry.executors.filter(({ name }) => name === request.target)
  const executor = named.find(({ type }) => type === request.type)
  if (executor === undefined) return [missing(request, named, where)]
  if (executor.can_execute === false) return [problem("not_executable", "cannot be executed", request, where)]
  if (!mayUse(executor, registry.authority))
    return [problem("not_permitted", "is not permitted to this agent", request, where)]
  return [...operation, ...checkInput(action, executor, where)]
}

function missing(request: ExecutorRequest, named: readonly Executor[], where: Where): ProtocolIssue {
  const [other] = named
  if (other === undefined) return problem("unknown_executor", "is not registered", request, where)
  return problem("executor_mismatch", `is of type ${other.type}, not ${request.type}`, request, where)
}

function problem(code: IssueCode, what: string, request: ExecutorRequest, where: Where): ProtocolIssue {
  const message = `${JSON.stringify(request.target.slice(0, 80))} ${what}.`
  const fix = `Give the exact name of an executor of type ${request.type} from the list of executors.`
  return issue(code, where("executor.target"), message, fix)
}

export function checkInput(action: Action, executor: Executor, where: Where): ProtocolIssue[] {
  const fix = `Give what ${executor.name} takes.`
  return inputProblems(executor, action.input).map(({ path, message }) =>
    issue("invalid_input", where(joined("input", path)), `${action.id}: ${message}`, fix),
  )
}

/** A checker belongs to its executor, so it may do anything; the answer to a broken one is no. */
function inputProblems(
  executor: Executor,
  input: Action["input"],
): readonly { path: string; message: string }[] {
  try {
    return executor.check?.(input) ?? []
  } catch {
    return [{ path: "", message: `The input of ${executor.name} could not be checked.` }]
  }
}
