import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest"
import { findChromium } from "./host-process.ts"
import { type Loose, TraceHost } from "./trace-host.ts"

/** A host that plays facts, and visits to it: new for each test of the file. */
export function visits() {
  let browser: Browser
  let host: TraceHost
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
  })
  beforeEach(async () => {
    host = await new TraceHost().start()
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    host.close()
    expect(host.mistakes).toEqual([])
  })
  afterAll(() => browser?.close())

  async function context(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    const made = await browser.newContext({
      locale: "en-GB",
      viewport: { width: 1280, height: 800 },
      ...options,
    })
    made.setDefaultTimeout(20_000)
    contexts.push(made)
    return made
  }
  return {
    get host(): TraceHost {
      return host
    },
    context,
    async open(place: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
      const page = await (await context()).newPage()
      await prepare?.(page)
      await page.goto(host.at(place))
      return page
    },
  }
}

export const live = (page: Page): Promise<void> =>
  page.locator("[data-connection=live]").waitFor({ state: "attached" })

export const of = (turn_id: string, type: string, payload: object, more: object = {}): Loose => ({
  session_id: "ses_a",
  thread_id: "thr_a",
  turn_id,
  type,
  payload,
  ...more,
})

/** A session with a turn that was asked and runs. */
export const running = (turn: string, text: string): Loose[] => [
  { session_id: "ses_a", type: "session.created", payload: { title: "A talk" } },
  { session_id: "ses_a", thread_id: "thr_a", type: "thread.started", payload: {} },
  of(turn, "turn.submitted", {
    input: [{ kind: "text", text }],
    source: "user",
    metadata: { client_id: turn },
  }),
  of(turn, "turn.started", {}),
]

export const delta = (turn: string, text: string): Loose =>
  of(turn, "model.delta", { request_id: "r1", part_id: "p", kind: "text", text })

export const ended = (turn: string): Loose => of(turn, "turn.completed", { outcome: "answered" })
