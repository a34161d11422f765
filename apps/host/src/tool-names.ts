import { builtinNames } from "@factum/runtime/tools"
import type { Config } from "./config/index.ts"

/** What agents have beside the tools that are given to them. */
const ownNames = ["delegate", "runtime", "ask_user", "review_plan"]

/** Every tool that has a name before any server runs. */
export const toolNames = ({ pipelines, services }: Config): readonly string[] => [
  ...builtinNames,
  ...ownNames,
  ...Object.keys(pipelines),
  ...Object.keys(services),
]

/** The tools of a server are known only once it runs. */
export function mayBeServed(pattern: string, { mcp }: Config): boolean {
  const [first = "", ...rest] = pattern.split("*")
  return mcp.some(({ name }) => {
    const prefix = `${name}__`
    return pattern.startsWith(prefix) || (rest.length > 0 && prefix.startsWith(first))
  })
}
