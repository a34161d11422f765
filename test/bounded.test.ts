import { expect, test } from "vitest"
import { runBounded } from "../scripts/bounded.mjs"

const run = (code: string, limitMs: number, said: string[] = []) =>
  runBounded(process.execPath, ["-e", code], {
    limitMs,
    graceMs: 50,
    stdio: "ignore",
    say: (text) => said.push(text),
  })

test.each([
  ["process.exit(0)", true],
  ["process.exit(3)", false],
])("%s within its time: %s", async (code, ok) => {
  const said: string[] = []
  expect(await run(code, 60_000, said)).toBe(ok)
  expect(said).toEqual([])
})

test("what does not end is ended, named, and counts as failed, also when it does not listen", async () => {
  const said: string[] = []
  const deaf = "process.on('SIGTERM', () => {}); for (;;);"
  expect(await run(deaf, 500, said)).toBe(false)
  expect(said).toEqual([`After 0.5 s this was still running and is ended: ${process.execPath} -e ${deaf}`])
})

test("one that ends well only because it was told to counts as failed", async () => {
  const polite = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000)"
  expect(await run(polite, 1000)).toBe(false)
})
