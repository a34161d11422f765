import { fits, type HookPoint } from "@factum/runtime"
import { builtinNames } from "@factum/runtime/tools"
import type { Config } from "./config/index.ts"
import { nearest } from "./config/problem.ts"

/** At these a hook is matched with the name of a tool. */
const atTools: ReadonlySet<HookPoint> = new Set(["before_tool", "after_tool"])
/** What agents have beside the tools that are given to them. */
const ownNames = ["delegate", "runtime", "ask_user", "review_plan"]

/** Hooks that can never run, because no tool has a name that they match. */
export function idleHooks({ hooks, pipelines, services, mcp }: Config): string[] {
  const names = [...builtinNames, ...ownNames, ...Object.keys(pipelines), ...Object.keys(services)]
  return hooks.flatMap(({ name, on, match }) => {
    if (match === undefined || !atTools.has(on)) return []
    const [first = "", ...rest] = match.split("*")
    if (names.some((tool) => fits(match, tool))) return []
    // The tools of a server are known only once it runs.
    const served = mcp.some((server) => {
      const prefix = `${server.name}__`
      return match.startsWith(prefix) || (rest.length > 0 && prefix.startsWith(first))
    })
    if (served) return []
    const like = nearest(match, names) ?? names.find((tool) => tool.startsWith(`${match}_`))
    const fix = like === undefined ? "factum tools lists those that there are." : `Did you mean "${like}"?`
    return [`The hook "${name}" never runs: no tool is called "${match}". ${fix}`]
  })
}
