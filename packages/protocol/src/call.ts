import type { Action, Origin } from "./action.ts"
import type { Declaration } from "./declaration/normalized.ts"
import { codeSpan, cut, fenced, jsonText, oneLine } from "./escape.ts"
import type { Telling } from "./history.ts"
import type { ToldAction } from "./record.ts"
import type { RunRecord } from "./run.ts"

/** The section that says what was asked: of a carrier's call with its arguments, of a full action with its operation. */
export function call(run: RunRecord, told: ToldAction, telling: Telling, at: number): string[] {
  const heading = `### Call ${oneLine(told.id)}`
  const { action } = told
  if (action === undefined)
    return [heading, beside(run.declaration, at - run.graph.actions.length).join("\n")]
  const { executor, depends_on } = action
  const carrier = isCarrierCall(action) ? executor : undefined
  const lines: string[] = []
  if (carrier !== undefined)
    lines.push(`${carrier.type === "tool" ? "Tool" : "Agent"}: ${codeSpan(carrier.target)}`)
  else {
    lines.push(
      `Executor: ${codeSpan(executor === undefined ? "auto" : `${executor.type}:${executor.target}`)}`,
    )
    if (action.operation !== undefined) lines.push(`Operation: ${codeSpan(action.operation)}`)
  }
  if (depends_on.length > 0) lines.push(`Depends: ${depends_on.map(codeSpan).join(", ")}`)
  // What was written as text can be replayed as it was; of all else this is the only account.
  const described = telling === "summary" || !wasText(run.declaration.origin)
  if (described && action.title !== undefined) lines.push(`Title: ${oneLine(action.title)}`)
  const task = described ? taskOf(run.declaration, action, telling) : ""
  if (task !== "") lines.push(`Task: ${task}`)
  if (task !== "" && action.description !== undefined && action.reason !== undefined)
    lines.push(`Why: ${cut(oneLine(action.reason), taskCharacters)}`)
  const block = telling === "summary" ? [] : args(action, carrier !== undefined, telling)
  return [heading, lines.join("\n"), ...block]
}

function args(action: Action, carrier: boolean, telling: Telling): string[] {
  const { executor, input } = action
  if (carrier && executor !== undefined) {
    const command = `${executor.type} ${oneLine(executor.target)}`
    return [fenced("shell", `${command} <<'JSON'\n${jsonText(input)}\nJSON`)]
  }
  // The exact declaration above has it already.
  if (telling === "exact" || Object.keys(input).length === 0) return []
  return [fenced("json", jsonText(input))]
}

/** What is answered without an action: the references of an expansion, in order, or a report. */
function beside(declaration: Declaration, at: number): string[] {
  if (declaration.intent !== "expand_ref") return [`Operation: ${codeSpan(declaration.intent)}`]
  const asked = declaration.refs[at]
  return [
    "Operation: `expand_reference`",
    ...(asked === undefined ? [] : [`Reference: ${oneLine(asked.ref)}`]),
    ...(asked?.reason === undefined ? [] : [`Reason: ${oneLine(asked.reason)}`]),
  ]
}

const carriers: readonly Origin[] = ["native", "recovered_call", "recovered_text", "items"]

/** A full action that came through the carrier has an operation, and is shown as what it is. */
function isCarrierCall({ origin, executor, operation }: Action): boolean {
  return (
    carriers.includes(origin) &&
    operation === undefined &&
    (executor?.type === "tool" || executor?.type === "agent")
  )
}

/** Whether the model wrote this as text of its message, and not as the arguments of a native call. */
export const wasText = (origin: Origin | undefined): boolean => origin === "dsl"

const taskCharacters = 240

/** Enough to understand the action without its declaration. */
function taskOf({ sections }: Declaration, action: Action, telling: Telling): string {
  const prompt = sections.find(({ id }) => `md:${id}` === action.prompt_ref?.toLowerCase())
  const input = telling === "summary" ? inputLine(action.input) : ""
  return cut(oneLine(action.description ?? action.reason ?? prompt?.text ?? input), taskCharacters)
}

const inputLine = (input: Action["input"]): string =>
  Object.entries(input)
    .map(([name, value]) => `${name} ${typeof value === "object" ? "(…)" : String(value)}`)
    .join(", ")

/** The model's title, else its short message, else what its actions are called. */
export function purpose({ declaration, graph }: RunRecord): string {
  const said = declaration.title ?? graph.title ?? declaration.note
  const line = oneLine(said ?? graph.actions.map(({ title, id }) => title ?? id).join(", "))
  return cut(line === "" ? declaration.intent : line, taskCharacters)
}

export const declarationRef = ({ run_id }: RunRecord): string => `runtime://${run_id}/declaration`
