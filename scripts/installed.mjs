// Runs on Node 20, before anything is installed.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Whether all is there that the lock names, by npm's own record, which it writes last, and by the folders themselves. */
export function isInstalled(root, lock, dev) {
  const present = recordIn(root)
  if (present === undefined) return false
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (!path.startsWith("node_modules/") || wanted.optional || wanted.devOptional) return true
    if (wanted.dev && !dev) return true
    return present[path]?.version === wanted.version && existsSync(join(root, path, "package.json"))
  })
}

function recordIn(root) {
  try {
    return JSON.parse(readFileSync(join(root, "node_modules", ".package-lock.json"), "utf8")).packages
  } catch {
    return undefined
  }
}
