import type { Action } from "./action.ts"
import type { Authority, Executor } from "./executor.ts"
import { type Checked, type IssueCode, issue, refuse } from "./issues.ts"

export type SelectionPolicy = {
  /** Why an executor may not be used now, by its name. */
  barred?: Readonly<Record<string, string>>
  /** Whether another executor may stand in for a named one that cannot be used. */
  substitutes?: boolean
}

export type Selection = {
  chosen: Executor
  /** `type:target` as asked for, or `auto` when nothing was said. */
  requested: string
  reason: string
  /** Every executor that was looked at, with what was found. */
  considered: readonly { name: string; verdict: string }[]
}

/** The same question always gives the same answer, and the answer says why. */
export function selectExecutor(
  action: Action,
  executors: readonly Executor[],
  authority: Authority,
  policy: SelectionPolicy = {},
): Checked<Selection> {
  const request = action.executor
  const requested = request === undefined ? "auto" : `${request.type}:${request.target}`
  const path = "executor"
  if (request !== undefined && request.target !== "auto") return named(request.target)
  return chooseAmong(request?.capabilities ?? [], "")

  function named(target: string): Checked<Selection> {
    const named = executors.filter(({ name }) => name === target)
    const found = named.find(({ type }) => type === request?.type) ?? named[0]
    if (found === undefined)
      return no("unknown_executor", `No executor is named ${target}.`, "Name a listed executor, or auto.")
    if (found.type !== request?.type)
      return no(
        "executor_mismatch",
        `${target} is of type ${found.type}, not ${request?.type}.`,
        `Use type ${found.type}.`,
      )
    if (found.can_execute === false)
      return no("not_executable", `${target} cannot execute actions.`, "Name another executor, or auto.")
    const fault = unusable(found)
    if (fault === undefined) {
      const verdict = "chosen: asked for by name"
      return yes(found, "It was asked for by name.", [{ name: found.name, verdict }])
    }
    if (policy.substitutes === true && fault.code === "no_executor") {
      const wanted = request.capabilities.length > 0 ? request.capabilities : found.capabilities
      return chooseAmong(wanted, `${target} ${fault.why}. `)
    }
    return no(fault.code, `${target} ${fault.why}.`, "Name another executor, or auto.")
  }

  function chooseAmong(wanted: readonly string[], because: string): Checked<Selection> {
    const pool = executors.filter(
      ({ type, can_execute }) => (request === undefined || type === request.type) && can_execute !== false,
    )
    const task = words(taskOf(action))
    const considered: { name: string; verdict: string }[] = []
    const fit: { executor: Executor; score: number; cost: number }[] = []
    for (const executor of pool) {
      const missing = wanted.filter((capability) => !executor.capabilities.includes(capability))
      const fault = unusable(executor)
      if (missing.length > 0) considered.push({ name: executor.name, verdict: `lacks ${missing.join(", ")}` })
      else if (fault !== undefined) considered.push({ name: executor.name, verdict: fault.why })
      else {
        const offered = words([executor.name, executor.description, ...executor.capabilities].join(" "))
        const score = [...task].filter((word) => offered.has(word)).length
        fit.push({ executor, score, cost: executor.cost ?? 0 })
      }
    }
    fit.sort((a, b) => b.score - a.score || a.cost - b.cost || (a.executor.name < b.executor.name ? -1 : 1))
    const [best, second] = fit
    if (best === undefined) return none(pool, wanted, considered, because)
    const verdict = (score: number, cost: number): string =>
      `matches ${score} words of the task, costs ${cost}`
    for (const { executor, score, cost } of fit)
      considered.push({ name: executor.name, verdict: verdict(score, cost) })
    return yes(best.executor, because + whyBest(best, second), considered)
  }

  function none(
    pool: readonly Executor[],
    wanted: readonly string[],
    considered: readonly { name: string; verdict: string }[],
    because: string,
  ): Checked<Selection> {
    const gaps = pool.map(({ capabilities }) => wanted.filter((c) => !capabilities.includes(c)))
    const unmet = gaps.reduce((least, gap) => (gap.length < least.length ? gap : least), wanted)
    const lacking = unmet.length === 0 ? "" : ` Unmet: ${unmet.join(", ")}.`
    const seen = considered.map(({ name, verdict }) => ` ${name} ${verdict}.`).join("")
    return no(
      "no_executor",
      `${because}No executor fits ${requested}.${lacking}${seen}`,
      "Ask for capabilities that a listed executor has.",
    )
  }

  function unusable(executor: Executor): { code: "not_permitted" | "no_executor"; why: string } | undefined {
    if (!mayUse(executor, authority))
      return { code: "not_permitted", why: `may not be used by ${authority.agent}` }
    if (executor.available === false) return { code: "no_executor", why: "is unavailable" }
    const bar = policy.barred
    if (bar !== undefined && Object.hasOwn(bar, executor.name))
      return { code: "no_executor", why: `is barred: ${bar[executor.name]}` }
  }

  function yes(chosen: Executor, reason: string, considered: Selection["considered"]): Checked<Selection> {
    return { ok: true, value: { chosen, requested, reason, considered } }
  }

  function no(code: IssueCode, message: string, fix: string): Checked<Selection> {
    return refuse(issue(code, path, message, fix))
  }
}

type Ranked = { executor: Executor; score: number; cost: number }

function whyBest(best: Ranked, second: Ranked | undefined): string {
  const { name } = best.executor
  if (second === undefined) return `${name} is the only one that fits.`
  if (best.score > second.score) return `${name} matches the task best.`
  if (best.cost < second.cost) return `${name} costs least among equal matches.`
  return `${name} comes first by name among equals.`
}

/** What an enabled agent is shown of the registry: only what it may use. */
export function listExecutors(
  executors: readonly Executor[],
  authority: Authority,
): readonly Pick<Executor, "name" | "type" | "description" | "capabilities" | "can_execute">[] {
  if (!authority.enabled) return []
  return executors
    .filter((executor) => mayUse(executor, authority))
    .map(({ name, type, description, capabilities, can_execute }) => ({
      name,
      type,
      description,
      capabilities,
      ...(can_execute === undefined ? {} : { can_execute }),
    }))
}

export const mayUse = (executor: Pick<Executor, "name">, authority: Authority): boolean =>
  authority.executors?.includes(executor.name) ?? true

function taskOf({ title, description, operation, input }: Action): string {
  const told = Object.hasOwn(input, "description") ? input.description : undefined
  return [title, description, operation, typeof told === "string" ? told : ""].join(" ")
}

const words = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
