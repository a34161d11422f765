import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { surfaceTable } from "@factum/agent-ui"
import { type Browser, chromium } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { buildGallery, serveGallery } from "../../../scripts/gallery.ts"
import { GalleryPage, type Look } from "./gallery-page.ts"
import { findChromium } from "./host-process.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** The team's surfaces are audited beside their own tests. */
const here = [
  "composer",
  "conversation",
  "inline_process",
  "runtime_status",
  "tool_ui",
  "hitl",
  "session_tabs",
  "artifact_workspace",
  "timeline_evidence",
  "diagnostics",
  "team_policy",
] as const
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

test("the gallery has every surface", async () => {
  const at = await open({ bare: 0 })
  const named = await at.page.getByLabel("surface", { exact: true }).locator("option").allTextContents()
  expect(named.toSorted()).toEqual(Object.keys(surfaceTable).toSorted())
})

test("an artifact's preview, diff and editor show what the trace tells", async () => {
  const at = await open({ surface: "artifact_workspace", trace: "artifact-life" })
  await at.page.getByText("_Approved by legal").or(at.page.getByText("Approved by legal")).first().waitFor()
  for (const name of ["Diff", "Edit"]) {
    await at.page
      .getByRole("tab", { name, exact: true })
      .or(at.page.getByRole("button", { name, exact: true }))
      .first()
      .click()
    await at.page.locator(".cm-content").first().getByText("Data retention policy").first().waitFor()
  }
  expect(await at.text()).not.toMatch(/There is no host here/)
})

test("[UI-SURF-25] the composer says in its owner's words why it takes no messages", async () => {
  const at = await open({ surface: "composer", state: "blocked" })
  const words = at.page.locator("[data-surface=composer] [data-notice=blocked]")
  await words.waitFor()
  expect((await words.innerText()).replace(/^Blocked\s*/, "")).not.toBe("")
})

const looks = (["light", "dark"] as const).flatMap((theme) =>
  (["en", "zh"] as const).map((language) => ({ theme, language })),
)
describe("an audit of every page", () => {
  test.each(
    here.flatMap((surface) => looks.map(({ theme, language }) => [surface, theme, language] as const)),
  )("[UI-A11Y-4] %s, %s, %s", async (surface, theme, language) => {
    const at = await open({ surface, theme, language }, 640)
    for (const state of ["trace", "empty", "loading", "unknown", "unavailable", "stale", "blocked"]) {
      await at.show(gallery.origin, { surface, theme, language, state })
      expect({ state, found: await at.violations() }).toEqual({ state, found: [] })
    }
  })
})
