import { spawnSync } from "node:child_process"
import { type Figure, figure } from "./measure.ts"

/** In a process of its own, so that nothing else is counted. */
export function idle(): Figure[] {
  const script = new URL("./idle-child.ts", import.meta.url).pathname
  const child = spawnSync(process.execPath, ["--expose-gc", script], { encoding: "utf8", timeout: 600_000 })
  if (child.status !== 0) throw new Error(child.stderr)
  const { resident, heap } = JSON.parse(child.stdout) as { resident: number; heap: number }
  return [
    figure("200 idle sessions, resident memory", "MB", resident, "limit", 20, { at_most: 1 }),
    figure("200 idle sessions, heap and buffers", "MB", heap, "limit", 20, { at_most: 1 }),
  ]
}
