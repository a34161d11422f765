import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "vite"
import { expect, it } from "vitest"

it("a browser bundle that only validates facts stays under 60 kB gzip", async () => {
  const entry = join(import.meta.dirname, "validates-only.ts")
  const result = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, minify: true, lib: { entry, formats: ["es"], fileName: "validates" } },
  })
  const chunks = [result].flat().flatMap((one) => ("output" in one ? one.output : []))
  const code = chunks.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("")
  // Without these the bundle would be small because it lacks what it is for.
  expect(code).toContain("validateFact")
  expect(code).toContain("task.dependency.updated")
  expect(gzipSync(code).length).toBeLessThan(60_000)
})
