import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"

const page = fileURLToPath(new URL("../dist", import.meta.url))
const most = 250_000

/** What the page needs before it shows anything: the scripts it names, and all that those import at once. */
function firstScripts(): Map<string, Buffer> {
  const html = readFileSync(join(page, "index.html"), "utf8")
  const named = [...html.matchAll(/<(?:script|link)[^>]*\b(?:src|href)="([^"]+\.js)"/g)]
  const found = new Map<string, Buffer>()
  const open = named.map(([, path = ""]) => new URL(path, "file:///").pathname)
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue
    const bytes = readFileSync(join(page, path))
    found.set(path, bytes)
    open.push(...importsIn(bytes.toString(), path))
  }
  return found
}

/** Static imports alone: `import(…)` is fetched when it is needed. */
const importsIn = (script: string, from: string): string[] =>
  [...script.matchAll(/(?:\bfrom|\bimport)\s*["'](\.{1,2}\/[^"']+\.js)["']/g)].map(
    ([, path = ""]) => new URL(path, `file://${from}`).pathname,
  )

test("the first load is at most 250 kB of script, as it is sent", () => {
  const scripts = firstScripts()
  const names = [...scripts.keys()].join(" ")
  // The page itself is in it, and what is large and seldom needed is not.
  expect(names).toMatch(/index-/)
  expect(scripts.size).toBeGreaterThan(1)
  expect(names).not.toMatch(/code-mirror|GraphCanvas|Editor|Diff/)
  const sent = [...scripts.values()].reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)
  expect(sent).toBeLessThanOrEqual(most)
})
