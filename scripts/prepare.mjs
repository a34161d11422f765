// Runs on Node 20: on a fresh machine this is what installs the newer one.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url))
const windows = process.platform === "win32"
const oldestNode = 24

export class Unprepared extends Error {}

/** Installs what is missing and returns the path of a Node that can run Factum. */
export function prepare({ dev = false } = {}) {
  const lock = readFileSync(join(root, "package-lock.json"))
  const digest = createHash("sha256").update(lock).digest("hex")
  const stamp = join(root, "node_modules", ".factum-installed")
  if (!isStamped(stamp, digest, dev)) {
    const locked = JSON.parse(lock.toString())
    if (!isInstalled(locked, dev)) install(locked, dev)
    writeFileSync(stamp, `${digest} ${dev ? "dev" : "run"}\n`)
  }
  return newNode()
}

function isStamped(stamp, digest, dev) {
  if (!existsSync(stamp)) return false
  const [installed, kind] = readFileSync(stamp, "utf8").trim().split(" ")
  return installed === digest && (kind === "dev" || !dev)
}

/** npm's own record of node_modules, so that an install made by hand is not thrown away. */
function isInstalled(lock, dev) {
  const record = join(root, "node_modules", ".package-lock.json")
  if (!existsSync(record)) return false
  const present = JSON.parse(readFileSync(record, "utf8")).packages
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (!path.startsWith("node_modules/") || wanted.optional || wanted.devOptional) return true
    if (wanted.dev && !dev) return true
    return present[path]?.version === wanted.version && existsSync(join(root, path))
  })
}

function install(lock, dev) {
  const changed = changedManifests(lock)
  if (changed.length > 0) {
    throw new Unprepared(`package-lock.json does not match ${changed.join(", ")}: run npm install.`)
  }
  console.log("Installing packages (npm ci)…")
  const started = Date.now()
  const kinds = ["--include=optional", dev ? "--include=dev" : "--omit=dev"]
  const result = npm("ci", ...kinds)
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
  const fit = found.find(({ version }) => major(version) >= oldestNode)
  if (fit) return fit.path
  const version = found.find((node) => node.version)?.version ?? process.version
  throw new Unprepared(
    `Factum needs Node ${oldestNode} or newer; found ${version}: run npm install with optional dependencies enabled.`,
  )
}

function versionOf(path) {
  if (!existsSync(path)) return undefined
  if (realpathSync(path) === realpathSync(process.execPath)) return process.version
  const result = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 30_000 })
  return result.status === 0 ? result.stdout.trim() : undefined
}

const major = (version) => Number(/^v(\d+)\./.exec(version ?? "")?.[1] ?? 0)
