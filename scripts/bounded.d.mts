import type { SpawnOptions } from "node:child_process"

export function runBounded(
  program: string,
  args: readonly string[],
  options: SpawnOptions & { limitMs: number; graceMs?: number; say?: (text: string) => void },
): Promise<boolean>
