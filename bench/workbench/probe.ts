import type { CDPSession, Page } from "playwright-core"
import { quantile } from "../measure.ts"

/** What the page writes down of itself. */
type Probe = {
  frames: number[]
  tasks: { at: number; took: number }[]
  keys: number[]
}
declare global {
  var probe: Probe
}

/** Runs in the page before anything else: frames, tasks over 50 ms, and how long each key took to be painted. */
export function watch(): void {
  const probe: Probe = { frames: [], tasks: [], keys: [] }
  globalThis.probe = probe
  const frame = (at: number) => {
    probe.frames.push(at)
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      probe.tasks.push({ at: startTime, took: duration })
  }).observe({ type: "longtask", buffered: true })
  let pressed = 0
  addEventListener("keydown", (event) => (pressed = event.timeStamp), { capture: true })
  // A task that is queued in a frame's last callbacks runs when the frame has been painted.
  addEventListener(
    "input",
    () => {
      const from = pressed
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => probe.keys.push(performance.now() - from)
        port2.postMessage(undefined)
      })
    },
    { capture: true },
  )
}

export type Sight = { selector: string; text: string }

/**
 * Milliseconds from `from` until the last element of the selector shows the text and has been painted, and the page has
 * then had no task over 50 ms for a second; the quiet second itself does not count.
 */
export function interactive(page: Page, { selector, text }: Sight, from: number): Promise<number> {
  return page.evaluate(
    async ({ selector, text, from }) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const last = () => [...document.querySelectorAll(selector)].at(-1)?.textContent ?? ""
      while (!last().includes(text)) await frame()
      await frame()
      let ready = performance.now()
      for (let quiet = ready; performance.now() - quiet < 1000; ) {
        await frame()
        const busy = globalThis.probe.tasks.at(-1)
        const end = busy === undefined ? 0 : busy.at + busy.took
        if (end > ready) quiet = ready = end
      }
      return ready - from
    },
    { selector, text, from },
  )
}

export type Smoothness = {
  /** Frames that the display would have shown in between and did not get. */
  dropped: number
  p95: number
  longest: number
  keyP95: number
  frames: number
}

/** Watches for so many seconds while keys are pressed in the box that has the focus. */
export async function smoothness(page: Page, seconds: number): Promise<Smoothness> {
  const from = await page.evaluate(() => {
    globalThis.probe.keys = []
    return performance.now()
  })
  const until = performance.now() + seconds * 1000
  for (let at = 0; performance.now() < until; at++) {
    await page.keyboard.press(at % 8 === 7 ? "Space" : "x")
    // No multiple of a frame, so that the keys fall anywhere in one.
    await new Promise((resolve) => setTimeout(resolve, 143))
  }
  const { frames, tasks, keys } = await page.evaluate(() => globalThis.probe)
  const seen = frames.filter((at) => at >= from)
  const gaps = seen.slice(1).map((at, index) => at - (seen[index] ?? at))
  const display = 1000 / 60
  return {
    dropped: gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / display) - 1), 0),
    p95: quantile(gaps, 0.95),
    longest: Math.max(0, ...tasks.filter(({ at }) => at >= from).map(({ took }) => took)),
    keyP95: quantile(keys, 0.95),
    frames: seen.length,
  }
}

/** MB of script objects that live, after a collection. */
export async function heap(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage")
  const { usedSize } = await session.send("Runtime.getHeapUsage")
  return usedSize / 1e6
}
