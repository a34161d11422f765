import { describe, expect, it, vi } from "vitest"
import { createDriver } from "../src/driver.ts"

function gates() {
  const running: string[] = []
  const log: string[] = []
  const open = new Map<string, () => void>()
  const advance = (session: string) => {
    log.push(session)
    running.push(session)
    return new Promise<void>((resolve) =>
      open.set(session, () => {
        running.splice(running.indexOf(session), 1)
        resolve()
      }),
    )
  }
  const release = async (session: string) => {
    open.get(session)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { advance, log, running, release }
}

describe("the driver", () => {
  it("advances one session one at a time, and once more when it was woken meanwhile", async () => {
    const { advance, log, running, release } = gates()
    const driver = createDriver(advance, () => 0)
    driver.wake("a")
    driver.wake("a")
    driver.wake("a")
    expect(running).toEqual(["a"])
    await release("a")
    expect(log).toEqual(["a", "a"])
    await release("a")
    expect(log).toEqual(["a", "a"])
  })

  it("is fair: a busy session does not keep the others waiting", async () => {
    const { advance, log, release } = gates()
    const driver = createDriver(advance, () => 0, 1)
    driver.wake("a")
    driver.wake("b")
    driver.wake("a")
    driver.wake("c")
    await release("a")
    await release("b")
    await release("c")
    expect(log).toEqual(["a", "b", "c", "a"])
  })

  it("advances no more sessions at once than it is wide", () => {
    const { advance, running } = gates()
    const driver = createDriver(advance, () => 0, 2)
    for (const session of ["a", "b", "c"]) driver.wake(session)
    expect(running).toEqual(["a", "b"])
  })

  it("wakes a session at its time", () => {
    vi.useFakeTimers()
    try {
      const { advance, log } = gates()
      const driver = createDriver(advance, () => Date.now())
      driver.at("a", Date.now() + 1000)
      vi.advanceTimersByTime(999)
      expect(log).toEqual([])
      vi.advanceTimersByTime(1)
      expect(log).toEqual(["a"])
    } finally {
      vi.useRealTimers()
    }
  })

  it("keeps one timer a session, for the earliest time that was asked for", () => {
    vi.useFakeTimers()
    try {
      const { advance, log } = gates()
      const driver = createDriver(advance, () => Date.now())
      const start = Date.now()
      for (const ms of [3000, 1000, 2000, 1000]) driver.at("a", start + ms)
      driver.at("b", start + 2000)
      expect(vi.getTimerCount()).toBe(2)
      vi.advanceTimersByTime(1000)
      expect(log).toEqual(["a"])
      driver.at("a", start + 3000)
      vi.advanceTimersByTime(1000)
      expect(log).toEqual(["a", "b"])
      expect(vi.getTimerCount()).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it("stops: nothing new begins, and what runs is awaited", async () => {
    const { advance, log, release } = gates()
    const driver = createDriver(advance, () => 0, 1)
    driver.wake("a")
    driver.wake("b")
    let ended = false
    const stopped = driver.stop().then(() => (ended = true))
    driver.wake("c")
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toBe(false)
    await release("a")
    await stopped
    expect(log).toEqual(["a"])
  })
})
