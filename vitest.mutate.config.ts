import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { areas, leftOut } from "./scripts/mutate-areas.ts"

const area = areas[process.env.FACTUM_MUTATE ?? "facts"]

export default defineConfig({
  // The mutated copy stands in a folder of its own: without this its tests would load the original.
  resolve: { alias: readdirSync(here("packages")).flatMap(entriesOf) },
  test: {
    include: area?.tests.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.test.ts`)) ?? [],
    exclude: leftOut,
    testTimeout: 30_000,
  },
})

function entriesOf(name: string) {
  const { exports = {} } = JSON.parse(readFileSync(here(`packages/${name}/package.json`), "utf8"))
  return Object.entries<string>(exports).map(([entry, file]) => ({
    find: new RegExp(`^@factum/${name}${entry.slice(1)}$`),
    replacement: here(`packages/${name}/${file}`),
  }))
}

function here(path: string) {
  return fileURLToPath(new URL(path, import.meta.url))
}
