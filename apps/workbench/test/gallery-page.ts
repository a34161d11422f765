import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Intent } from "@factum/agent-ui"
import type { Browser, Page } from "playwright-core"

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

export type Look = Readonly<Record<string, string | number>>
export type Violation = {
  id: string
  impact: string | null
  nodes: { target: unknown; failureSummary: string }[]
}

/** One page of the gallery, opened at what is asked for. */
export class GalleryPage {
  readonly page: Page
  readonly errors: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on("console", (message) => message.type() === "error" && this.errors.push(message.text()))
    page.on("pageerror", (error) => this.errors.push(String(error)))
  }

  static async open(browser: Browser, origin: string, look: Look, width = 1280): Promise<GalleryPage> {
    const page = await browser.newPage({ viewport: { width, height: 900 } })
    page.setDefaultTimeout(20_000)
    const at = new GalleryPage(page)
    await at.show(origin, look)
    return at
  }

  async show(origin: string, look: Look): Promise<void> {
    const query = new URLSearchParams(Object.entries({ bare: 1, ...look }).map(([k, v]) => [k, String(v)]))
    await this.page.goto(`${origin}/gallery.html?${query}`)
    await this.page.waitForSelector("[data-stage=ready] [data-surface]")
    if ((await this.page.locator("[data-canvas]").count()) > 0)
      await this.page.waitForSelector("[data-drawn]")
  }

  surface() {
    return this.page.locator("[data-surface]")
  }

  text(): Promise<string> {
    return this.surface().innerText()
  }

  /** The controls that stand there: whether each can be used, and why not. */
  controls(): Promise<{ control: string; enabled: boolean; title: string }[]> {
    return this.page.locator("[data-control]").evaluateAll((buttons) =>
      buttons.map((button) => ({
        control: button.getAttribute("data-control") ?? "",
        enabled: !(button instanceof HTMLButtonElement && button.disabled),
        title: button.getAttribute("title") ?? "",
      })),
    )
  }

  async intents(): Promise<Intent[]> {
    return JSON.parse((await this.page.locator("[data-intents]").textContent()) ?? "[]")
  }

  /** All that the audit finds, however slight. */
  async violations(): Promise<Violation[]> {
    await this.page.evaluate(axeSource)
    const found: Violation[] = await this.page.evaluate(
      "axe.run(document).then(({ violations }) => violations)",
    )
    return found.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ target, failureSummary }) => ({ target, failureSummary })),
    }))
  }

  close(): Promise<void> {
    return this.page.close()
  }
}
