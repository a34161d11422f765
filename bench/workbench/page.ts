import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core"
import { heap, interactive, type Smoothness, smoothness, watch } from "./probe.ts"
import type { Recorded } from "./session.ts"
import { drawn, type Subject, startStream } from "./subjects.ts"

export type Streamed = Smoothness & { heap: number; drawn: number; factsPerSecond: number }

/** A person's browser window with the probe in it. */
export class Window {
  readonly #context: BrowserContext
  readonly page: Page
  readonly #session: CDPSession

  private constructor(context: BrowserContext, page: Page, session: CDPSession) {
    this.#context = context
    this.page = page
    this.#session = session
  }

  static async open(browser: Browser): Promise<Window> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await context.addInitScript(watch)
    const page = await context.newPage()
    page.on("pageerror", (error) => console.error(`  the page broke: ${error}`))
    return new Window(context, page, await context.newCDPSession(page))
  }

  /** From the beginning of the navigation, as for a page that is opened by its address. */
  async visit(subject: Subject, of: Recorded): Promise<number> {
    await this.page.goto("about:blank")
    await this.page.goto(subject.address(of))
    return interactive(this.page, subject.newest(of), 0)
  }

  /** From one session to another in the same page. */
  async switchTo(subject: Subject, of: Recorded): Promise<number> {
    const from = await this.page.evaluate((hash) => {
      location.hash = hash
      return performance.now()
    }, `/s/${of.session_id}`)
    return interactive(this.page, subject.newest(of), from)
  }

  heap(): Promise<number> {
    return heap(this.#session)
  }

  async stream(subject: Subject, of: Recorded, seconds: number): Promise<Streamed> {
    await startStream(this.page, subject)
    const before = (await subject.facts?.(of)) ?? 0
    const began = performance.now()
    const seen = await smoothness(this.page, seconds)
    const factsPerSecond = ((await subject.facts?.(of)) ?? 0) - before
    const took = (performance.now() - began) / 1000
    const characters = await drawn(this.page, subject)
    return { ...seen, heap: await this.heap(), drawn: characters, factsPerSecond: factsPerSecond / took }
  }

  /** Everything that is older, window by window, and then back to the end. */
  async loadAll(): Promise<void> {
    await this.page.evaluate(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const section = document.querySelector("main section")
      const earlier = () =>
        [...document.querySelectorAll<HTMLButtonElement>("main section button")].find(
          ({ textContent }) => textContent === "Show earlier messages",
        )
      for (let button = earlier(); button !== undefined; button = earlier()) {
        if (!button.disabled) button.click()
        await frame()
      }
      for (let still = 0; section !== null && still < 10; still++) {
        section.scrollTop = section.scrollHeight
        await frame()
      }
    })
  }

  /** A page with nothing but a box: what the browser and the display take for a key by themselves. */
  async bareKeys(seconds: number): Promise<number> {
    await this.page.goto("data:text/html,<textarea autofocus></textarea>")
    await this.page.locator("textarea").focus()
    return (await smoothness(this.page, seconds)).keyP95
  }

  close(): Promise<void> {
    return this.#context.close()
  }
}
