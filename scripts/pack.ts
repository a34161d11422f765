import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { rolldown } from "rolldown"
import { writeDeclarations } from "./declarations.ts"
import { buildWorkbench } from "./workbench.mjs"

const root = new URL("..", import.meta.url).pathname
const out = resolve(process.argv[2] ?? join(root, "dist"))
const folder = join(out, "package")
const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))

/** Native code cannot be bundled; it is brought by npm. */
const external = ["@lydell/node-pty"]
/** What programs import: the host inside of them, and a client of one that runs elsewhere, also in a page. */
const entries = { ".": "apps/host/src/embed/index.ts", "./client": "packages/client/src/index.ts" }
/** Packages that declarations name, whose versions are those of our sources. */
const declared = new Map([["zod", "packages/facts/package.json"]])

if (!buildWorkbench(process.execPath)) throw new Error("The workbench was not built; see above.")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await bundle()
await bundleClient()
const foreign = writeDeclarations(Object.values(entries), join(folder, "types"))
copyFiles()
writeManifest()
pack()

/** The layout of apps/, so that what is found beside a module is found there too. */
async function bundle(): Promise<void> {
  const build = await rolldown({
    input: {
      main: join(root, "apps/host/src/main.ts"),
      index: join(root, entries["."]),
      // Runs in a thread of its own, so that it is a file of its own.
      writer: join(root, "packages/runtime/src/adapters/sqlite/writer.ts"),
    },
    platform: "node",
    // A package whose main file picks its parts by a require of its own cannot be followed.
    resolve: { mainFields: ["module", "main"] },
    external,
    plugins: [
      {
        name: "writer as JavaScript",
        transform: (code, id) =>
          id.endsWith("sqlite/thread.ts") ? code.replace('"./writer.ts"', '"./writer.js"') : undefined,
      },
    ],
  })
  await build.write({
    dir: join(folder, "host/src"),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    minify: false,
  })
}

/** Apart from the host's, so that nothing of Node comes into a page with it. */
async function bundleClient(): Promise<void> {
  const build = await rolldown({ input: join(root, entries["./client"]), platform: "browser" })
  await build.write({ file: join(folder, "client/index.js"), format: "esm", minify: false })
}

function copyFiles(): void {
  cpSync(join(root, "apps/host/demo"), join(folder, "host/demo"), { recursive: true })
  cpSync(join(root, "apps/host/schema"), join(folder, "host/schema"), { recursive: true })
  cpSync(join(root, "apps/workbench/dist"), join(folder, "workbench/dist"), { recursive: true })
  cpSync(join(root, "scripts/factum.mjs"), join(folder, "factum.mjs"))
  chmodSync(join(folder, "factum.mjs"), 0o755)
  for (const name of ["README.md", "LICENSE"]) cpSync(join(root, name), join(folder, name))
}

function writeManifest(): void {
  const { version, description, license, optionalDependencies } = read("package.json")
  const require = createRequire(join(root, "packages/runtime/package.json"))
  const versionOf = (name: string) =>
    read(join(dirname(require.resolve(`${name}/package.json`)), "package.json").slice(root.length)).version
  const manifest = {
    name: "factum",
    version,
    description,
    license,
    type: "module",
    bin: { factum: "./factum.mjs" },
    exports: {
      ".": { types: typesOf(entries["."]), default: "./host/src/index.js" },
      "./client": { types: typesOf(entries["./client"]), default: "./client/index.js" },
    },
    engines: { node: ">=20" },
    dependencies: {
      ...Object.fromEntries(external.map((name) => [name, versionOf(name)])),
      ...Object.fromEntries(
        [...new Set([...foreign].map(packageOf))].map((name) => [name, declaredVersion(name)]),
      ),
    },
    // A Node that is new enough, for machines whose own is not.
    optionalDependencies,
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

function typesOf(source: string): string {
  return `./types/${source.replace(/\.ts$/, ".d.ts")}`
}

function packageOf(name: string): string {
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/")
}

/** A reader of the declarations needs what they name, and nothing that nobody knows of. */
function declaredVersion(name: string): string {
  const manifest = declared.get(name)
  if (manifest === undefined)
    throw new Error(`The declarations name ${name}; say in pack.ts whose version that is.`)
  return read(manifest).dependencies[name]
}

function pack(): void {
  const args = ["pack", folder, "--pack-destination", out, "--silent"]
  const npm = spawnSync("npm", args, { encoding: "utf8", timeout: 300_000 })
  if (npm.status !== 0) throw new Error(npm.stderr)
  console.log(join(out, npm.stdout.trim()))
}
