import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** What is mutated, and the tests that must notice. */
export type Area = { files: readonly string[]; tests: readonly string[] }

const execution = ["plan", "runs", "run-state", "tries", "demands", "next-request", "after-request"]

const work = ["call", "calls", "turn", "budget", "allowance", "pipeline", "references"]

export const areas: Readonly<Record<string, Area>> = {
  facts: { files: ["packages/facts/src"], tests: ["packages/facts/test"] },
  protocol: { files: ["packages/protocol/src"], tests: ["packages/protocol/test"] },
  deciders: {
    files: ["packages/runtime/src/control"],
    tests: [
      ...["control", "people", "history", "channels.test.ts", "commands.test.ts", "queue.test.ts"],
      ...["turn.test.ts", "recovery.test.ts"],
    ].map((name) => `packages/runtime/test/${name}`),
  },
  policy: {
    files: ["packages/runtime/src/policy", "packages/runtime/src/routing"],
    tests: ["packages/runtime/test/policy", "packages/runtime/test/routing"],
  },
  scheduling: {
    files: [
      "packages/runtime/src/owed.ts",
      ...execution.map((name) => `packages/runtime/src/execution/${name}.ts`),
    ],
    tests: ["control", "loop", "executors", "history", "scenarios"].map(
      (name) => `packages/runtime/test/${name}`,
    ),
  },
  work: {
    files: [
      ...["advance", "driver", "cells"].map((name) => `packages/runtime/src/${name}.ts`),
      ...work.map((name) => `packages/runtime/src/execution/${name}.ts`),
      "packages/runtime/src/delegation",
    ],
    tests: [
      "control",
      "loop",
      "executors",
      "delegation",
      "scenarios",
      "driver.test.ts",
      "recovery.test.ts",
    ].map((name) => `packages/runtime/test/${name}`),
  },
  "agent-ui": { files: ["packages/agent-ui/src"], tests: ["packages/agent-ui/test"] },
}

/** Slow, or about files that are not in the mutated copy. The first proves declarations, which are not mutated. */
export const leftOut = [
  "packages/facts/test/generated/**",
  "packages/protocol/test/**/{fuzz,crash,bundle,readme,endless}*.test.ts",
]

const blockLines = 20

/** A random choice of blocks of code, so that each line of the area has the same chance to be in it. */
export function sample(root: string, { files }: Area, blocks: number, random: () => number): string[] {
  const all = files.flatMap((path) => sources(root, path)).flatMap((path) => blocksOf(root, path))
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const [a, b] = [all[at], all[other]]
    if (a !== undefined && b !== undefined) [all[at], all[other]] = [b, a]
  }
  return all.slice(0, blocks)
}

export function sources(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path)).flatMap((name) =>
    sources(root, `${path}/${name}`).filter((file) => file.endsWith(".ts") || file.endsWith(".tsx")),
  )
}

function blocksOf(root: string, path: string): string[] {
  const lines = readFileSync(join(root, path), "utf8").split("\n").length
  const count = Math.ceil(lines / blockLines)
  return Array.from({ length: count }, (_, n) => `${path}:${n * blockLines + 1}-${(n + 1) * blockLines}`)
}
