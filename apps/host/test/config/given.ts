import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { onTestFinished } from "vitest"
import { loadConfig } from "../../src/config/index.ts"

type Files = Record<string, string>

/** Loads from real folders; the files of problems are named from these. */
export function load(files: { user?: Files; project?: Files }, more: Parameters<typeof loadConfig>[2] = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "config-")))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const layer of ["user", "project"] as const) {
    mkdirSync(join(root, layer))
    for (const [name, text] of Object.entries(files[layer] ?? {})) {
      mkdirSync(dirname(join(root, layer, name)), { recursive: true })
      writeFileSync(join(root, layer, name), text)
    }
  }
  const loaded = loadConfig(join(root, "project"), join(root, "user"), { env: {}, trusted: true, ...more })
  const problems = loaded.problems.map((one) => ({ ...one, file: relative(root, one.file) }))
  return { ...loaded, problems, root }
}

export const json = (value: unknown) => JSON.stringify(value, null, 2)
