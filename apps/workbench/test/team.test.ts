import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type SurfaceName, surfaceControls } from "@factum/agent-ui"
import { type Browser, chromium } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { readTrace } from "../../../packages/conformance/src/traces.ts"
import { buildGallery, serveGallery } from "../../../scripts/gallery.ts"
import type { GalleryChoice } from "../src/gallery/choice.ts"
import { stage } from "../src/gallery/stage.ts"
import { languages } from "../src/i18n/words.ts"
import { GalleryPage, type Look } from "./gallery-page.ts"
import { findChromium } from "./host-process.ts"

vi.setConfig({ testTimeout: 60_000 })

const team = {
  team_roster: "coordinator-team",
  task_capsule: "parallel-workers",
  worker_notifications: "coordinator-team",
  work_board: "human-agent-board",
  delegation_graph: "parallel-workers",
  handoff_lane: "specialist-handoff",
  review_lane: "review-team",
  teammate_transcript: "coordinator-team",
  background_teammate: "background-teammate",
  remote_teammate: "remote-teammate",
} as const satisfies Partial<Record<SurfaceName, string>>
const surfaces = Object.keys(team) as (keyof typeof team)[]
const { catalog } = languages.en
const chosen = (surface: keyof typeof team): GalleryChoice => ({
  surface,
  trace: team[surface],
  state: "trace",
  at: undefined,
  agent: undefined,
  artifact: undefined,
  ports: "all",
  theme: "light",
  language: "en",
  width: undefined,
  bare: true,
})

const folder = mkdtempSync(join(tmpdir(), "factum-gallery-"))
let gallery: Awaited<ReturnType<typeof serveGallery>>
let browser: Browser
const opened: GalleryPage[] = []

beforeAll(async () => {
  buildGallery(folder)
  gallery = await serveGallery(folder)
  browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
})
afterEach(async () => {
  for (const at of opened.splice(0)) {
    expect(at.errors).toEqual([])
    await at.close()
  }
})
afterAll(async () => {
  await browser?.close()
  await gallery?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(look: Look, width?: number): Promise<GalleryPage> {
  const at = await GalleryPage.open(browser, gallery.origin, look, width)
  opened.push(at)
  return at
}

describe("the states of each surface", () => {
  test.each(surfaces)("[UI-SURF-22] %s without facts shows its own empty state", async (surface) => {
    const at = await open({ surface, state: "empty" })
    await expect.poll(() => at.page.locator("[data-fallback]").getAttribute("data-fallback")).toBe("empty")
    await expect.poll(() => at.text()).toContain(catalog.empty[surface])
    await at.show(gallery.origin, { surface, state: "loading" })
    await expect.poll(() => at.page.locator("[data-fallback]").getAttribute("data-fallback")).toBe("loading")
    expect(await at.text()).not.toContain(catalog.empty[surface])
    await at.show(gallery.origin, { surface, state: "unavailable" })
    expect(await at.text()).not.toContain(catalog.empty[surface])
  })

  test.each(surfaces)("[UI-CHECK-17] %s with its facts withheld says so", async (surface) => {
    const at = await open({ surface, state: "unknown" })
    await expect.poll(() => at.surface().getAttribute("data-state")).toMatch(/^(unknown|unavailable)$/)
    await expect.poll(() => at.text()).toMatch(/Not reported by the runtime|cannot be read/)
    await at.show(gallery.origin, { surface, state: "stale" })
    await expect.poll(() => at.surface().getAttribute("data-state")).toBe("stale")
    await expect.poll(() => at.page.locator("[data-notice=stale]").count()).toBe(1)
    await at.show(gallery.origin, { surface, state: "blocked" })
    await expect.poll(() => at.surface().getAttribute("data-state")).toBe("blocked")
    await expect.poll(() => at.text()).toContain("The workspace is locked by an administrator")
    await at.show(gallery.origin, { surface, state: "unavailable" })
    await expect.poll(() => at.text()).toContain(catalog.reason.ref_unavailable)
  })
})

describe("the controls of each surface", () => {
  test.each(surfaces)(
    "[UI-SURF-26] %s offers exactly its controls that can act, and nothing dead",
    async (surface) => {
      const at = await open({ surface })
      const shown = new Set<string>()
      const look = async () => {
        for (const { control, enabled } of await at.controls()) {
          expect({ control, enabled }).toEqual({ control, enabled: true })
          shown.add(control)
        }
      }
      await look()
      // One row of a list stands open at a time, and each has the controls that fit it.
      const rows = at.page.locator(
        "[data-item]:not([data-open]) [data-row], [data-card], [data-drawn] > [aria-pressed]",
      )
      for (let row = (await rows.count()) - 1; row >= 0; row--) {
        await rows.nth(row).dispatchEvent("click")
        await look()
      }
      expect(shown).not.toEqual(new Set())
      const catalogued: readonly string[] = surfaceControls[surface]
      expect([...shown].filter((control) => !catalogued.includes(control))).toEqual([])
      // What the surface can do at all somewhere stands there somewhere.
      const { view } = stage({ name: team[surface], facts: readTrace(team[surface]) }, chosen(surface))
      const able = view.controls.flatMap(({ control, enabled }) => (enabled ? [control] : []))
      expect(able.filter((control) => !shown.has(control))).toEqual([])
      expect(view.controls.map(({ control }) => control)).toEqual([...surfaceControls[surface]])
    },
  )

  test.each(surfaces)("[UI-SURF-26] %s has no button where there is nothing to act on", async (surface) => {
    const at = await open({ surface, state: "empty" })
    expect(await at.controls()).toEqual([])
    await at.show(gallery.origin, { surface, ports: "none" })
    expect(await at.controls()).toEqual([])
    const { view } = stage({ name: "none", facts: [] }, { ...chosen(surface), state: "empty" })
    for (const { enabled, reason } of view.controls)
      expect({ enabled, reason }).toEqual({ enabled: false, reason: "no_target" })
  })

  test("[UI-SURF-26] a control is enabled only for what it can act on", async () => {
    const at = await open({ surface: "delegation_graph" })
    const enabled = async () =>
      (await at.controls()).filter((one) => one.enabled).map(({ control }) => control)
    await at.page.locator('[data-drawn="agent:sub_migrate_search"] button').first().click()
    await expect.poll(enabled).toEqual(["retry", "open_detail"])
    await at.page.locator('[data-control="retry"]').click()
    await expect
      .poll(() => at.intents())
      .toMatchObject([{ control: "retry", target: { kind: "agent", id: "sub_migrate_search" } }])
  })
})

describe("the transcript of a teammate", () => {
  test("[UI-SURF-18] it shows recent messages, tool activity and pending input", async () => {
    const at = await open({ surface: "teammate_transcript", trace: "two-hundred", agent: "lead-1" })
    await expect
      .poll(() => at.page.locator("[data-message]").allInnerTexts())
      .toEqual([expect.stringContaining("All of us are done and closed.")])
    await expect
      .poll(() => at.page.locator("[data-tool]").allInnerTexts())
      .toEqual([expect.stringContaining("search")])
    await expect
      .poll(() => at.page.locator("[data-part=pending]").innerText())
      .toContain("Then compare the prices")
    await at.page.getByRole("textbox").fill("Look at the docs too")
    await at.page.getByRole("textbox").press("Enter")
    await expect
      .poll(async () => (await at.intents()).at(-1))
      .toEqual({
        control: "continue_agent",
        agentId: "lead-1",
        inputs: [{ kind: "text", text: "Look at the docs too" }],
      })
  })

  test("[UI-TEAM-6] it is read when it is opened, once, and not before", async () => {
    const reads = async (at: GalleryPage) =>
      (await at.intents()).filter((intent) => intent.control === "open_detail")
    const roster = await open({ surface: "team_roster" })
    expect(await reads(roster)).toEqual([])
    const zoom = await open({ surface: "teammate_transcript" })
    await expect
      .poll(() => reads(zoom))
      .toEqual([
        {
          control: "open_detail",
          target: {
            kind: "transcript",
            id: "ses_delivery_researcher",
            sessionId: "ses_delivery_researcher",
          },
        },
      ])
  })
})

describe("what a team looks like", () => {
  test("[UI-CHECK-11] a status follows the facts of the teammate, not what is said of it", async () => {
    const early = await open({ surface: "team_roster", at: 120 })
    await expect
      .poll(() => early.page.locator('[data-item="sub_delivery_engineer"]').innerText())
      .toContain("Running")
    const late = await open({ surface: "team_roster" })
    await expect
      .poll(() => late.page.locator('[data-item="sub_delivery_engineer"]').innerText())
      .toContain("Closed")
    // Its own words say that it is done and closed.
    const zoom = await open({ surface: "teammate_transcript", trace: "two-hundred", agent: "lead-1" })
    await expect.poll(() => zoom.page.locator("[data-surface] header").innerText()).toContain("Running")
  })

  test.each([
    ["coordinator", "team_roster", "coordinator-team", "lead"],
    ["worker", "delegation_graph", "parallel-workers", "billing"],
    ["handoff", "handoff_lane", "specialist-handoff", "Now with"],
    ["board", "work_board", "human-agent-board", "Open the shop"],
    ["background", "background_teammate", "background-teammate", "Next wake"],
    ["review", "review_lane", "review-team", "Verdict"],
    ["remote", "remote_teammate", "remote-teammate", "Agent card"],
  ])("[UI-CHECK-12] the topology is visible: %s", async (_, surface, trace, shown) => {
    const at = await open({ surface, trace })
    await expect.poll(() => at.text()).toContain(shown)
  })

  test("[UI-CHECK-13] a worker's report is a report: named as one, and no message", async () => {
    const at = await open({ surface: "worker_notifications" })
    await expect.poll(() => at.page.locator("[data-item]").count()).toBe(6)
    await expect.poll(() => at.page.locator("[data-message]").count()).toBe(0)
    await expect.poll(() => at.text()).toContain("Result")
  })

  test("[UI-CHECK-14] the ids of parent and child are the same in roster and transcript", async () => {
    const ids = [
      "tsk_delivery_research",
      "ses_delivery_researcher",
      "thr_delivery_researcher",
      "ses_delivery",
    ]
    const roster = await open({ surface: "team_roster" })
    const row = roster.page.locator('[data-item="sub_delivery_researcher"]')
    if ((await row.locator("dl").count()) === 0) await row.locator("[data-row]").click()
    const zoom = await open({ surface: "teammate_transcript" })
    for (const id of ids) {
      expect(await row.innerText()).toContain(id)
      expect(await zoom.text()).toContain(id)
    }
  })

  test("two hundred teammates are folded to what can be read, and the list has them all", async () => {
    const at = await open({ surface: "delegation_graph", trace: "two-hundred" })
    await expect.poll(() => at.page.locator("[data-drawn]").count()).toBe(10)
    await at.page.locator('[data-drawn="agent:lead-1"] [aria-expanded]').click()
    await expect.poll(() => at.page.locator("[data-drawn]").count()).toBeGreaterThan(10)
    await at.page.getByText("List", { exact: true }).click()
    await expect.poll(() => at.page.locator("[data-list] [data-node]").count()).toBe(100)
    await at.page.getByRole("button", { name: "Show 99 more" }).click()
    await expect.poll(() => at.page.locator("[data-list] [data-node]").count()).toBe(199)
  })
})

describe("the board by keyboard alone", () => {
  test("[UI-A11Y-1] a card is picked up, carried to review and dropped; it moves only by a fact", async () => {
    const at = await open({ surface: "work_board" })
    const card = at.page.locator('[data-column="open"] [data-card]').first()
    await card.focus()
    await at.page.keyboard.press("Space")
    for (let n = 0; n < 4; n++) await at.page.keyboard.press("ArrowRight")
    await expect.poll(() => at.page.locator("[data-over]").getAttribute("data-column")).toBe("reviewing")
    await at.page.keyboard.press("Enter")
    await expect
      .poll(() => at.intents())
      .toMatchObject([{ control: "request_review", target: { kind: "task" } }])
    await expect.poll(() => at.page.locator('[data-column="open"] [data-card]').count()).toBe(1)
    await expect
      .poll(() => at.page.locator("[data-spoken]").innerText())
      .toContain("moves when its owner confirms")
  })

  test("[UI-A11Y-1] a column that only the owner fills refuses the card, and Escape puts it back", async () => {
    const at = await open({ surface: "work_board" })
    await at.page.locator('[data-column="open"] [data-card]').first().focus()
    for (const key of ["Space", "ArrowRight", "Enter"]) await at.page.keyboard.press(key)
    await expect.poll(() => at.page.locator("[data-spoken]").innerText()).toContain("Only the owner")
    for (const key of ["Space", "ArrowRight", "Escape"]) await at.page.keyboard.press(key)
    await expect.poll(() => at.page.locator("[data-over]").count()).toBe(0)
    expect(await at.intents()).toEqual([])
  })

  test("[UI-A11Y-1] a card is assigned with the keyboard", async () => {
    const at = await open({ surface: "work_board" })
    await at.page.locator('[data-column="open"] [data-card]').first().focus()
    await at.page.keyboard.press("a")
    await expect
      .poll(() => at.page.evaluate(() => document.activeElement?.getAttribute("data-person")))
      .not.toBeNull()
    const person = await at.page.evaluate(() => document.activeElement?.getAttribute("data-person"))
    await at.page.keyboard.press("Enter")
    await expect
      .poll(() => at.intents())
      .toEqual([{ control: "assign", workItemId: expect.any(String), assignee: person }])
  })

  test("a card that is dragged to a person is asked for", async () => {
    const at = await open({ surface: "work_board" })
    await at.page.getByText("Assignee", { exact: true }).first().click()
    const card = at.page.getByRole("button", { name: /Open the shop/ })
    const target = at.page.locator('[data-column^="person:"]').filter({ hasNotText: "Open the shop" }).first()
    const assignee = (await target.getAttribute("data-column"))?.slice("person:".length)
    await card.dragTo(target)
    await expect.poll(() => at.intents()).toMatchObject([{ control: "assign", assignee }])
  })
})

describe("a small form", () => {
  const forms: [string, Look, string][] = [
    ["words to a teammate", { surface: "team_roster" }, "continue_agent"],
    ["work for a teammate", { surface: "team_roster" }, "delegate"],
    ["who does it", { surface: "work_board" }, "assign"],
    ["what a remote agent asks", { surface: "remote_teammate", at: 28 }, "answer"],
  ]
  test.each(forms)(
    "for %s is left with Escape, which goes no further to stop the run",
    async (_, look, opens) => {
      const at = await open(look)
      if (opens === "assign") {
        await at.page.locator('[data-column="open"] [data-card]').first().focus()
        await at.page.keyboard.press("a")
      } else {
        const button = at.page.locator(`button[data-control=${opens}]`).first()
        if (!(await button.isVisible())) await at.surface().locator("[aria-expanded=false]").first().click()
        await button.click()
      }
      const form = at.surface().locator(":is(form, [role=group]):focus-within")
      if (opens === "answer") await at.page.locator("input[type=password]").focus()
      await form.waitFor()
      await at.page.evaluate(() => addEventListener("keydown", ({ key }) => (document.title = key)))
      await at.page.keyboard.press("Escape")
      await form.waitFor({ state: "detached" })
      expect(await at.page.title()).not.toBe("Escape")
    },
  )

  test("[UI-SAFE-2] a secret for a remote agent stands nowhere in the markup, typed or sent", async () => {
    const at = await open({ surface: "remote_teammate", at: 28 })
    const button = at.page.locator("button[data-control=answer]").first()
    if (!(await button.isVisible())) await at.surface().locator("[aria-expanded=false]").first().click()
    await button.click()
    const field = at.page.locator("input[type=password]")
    await field.fill("hunter2-hunter2")
    expect(await at.surface().evaluate((surface) => surface.outerHTML)).not.toContain("hunter2")
    await field.press("Enter")
    await field.waitFor({ state: "detached" })
    expect(await at.surface().evaluate((surface) => surface.outerHTML)).not.toContain("hunter2")
    expect(await at.intents()).toMatchObject([{ control: "answer", actionId: "act_legal_auth" }])
  })
})

const looks = (["light", "dark"] as const).flatMap((theme) =>
  (["en", "zh"] as const).map((language) => ({ theme, language })),
)
describe("an audit of every page of the team's surfaces", () => {
  test.each(
    surfaces.flatMap((surface) => looks.map(({ theme, language }) => [surface, theme, language] as const)),
  )("[UI-A11Y-4] %s, %s, %s", async (surface, theme, language) => {
    const at = await open({ surface, theme, language }, 360)
    for (const state of ["trace", "empty", "loading", "unknown", "unavailable", "stale", "blocked"]) {
      await at.show(gallery.origin, { surface, theme, language, state })
      expect({ state, found: await at.violations() }).toEqual({ state, found: [] })
    }
  })
})
