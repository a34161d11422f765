import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

const generators = ["packages/facts/scripts/generate.ts", "packages/protocol/scripts/generate.ts"]
// Folders that hold nothing but generated files, so that a leftover is drift too.
const generatedOnly = /(^|\/)(schema|docs\/reference)(\/|$)/

/** One line for each generated file on disk that differs from what the declarations give now. */
export async function drift(root: string): Promise<string[]> {
  const lines = await Promise.all(generators.map((generator) => driftOf(generator, root)))
  return lines.flat()
}

async function driftOf(generator: string, root: string): Promise<string[]> {
  if (!existsSync(join(root, generator))) return [`${generator} is missing.`]
  const module: Record<string, unknown> = await import(pathToFileURL(join(root, generator)).href)
  if (typeof module.generated !== "function") return [`${generator} exports no function "generated".`]
  const files: unknown = await module.generated()
  if (!(files instanceof Map)) return [`generated() of ${generator} gave no Map of path to text.`]
  return differences(files, root)
}

export function differences(files: ReadonlyMap<string, string>, root: string): string[] {
  const lines: string[] = []
  for (const [path, text] of files) {
    const full = join(root, path)
    if (!existsSync(full)) lines.push(`${path} is missing: run npm run generate.`)
    else if (readFileSync(full, "utf8") !== text) lines.push(`${path} is out of date: run npm run generate.`)
  }
  const folders = new Set([...files.keys()].map((path) => dirname(path)).filter((f) => generatedOnly.test(f)))
  for (const folder of [...folders].filter((name) => existsSync(join(root, name)))) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isFile() && !files.has(path)) lines.push(`${path} is no longer generated: delete it.`)
    }
  }
  return lines
}
