// Runs on Node 20, before the newer one is known.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./prepare.mjs"

const workbench = join(root, "apps", "workbench")
const page = join(workbench, "dist", "index.html")
const stamp = join(workbench, "dist", ".built")
const inputs = [
  ...["src", "public", "index.html", "vite.config.ts", "package.json"].map(
    (name) => `apps/workbench/${name}`,
  ),
  ...["facts", "agent-ui", "client"].map((name) => `packages/${name}/src`),
  "package-lock.json",
]

/** Builds the page when its sources have changed. Returns whether a page is there. */
export function buildWorkbench(node, { force = false } = {}) {
  const digest = digestOf(inputs)
  if (!force && existsSync(page) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return true
  console.log("Building the workbench…")
  const vite = join(root, "node_modules", "vite", "bin", "vite.js")
  // Whatever started this, people get the build without React's development checks.
  const env = { ...process.env, NODE_ENV: "production" }
  const result = spawnSync(node, [vite, "build", "--logLevel", "warn"], {
    cwd: workbench,
    env,
    stdio: "inherit",
    timeout: 600_000,
  })
  if (result.status !== 0 || !existsSync(page)) return false
  writeFileSync(stamp, digest)
  return true
}

function digestOf(paths) {
  const hash = createHash("sha256")
  for (const file of paths.flatMap(filesOf)) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest("hex")
}

function filesOf(path) {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (statSync(full).isFile()) return [path]
  const entries = readdirSync(full, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => filesOf(`${path}/${entry.name}`))
}
