import type { Page } from "playwright-core"
import { expect, test, vi } from "vitest"
import { delta, ended, live, of, running, visits } from "./visits.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const at = visits()

const broken = (page: Page) => page.locator("[data-broken]")
const talks = async (page: Page) => {
  await page.getByRole("textbox", { name: "Message" }).fill("It still works")
  await page.getByRole("textbox", { name: "Message" }).press("Enter")
  await expect.poll(() => at.host.told.some(({ name }) => name === "submit_turn")).toBe(true)
}

test("a pane that cannot be fetched says so beside a conversation that goes on, and is there at the next try", async () => {
  at.host.tell(...running("trn_1", "Hello"), ended("trn_1"))
  at.host.gone = /TimelineEvidence/
  const page = await at.open("ses_a/timeline")
  await live(page)
  await page.locator("[data-workspace] [data-broken]", { hasText: "could not be fetched" }).waitFor()
  expect(await broken(page).count()).toBe(1)
  await talks(page)
  at.host.gone = undefined
  await broken(page).getByRole("button", { name: "Try again" }).click()
  await page.locator("[data-surface=timeline_evidence]").waitFor()
  expect(await broken(page).count()).toBe(0)
})

test("a part of the conversation that cannot be drawn takes nothing else with it", async () => {
  at.host.tell(...running("trn_1", "Hello"), delta("trn_1", "![a picture](https://example.org/x.png)\n\n"))
  at.host.tell(ended("trn_1"))
  at.host.tell(...running("trn_2", "Another").slice(2), delta("trn_2", "All is well.\n\n"), ended("trn_2"))
  const page = await at.open("ses_a", (page) =>
    page.addInitScript(() => {
      // As in a browser that is too old for it.
      Object.defineProperty(URL, "parse", { value: undefined, writable: true })
    }),
  )
  await page.locator("[data-turn=trn_2]", { hasText: "All is well." }).waitFor()
  await broken(page).waitFor()
  expect(await broken(page).innerText()).toMatch(/this part of the page failed[\s\S]*parse/)
  await page.evaluate(() => {
    Object.assign(URL, { parse: (text: string) => new URL(text) })
  })
  await broken(page).getByRole("button", { name: "Try again" }).click()
  await page.locator("[data-turn=trn_1] a[data-image]").waitFor()
  await talks(page)
})

const request = of(
  "trn_1",
  "action.required",
  {
    action_type: "tool_approval",
    title: "Run it?",
    parent: { kind: "turn", id: "trn_1" },
    decided_by: "human",
    requester: { kind: "agent" },
    decisions: [{ id: "allow", label: "Allow", effect: "allow" }],
  },
  { action_id: "act_1" },
)

test.each(["throws", "is missing"])("a browser whose notification %s has the whole page", async (how) => {
  at.host.tell(...running("trn_1", "Hello"))
  const page = await at.open("ses_a", (page) =>
    page.addInitScript((how) => {
      localStorage.setItem("factum.notify", "on")
      Object.defineProperty(document, "hidden", { get: () => true })
      if (how === "is missing") return void Reflect.deleteProperty(globalThis, "Notification")
      // As Chrome on Android.
      function Notification() {
        Object.assign(globalThis, { tried: true })
        throw new TypeError("Illegal constructor")
      }
      Object.assign(Notification, { permission: "granted" })
      Object.assign(globalThis, { Notification })
    }, how),
  )
  const errors: string[] = []
  page.on("pageerror", (error) => errors.push(String(error)))
  await live(page)
  at.host.tell(request)
  await page.locator("[data-action=act_1][data-open]").waitFor()
  if (how === "throws") await page.waitForFunction(() => "tried" in globalThis)
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox").fill("desktop notifications")
  const offered = page.getByRole("option", { name: /desktop notifications/ })
  await expect.poll(() => offered.count()).toBe(how === "throws" ? 1 : 0)
  // The count stands in the title, which the same part of the page writes.
  expect(await broken(page).count()).toBe(0)
  expect(await page.title()).toContain("A talk")
  expect(errors).toEqual([])
})
