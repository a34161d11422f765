import { realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import type { Config } from "./config/index.ts"

/** Files that hooks and servers start or hand to a program: who changes one runs outside of any boundary. */
export function programsOf({ hooks, mcp }: Config, root: string): string[] {
  const words = [
    ...hooks.flatMap((hook) => (hook.kind === "command" ? [hook.command, ...(hook.args ?? [])] : [])),
    ...mcp.flatMap((server) => ("command" in server ? [server.command, ...(server.args ?? [])] : [])),
  ]
  const files = words.map((word) => resolve(root, word)).filter(isFile)
  return [...new Set(files.map((file) => realpathSync(file)))]
}

/** A folder is what a program works on. */
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
