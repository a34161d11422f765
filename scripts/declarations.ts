import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"

const root = new URL("..", import.meta.url).pathname
const specifier = /((?:from|import)\s*\(?\s*)"([^"]+)"/g

/**
 * Writes the declarations of these sources, and of all of ours that they name, with the layout of the sources.
 * Gives the packages of others that are named there.
 */
export function writeDeclarations(sources: readonly string[], out: string): Set<string> {
  const made = mkdtempSync(join(root, "node_modules", ".declarations-"))
  const foreign = new Set<string>()
  try {
    const all = emitted(sources, made)
    // What nobody can come to is left out: the compiler looks into more files than it needs.
    const needed = new Set(sources.map(declared))
    for (const path of needed) {
      const text = all.get(path)
      if (text === undefined) throw new Error(`${path} was not declared.`)
      const target = join(out, path)
      mkdirSync(dirname(target), { recursive: true })
      const written = text.replaceAll(specifier, (whole, before: string, name: string) => {
        const source = name.startsWith(".") ? join(dirname(path), name) : known.get(name)
        if (source === undefined) {
          foreign.add(name)
          return whole
        }
        needed.add(declared(source))
        return `${before}"${toSource(path, source).replace(/\.tsx?$/, ".js")}"`
      })
      writeFileSync(target, written)
    }
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  return foreign
}

const declared = (source: string): string => source.replace(/\.tsx?$/, ".d.ts")

/** The compiler leaves out what it finds through node_modules, so our packages are told to it as paths. */
function emitted(sources: readonly string[], made: string): Map<string, string> {
  const config = join(made, "tsconfig.json")
  const outDir = join(made, "out")
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir,
    paths: Object.fromEntries([...packages()].map(([name, path]) => [name, [join(root, path)]])),
  }
  const files = sources.map((path) => join(root, path))
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }),
  )
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, "-p", config], {
    encoding: "utf8",
    timeout: 300_000,
  })
  if (status !== 0) throw new Error(`The declarations were not written:\n${stdout}${stderr}`)
  const paths = readdirSync(outDir, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".d.ts"),
  )
  return new Map(paths.map((path) => [path, readFileSync(join(outDir, path), "utf8")]))
}

/** Where the sources of each of our entries lie, by the name that others import. */
function packages(): Map<string, string> {
  const entries = readdirSync(join(root, "packages")).flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"))
    const exported: [string, string][] = Object.entries(manifest.exports ?? {})
    return exported.map(([name, path]): [string, string] => [
      join(manifest.name, name),
      join("packages", folder, path),
    ])
  })
  return new Map(entries)
}

const known = packages()

function toSource(path: string, source: string): string {
  const way = relative(dirname(path), source).split(sep).join("/")
  return way.startsWith(".") ? way : `./${way}`
}
