import { StatementSync } from "node:sqlite"
import { expect, it, onTestFinished, vi } from "vitest"
import { openStore, scratch } from "./sqlite-given.ts"

it("streams are searched for a cursor once, however many pages follow it", async () => {
  const { log } = await openStore(scratch())
  onTestFinished(() => log.close())
  for (let expected = 0; expected < 12; expected += 3) {
    const all = Array.from({ length: 100 }, (_, stream) => ({
      stream: `s${stream}`,
      expected,
      facts: [1, 2, 3].map((n) => ({ event_id: `${stream}/${expected + n}`, text: "x" })),
    }))
    await Promise.all(all.map((append) => log.append(append)))
  }
  const searches = vi.spyOn(StatementSync.prototype, "get")
  let after = log.readAll(500, 50).at(-1)?.position ?? 0
  expect(after).toBe(550)
  searches.mockClear()
  for (; after < 1200; after += 50) expect(log.readAll(after, 50).at(-1)?.position).toBe(after + 50)
  expect(searches).not.toHaveBeenCalled()
})
