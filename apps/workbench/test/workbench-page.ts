import type { BrowserContext, Locator, Page } from "playwright-core"
import { expect } from "vitest"

export type Seen = { status: string; text: string }

declare global {
  // What the page has shown, in order; written by the recorder inside of the page.
  var seen: Seen[]
}

/** Runs in the page: notes each change of the last turn's status line and answer. */
function record(): void {
  globalThis.seen = []
  const look = () => {
    const turn = [...document.querySelectorAll("[data-turn]")].at(-1)
    const now = {
      status: turn?.querySelector("[data-role=status]")?.textContent ?? "",
      text: [...(turn?.querySelectorAll("[data-part=text]") ?? [])]
        .map((part) => part.textContent)
        .join("")
        .replace(/\s+/g, ""),
    }
    const before = globalThis.seen.at(-1)
    if (before?.status !== now.status || before.text !== now.text) globalThis.seen.push(now)
  }
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
}

export const bare = (text: string): string => text.replace(/\s+/g, "")

const words: Readonly<Record<string, readonly string[]>> = {
  completed: ["done"],
  running: ["submitted", "accepted", "routing", "preparing", "streaming", "blocked", "retrying"],
}

/** The workbench as a person uses it. */
export class WorkbenchPage {
  readonly page: Page
  readonly errors: string[] = []

  constructor(page: Page) {
    this.page = page
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.errors.push(message.text())
    })
    page.on("pageerror", (error) => this.errors.push(String(error)))
  }

  static async open(context: BrowserContext, address: string): Promise<WorkbenchPage> {
    const at = new WorkbenchPage(await context.newPage())
    await at.page.addInitScript(record)
    await at.page.goto(address)
    return at
  }

  get box(): Locator {
    return this.page.getByRole("textbox", { name: /Message|消息/ })
  }

  get lastTurn(): Locator {
    return this.page.locator("[data-turn]").last()
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) })
  }

  async send(text: string): Promise<void> {
    await this.box.fill(text)
    await this.box.press("Enter")
  }

  /** The user messages of the conversation, in order. */
  messages(): Promise<string[]> {
    return this.page.locator("[data-role=user]").allTextContents()
  }

  /** To the very top, once what is there has been laid out. */
  async scrollsToTop(): Promise<void> {
    await this.page
      .locator("main section")
      .first()
      .evaluate(async (element) => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
        for (let still = 0; still < 5; ) {
          still = element.scrollTop === 0 ? still + 1 : 0
          element.scrollTop = 0
          await frame()
        }
      })
  }

  /** Every user message from the top to the end, also those that are drawn only where they are looked at. */
  readThrough(): Promise<string[]> {
    return this.page
      .locator("main section")
      .first()
      .evaluate(async (element) => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
        const seen = new Set<string>()
        const look = () => {
          for (const one of document.querySelectorAll("[data-role=user]")) seen.add(one.textContent ?? "")
        }
        element.scrollTop = 0
        await frame()
        for (let end = false; !end; ) {
          await frame()
          look()
          end = element.scrollTop + element.clientHeight >= element.scrollHeight - 1
          element.scrollTop += element.clientHeight / 2
          await frame()
        }
        look()
        return [...seen]
      })
  }

  queue(): Promise<string[]> {
    return this.page.locator("[data-role=queued]").allTextContents()
  }

  /** Markdown decides about space between words and blocks, so none is compared. */
  async answer(turn = this.lastTurn): Promise<string> {
    return bare((await turn.locator("[data-part=text]").allTextContents()).join(""))
  }

  /** What stands under a turn that came to such an end. */
  foot(outcome: string, turn = this.lastTurn): Promise<string | null> {
    return turn.locator(`[data-outcome=${outcome}]`).textContent()
  }

  /** What the tab of the open session says. */
  tab(): Promise<string | null> {
    return this.page.locator("nav [aria-current=page]").textContent()
  }

  async isFocused(on: Locator): Promise<void> {
    await expect.poll(() => on.evaluate((element) => element === document.activeElement)).toBe(true)
  }

  /** Opens what the last turn did, once it has ended. */
  async openSteps(): Promise<void> {
    await this.lastTurn.locator("[data-steps][aria-expanded=false]").click()
  }

  seen(): Promise<Seen[]> {
    return this.page.evaluate(() => globalThis.seen)
  }

  /** The last turn, once it has the status and the session is followed. */
  async ends(status: string, message?: string): Promise<void> {
    await this.page.waitForFunction(
      ({ wanted, message }) => {
        const turn = [...document.querySelectorAll("[data-turn]")].at(-1)
        const said = turn?.querySelector("[data-role=user]")?.textContent
        const now = turn?.getAttribute("data-status") ?? ""
        return wanted.includes(now) && (message === undefined || said === message)
      },
      { wanted: words[status] ?? [status], message },
    )
    // A read model tells a status before the facts behind it have come; the page is whole once it follows.
    await this.connection("live")
  }

  /** Until the last turn's answer has so many characters. */
  async streams(length: number): Promise<void> {
    await this.page.waitForFunction(
      (length) => globalThis.seen.some(({ text }) => text.length >= length),
      length,
    )
  }

  async queues(...texts: string[]): Promise<void> {
    await this.page.waitForFunction((expected) => {
      const rows = [...document.querySelectorAll("[data-queued]")]
      // A row has its controls once the log knows it.
      const ready = rows.filter((row) => row.querySelector("button") !== null)
      const shown = ready.map((row) => row.querySelector("[data-role=queued]")?.textContent)
      return JSON.stringify(shown) === JSON.stringify(expected) && rows.length === ready.length
    }, texts)
  }

  async connection(state: string): Promise<void> {
    await this.page.locator(`[data-connection=${state}]`).waitFor({ state: "attached" })
  }
}
