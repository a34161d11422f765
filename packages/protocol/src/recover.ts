import type { SideEffect } from "./action.ts"
import { Id } from "./declaration/fields.ts"
import { isRaw, type Raw, textOf } from "./declaration/raw.ts"
import type { Executor } from "./executor.ts"
import { issue, type ProtocolIssue } from "./issues.ts"
import { joined, jsonPath, readJson } from "./json.ts"
import { type Limits, limitsOf } from "./limits.ts"
import type { MessageCall, Setup } from "./message.ts"
import { parseReference } from "./references.ts"
import type { WrittenCall } from "./text-calls.ts"

/** What is asked for instead of a call that leaves a doubt. */
export const outright = "Make one AgentProtocolOutput call that says it outright."
const risky: ReadonlySet<SideEffect> = new Set(["delete", "purchase", "publish"])
/** Names under which models are used to hand work to an agent. */
const delegations: ReadonlySet<string> = new Set(["task", "delegate"])

/** The small form of direct calls, with every doubt about them. One doubt is enough to run none. */
export type Recovered = { value: Raw; issues: readonly ProtocolIssue[] }
type Wanted = WrittenCall & { id?: string }

export function recoverCalls(calls: readonly MessageCall[], setup: Setup): Recovered {
  const { declaration: size, depth } = limitsOf(setup.limits)
  const issues: ProtocolIssue[] = []
  const wanted = calls.map((call, index): Wanted => {
    const read = readJson(call.arguments, { size, depth })
    const at = `calls[${index}].args`
    if (!read.ok) issues.push(...read.issues.map((found) => ({ ...found, path: joined(at, found.path) })))
    else if (!isRaw(read.value)) issues.push(uncertain(at, "The arguments are not an object."))
    return { id: call.id, name: call.name, args: read.ok && isRaw(read.value) ? read.value : {} }
  })
  const recovered = recoverWanted(wanted, setup)
  return { value: recovered.value, issues: [...issues, ...recovered.issues] }
}

/** Of a call in a text it is not known whether it was meant or shown, so it may change nothing. */
export const recoverWritten = (call: WrittenCall, setup: Setup): Recovered =>
  recoverWanted([call], setup, (effect) => effect !== "read")

function recoverWanted(
  wanted: readonly Wanted[],
  setup: Setup,
  doubtful = (effect: SideEffect) => risky.has(effect),
): Recovered {
  const issues: ProtocolIssue[] = []
  if (setup.recover === false) issues.push(uncertain("calls", "Direct calls are not recovered here."))
  const taken = new Set<string>()
  const ids = new Set(wanted.flatMap(({ id }) => id ?? []))
  const calls = wanted.map((given, index) => {
    const at = `calls[${index}]`
    const { name, type, args } = delegated(given, setup.executors)
    const matching = setup.executors.filter(
      (executor) =>
        executor.name === name && (type === undefined ? isCallable(executor) : executor.type === type),
    )
    const [executor, second] = matching
    if (second !== undefined)
      issues.push(uncertain(`${at}.name`, `${JSON.stringify(name)} names two executors.`))
    if (executor !== undefined) issues.push(...effectDoubts(executor, at, doubtful))
    issues.push(...dependencyDoubts(args, at, ids))
    const id = idOf(given.id, index, taken)
    return { id, type: executor?.type ?? type ?? "tool", name, args }
  })
  return { value: { kind: "act", calls }, issues }
}

/** Whether the model may be asked once more, after so many refused outputs in a row. */
export const mayAskAgain = (refused: number, limits?: Partial<Limits>): boolean =>
  refused < limitsOf(limits).refusals

const isCallable = ({ type }: Executor) => type === "tool" || type === "agent"

/** A call such as `task({ agent: "reviewer", … })`, unless a tool has that name. */
function delegated(call: Wanted, executors: readonly Executor[]): Wanted {
  const { agent, ...args } = call.args
  const target = textOf(agent)
  if (target === undefined || !delegations.has(call.name) || executors.some(({ name }) => name === call.name))
    return call
  return { name: target, type: "agent", args }
}

function effectDoubts(
  { name, side_effects }: Executor,
  at: string,
  doubtful: (effect: SideEffect) => boolean,
): ProtocolIssue[] {
  if (side_effects === undefined) return [uncertain(at, `What ${name} changes is not known.`)]
  const found = side_effects.filter(doubtful)
  return found.length === 0 ? [] : [uncertain(at, `${name} may ${found.join(", ")}.`)]
}

/** Direct calls have no way to say what they wait for, so an argument that points elsewhere is a doubt. */
function dependencyDoubts(args: Raw, at: string, ids: ReadonlySet<string>): ProtocolIssue[] {
  return Object.entries(args).flatMap(([key, value]) => {
    if (key === "depends" || key === "depends_on" || (typeof value === "string" && points(value)))
      return [
        uncertain(joined(`${at}.args`, jsonPath([key])), "This argument seems to wait for another call."),
      ]
    return []
  })

  function points(text: string): boolean {
    if (ids.has(text) || /^\s*(\{\{[^{}]*\}\}|\$\{[^{}]*\})\s*$/.test(text)) return true
    const parsed = parseReference(text, "")
    return parsed.ok && (parsed.value.kind === "action" || parsed.value.kind === "md")
  }
}

function idOf(id: string | undefined, index: number, taken: Set<string>): string {
  let chosen = Id.safeParse(id).data ?? `call_${index + 1}`
  for (let next = index + 1; taken.has(chosen); next++) chosen = `call_${next}`
  taken.add(chosen)
  return chosen
}

const uncertain = (path: string, message: string) => issue("uncertain", path, message, outright)
