// Runs on Node 20: on a fresh machine this is what installs the newer one.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { alone } from "./alone.mjs"
import { isInstalled } from "./installed.mjs"

export const root = fileURLToPath(new URL("..", import.meta.url))
const windows = process.platform === "win32"
const oldestNode = 24

export class Unprepared extends Error {}

/** Installs what is missing and returns the path of a Node that can run Factum. */
export function prepare({ dev = false } = {}) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
  const isReady = () => isInstalled(root, lock, dev) && newNode() !== undefined
  // Looked at again inside: another command may have installed it all in the meantime.
  if (!isReady()) alone(join(root, ".installing"), () => isReady() || install(lock, dev))
  const node = newNode()
  if (node !== undefined) return node
  throw new Unprepared(
    `Factum needs Node ${oldestNode} or newer; found ${process.version}, and npm did not bring the newer one: run npm install with optional dependencies enabled.`,
  )
}

function install(lock, dev) {
  const changed = changedManifests(lock)
  if (changed.length > 0) {
    throw new Unprepared(`package-lock.json does not match ${changed.join(", ")}: run npm install.`)
  }
  // npm ci begins by removing everything, also from under a host that runs: what only lacks something is added to.
  const words = isInstalled(root, lock, false) && dev ? ["install", "--no-save"] : ["ci"]
  console.log(`Installing packages (npm ${words[0]})…`)
  const started = Date.now()
  const kinds = ["--include=optional", dev ? "--include=dev" : "--omit=dev"]
  const result = npm(...words, ...kinds)
  if (result.error)
    throw new Unprepared(`Packages were not installed: npm could not be run (${result.error.message}).`)
  if (result.status !== 0) {
    throw new Unprepared(
      `${result.stderr}\nPackages were not installed: npm ended with ${result.status ?? result.signal}.`,
    )
  }
  console.log(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`)
}

function npm(command, ...options) {
  return spawnSync("npm", [command, "--no-audit", "--no-fund", "--loglevel=error", ...options], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    timeout: 1_800_000,
    shell: windows,
    env: { ...process.env, PATH: pathWithoutModules() },
  })
}

/** The manifests whose dependencies differ from those that the lock was made for. */
function changedManifests(lock) {
  const kinds = ["dependencies", "devDependencies", "optionalDependencies"]
  const wanted = (manifest) =>
    JSON.stringify(kinds.map((kind) => Object.entries(manifest[kind] ?? {}).sort()))
  const own = Object.keys(lock.packages).filter((path) => !path.includes("node_modules/"))
  return own
    .map((path) => ({ path: join(path, "package.json"), locked: lock.packages[path] }))
    .filter(({ path }) => existsSync(join(root, path)))
    .filter(
      ({ path, locked }) => wanted(JSON.parse(readFileSync(join(root, path), "utf8"))) !== wanted(locked),
    )
    .map(({ path }) => path)
}

// npm ci removes node_modules, so npm must not run on the Node inside it.
function pathWithoutModules() {
  const folders = (process.env.PATH ?? "").split(delimiter)
  return folders.filter((folder) => !/node_modules[\\/]\.bin[\\/]?$/.test(folder)).join(delimiter)
}

function newNode() {
  const local = join(root, "node_modules", ".bin", windows ? "node.exe" : "node")
  const found = [local, process.execPath].map((path) => ({ path, version: versionOf(path) }))
  return found.find(({ version }) => major(version) >= oldestNode)?.path
}

function versionOf(path) {
  if (!existsSync(path)) return undefined
  if (realpathSync(path) === realpathSync(process.execPath)) return process.version
  const result = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 30_000 })
  return result.status === 0 ? result.stdout.trim() : undefined
}

const major = (version) => Number(/^v(\d+)\./.exec(version ?? "")?.[1] ?? 0)
