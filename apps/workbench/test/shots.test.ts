import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContext, chromium } from "playwright-core"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { languages } from "../src/i18n/words.ts"
import { findChromium, HostProcess } from "./host-process.ts"
import { WorkbenchPage } from "./workbench-page.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

const folder = mkdtempSync(join(tmpdir(), "factum-shots-"))
/** The pictures of the README; they are replaced only when that is asked for. */
const images =
  process.env.FACTUM_SHOTS === "1"
    ? fileURLToPath(new URL("../../../docs/images", import.meta.url))
    : join(folder, "images")
const largest = 200_000
const desk = { width: 1280, height: 800 }

let host: HostProcess
let browser: Browser
const contexts: BrowserContext[] = []

beforeAll(async () => {
  mkdirSync(images, { recursive: true })
  host = await new HostProcess({ data: join(folder, "data") }).start()
  browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
})
afterAll(async () => {
  for (const context of contexts) await context.close()
  await browser?.close()
  await host?.kill()
  rmSync(folder, { recursive: true, force: true })
})

type Look = Parameters<Browser["newContext"]>[0]

/** Plays a demonstration as a person does: one click on it. */
async function play(say: string, look: Look = {}): Promise<WorkbenchPage> {
  const context = await browser.newContext({
    locale: "en-GB",
    viewport: desk,
    deviceScaleFactor: 1,
    reducedMotion: "reduce",
    ...look,
  })
  context.setDefaultTimeout(60_000)
  contexts.push(context)
  const at = await WorkbenchPage.open(context, host.page)
  await at.button(say).click()
  return at
}

const asked = (at: WorkbenchPage, about: string) =>
  at.page.locator("[data-action][data-open]").filter({ hasText: about })

/** Allows whatever is asked for until the turn has come to its end. */
async function allowAll(at: WorkbenchPage): Promise<void> {
  const yes = at.page.locator("[data-action][data-open] [data-decision][aria-keyshortcuts=y]:enabled").first()
  const end = at.lastTurn.locator("[data-outcome]")
  for (;;) {
    await yes.or(end).first().waitFor()
    if ((await end.count()) > 0) return
    await yes.click().catch(() => undefined)
  }
}

async function goTo(at: WorkbenchPage, pane: string): Promise<void> {
  const address = new URL(at.page.url())
  await at.page.goto(`${address.origin}/${address.hash.split("/").slice(0, 3).join("/")}/${pane}`)
}

async function shoot(at: WorkbenchPage, name: string): Promise<void> {
  const path = join(images, `${name}.png`)
  await at.page.evaluate(() => document.fonts.ready)
  await at.page.screenshot({ path, animations: "disabled", caret: "hide" })
  expect(statSync(path).size).toBeLessThanOrEqual(largest)
}

const [, fix = { say: "" }, , report = { say: "" }, team = { say: "" }] = languages.en.welcome.demos
const fixZh = languages.zh.welcome.demos[1]?.say ?? ""

test("an edit waits for approval in the conversation, and the run is a timeline", async () => {
  const at = await play(fix.say)
  await asked(at, "login.js").waitFor()
  await shoot(at, "approval")
  await allowAll(at)
  await goTo(at, "timeline")
  await at.page.locator("[data-surface=timeline_evidence]").getByText("shell").first().waitFor()
  await shoot(at, "timeline")
})

test("two agents stand in the team and in the graph", async () => {
  const at = await play(team.say)
  await allowAll(at)
  await goTo(at, "graph")
  await expect.poll(() => at.page.locator("[data-drawn]").count()).toBeGreaterThanOrEqual(2)
  await at.page.locator("[data-surface=team_roster]").getByText("security").first().waitFor()
  await shoot(at, "team")
})

test("the two versions of an artifact are compared", async () => {
  const at = await play(report.say)
  await allowAll(at)
  await goTo(at, "artifact")
  const artifact = at.page.locator("[data-surface=artifact_workspace]")
  await artifact.getByRole("tab", { name: "Diff", exact: true }).click()
  await artifact.getByText("Passwords are kept as plain text").first().waitFor()
  await shoot(at, "artifact")
})

test("in Chinese, a command waits for approval", async () => {
  const at = await play(fixZh, { locale: "zh-CN", colorScheme: "dark" })
  await asked(at, "login.js").locator("[data-decision][aria-keyshortcuts=y]").click()
  await asked(at, "node --test").waitFor()
  await shoot(at, "chinese")
})

test("on a phone, what waits for a person is in reach", async () => {
  const at = await play(fix.say, { viewport: { width: 390, height: 844 }, hasTouch: true })
  const card = asked(at, "login.js")
  await card.waitFor()
  await card.locator("[data-decision]").first().scrollIntoViewIfNeeded()
  await shoot(at, "phone")
})
