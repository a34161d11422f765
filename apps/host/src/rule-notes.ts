import { speaksOfAny } from "@factum/runtime"
import type { Config } from "./config/index.ts"
import { nearest } from "./config/problem.ts"
import { mayBeServed, toolNames } from "./tool-names.ts"

/** Rules that say nothing, because no tool has a name that they match. */
export function idleRules(config: Config): string[] {
  const names = toolNames(config)
  const rules = [...config.rules, ...config.agents.flatMap((agent) => agent.rules)]
  return rules.flatMap(({ effect, tool }) => {
    if (speaksOfAny(tool, names) || mayBeServed(tool, config)) return []
    const like = nearest(tool, names) ?? names.find((name) => name.startsWith(`${tool}_`))
    const fix = like === undefined ? "factum tools lists those that there are." : `Did you mean "${like}"?`
    return [`The rule ${effect} "${tool}" says nothing: no tool is called so. ${fix}`]
  })
}
