import { getEventListeners } from "node:events"
import { expect, test, vi } from "vitest"
import { serverEvents } from "../../src/interop/stream.ts"

/** A turn that goes on until it is left, and tells when its reading of the log ended. */
function reading({ fails = false } = {}) {
  const closing = new AbortController()
  const ended = vi.fn()
  async function* source(signal: AbortSignal) {
    try {
      while (!signal.aborted) {
        yield { events: [], isCaughtUp: true }
        if (fails) throw new Error("the log cannot be read")
      }
    } finally {
      ended()
    }
  }
  let count = 0
  const writer = { over: false, push: () => ({ events: [] }), rest: () => ({ events: [{ count: count++ }] }) }
  const reader = serverEvents(source, writer, closing.signal).getReader()
  const listeners = () => getEventListeners(closing.signal, "abort").length
  return { closing, ended, reader, writer, listeners }
}

test("a reader that leaves between two batches leaves nothing behind", async () => {
  const { reader, ended, listeners } = reading()
  expect((await reader.read()).done).toBe(false)
  expect(listeners()).toBe(1)
  await reader.cancel()
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce())
  expect(listeners()).toBe(0)
})

test("a turn that is over, a host that ends and a log that fails leave nothing behind", async () => {
  const over = reading()
  over.writer.over = true
  while (!(await over.reader.read()).done) {}
  const ends = reading()
  await ends.reader.read()
  ends.closing.abort()
  while (!(await ends.reader.read()).done) {}
  const failing = reading({ fails: true })
  const all = async () => {
    while (!(await failing.reader.read()).done) {}
  }
  await expect(all()).rejects.toThrow("the log cannot be read")
  for (const { ended, listeners } of [over, ends, failing]) {
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce())
    expect(listeners()).toBe(0)
  }
})
