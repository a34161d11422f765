import { expect, it } from "vitest"
import { bundle } from "../scripts/bundle.ts"

it("the package without the tokenizer stays under 80 kB gzip", async () => {
  const { code, gzip } = await bundle()
  // Without these the bundle would be small because it lacks what it is for.
  expect(code).toMatch(/\breadOutput\b/)
  expect(code).toMatch(/\bnextSteps\b/)
  expect(code).toMatch(/\bobserve\b/)
  expect(code).toContain("## Assistant protocol request and runtime observations")
  // Words of the tokenizer, which alone is many times as large.
  expect(code).not.toContain("<|endoftext|>")
  expect(code).not.toMatch(/\bfrom ?["']/)
  expect(gzip).toBeLessThan(80_000)
})
