import type { CatalogTool, RuntimeEvent } from "@factum/facts"
import { speaksOf } from "./policy/match.ts"
import type { Mode, Policy, Rule } from "./policy/types.ts"
import type { Tool } from "./ports/tool.ts"
import { fits } from "./wildcard.ts"

export type CatalogPayload = Extract<RuntimeEvent, { type: "tool.catalog.resolved" }>["payload"]

/** Names or patterns of tools; without them there is no restriction. */
type Restricted = { name: string; tools?: readonly string[] }

export type CatalogScope = {
  /** Who asks, with what it may use at most. */
  caller: Restricted
  policy: Policy
  mode: Mode
  agent?: Restricted
  /** Where the work is done. A tool that needs a capability which is lacking there is withheld. */
  context?: { name: string; lacks?: readonly string[] }
  /** Whether a person may end plan mode in the middle: then each call is judged, and nothing is withheld for it. */
  plan_ends?: boolean
  /** Tools that are known and cannot be reached, or whose server did not start. */
  unavailable?: readonly UnavailableTool[]
}

export type UnavailableTool = { name: string; owner: string; description?: string; reason: string }

/** The tools of a turn. What is withheld is listed with the reason, so that nobody has to guess. */
export function catalogOf(tools: readonly Tool[], scope: CatalogScope): CatalogPayload {
  const listed: CatalogTool[] = []
  const taken = new Map<string, string>()
  for (const tool of tools) {
    const owner = taken.get(tool.name)
    const reason = owner === undefined ? withheld(tool, scope) : `A tool of ${owner} has the same name.`
    if (owner === undefined) taken.set(tool.name, tool.owner)
    listed.push(reason === undefined ? offered(tool) : { ...named(tool), available: false, reason })
  }
  for (const { name, owner, description, reason } of scope.unavailable ?? []) {
    if (taken.has(name)) continue
    taken.set(name, owner)
    listed.push({ name, owner, ...(description ? { description } : {}), available: false, reason })
  }
  const payload: CatalogPayload = {
    caller: scope.caller.name,
    policy_version: scope.policy.version,
    mode: scope.mode,
    tools: listed.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  }
  if (scope.context !== undefined) payload.context = scope.context.name
  return payload
}

function named({ name, description, owner, effect }: Tool) {
  return { name, description, owner, effect }
}

function offered(tool: Tool): CatalogTool {
  return { ...named(tool), input_schema: { ...tool.input_schema }, available: true }
}

function withheld(
  tool: Tool,
  { caller, agent, policy, mode, plan_ends, context }: CatalogScope,
): string | undefined {
  for (const who of agent === undefined ? [caller] : [caller, agent]) {
    if (who.tools !== undefined && !who.tools.some((pattern) => fits(pattern, tool.name))) {
      return `Not among the tools of ${who.name}.`
    }
  }
  const denied = policy.rules.find((rule) => deniesAll(rule, tool))
  if (denied !== undefined)
    return `Denied by a rule of the ${denied.layer}${denied.note ? `: ${denied.note}` : "."}`
  if (mode === "plan" && plan_ends !== true && writes(tool)) return "In plan mode nothing is changed."
  const lacking = tool.capabilities.find((capability) => context?.lacks?.includes(capability))
  if (lacking !== undefined) return `The context ${context?.name} has no ${lacking}.`
}

/** A rule that looks at the arguments is judged at the call. */
function deniesAll({ effect, tool: pattern, match }: Rule, tool: Tool): boolean {
  return effect === "deny" && (match === undefined || match === "*") && speaksOf(pattern, tool.name)
}

/** A tool whose second execution would change something also changes something the first time. */
export function writes(tool: Pick<Tool, "effect" | "side_effects">): boolean {
  return tool.effect !== "none" || tool.side_effects.some((effect) => effect !== "read")
}
