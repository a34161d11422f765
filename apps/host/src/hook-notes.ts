import { fits, type HookPoint } from "@factum/runtime"
import type { Config } from "./config/index.ts"
import { nearest } from "./config/problem.ts"
import { mayBeServed, toolNames } from "./tool-names.ts"

/** At these a hook is matched with the name of a tool. */
const atTools: ReadonlySet<HookPoint> = new Set(["before_tool", "after_tool"])

/** Hooks that can never run, because no tool has a name that they match. */
export function idleHooks(config: Config): string[] {
  const names = toolNames(config)
  return config.hooks.flatMap(({ name, on, match }) => {
    if (match === undefined || !atTools.has(on)) return []
    if (names.some((tool) => fits(match, tool)) || mayBeServed(match, config)) return []
    const like = nearest(match, names) ?? names.find((tool) => tool.startsWith(`${match}_`))
    const fix = like === undefined ? "factum tools lists those that there are." : `Did you mean "${like}"?`
    return [`The hook "${name}" never runs: no tool is called "${match}". ${fix}`]
  })
}
